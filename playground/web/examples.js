// Specifications to start from: a name, the text, and the number of elements.
export const EXAMPLES = [
  ["sum, tuned", "op: sum, ty: f32", 256],
  ["sum, a textbook's first kernel", "op: sum, ty: f32, block: 64, passes: []", 256],
  ["sum, without divergence", "op: sum, ty: f32, block: 64, passes: [strided_index]", 256],
  ["sum, without bank conflicts", "op: sum, ty: f32, block: 64, passes: [sequential]", 256],
  ["sum, several elements per thread", "op: sum, ty: f32, block: 64, passes: [sequential, coarsen(4)]", 512],
  ["sum, shuffles", "op: sum, ty: f32, block: 64, passes: [shuffle]", 256],
  ["sum, vector loads", "op: sum, ty: f32, block: 64, passes: [shuffle, vectorize(4)]", 512],
  ["max", "op: max, ty: i32, block: 64, passes: [shuffle, redux]", 256],
  ["argmax", "op: argmax, ty: f32, block: 64, passes: [shuffle]", 256],
  ["dot product", "inputs: { x: f32, y: f32 }, map: |x, y| x * y, op: sum, block: 64, passes: [sequential, shuffle]", 256],
  ["variance", "op: var, ty: f32, block: 64, passes: [shuffle]", 256],
  ["your own operator", "ty: f32, op: |a, b| a + b - a * b, identity: 0.0, block: 64, passes: [sequential]", 128],
  ["rows of a matrix", "op: sum, ty: f32, axes: i j -> i", 256],
  ["segments of any length", "op: sum, ty: f32, segments: u32", 1024],
  ["groups by key", "op: sum, ty: f32, by: { key: u32 }, groups: 8", 4096],
  ["a histogram", "ty: f32, by: |x| (x * 2.0 + 4.0) as u32, groups: 8, map: |x| 1u64, op: sum", 4096],
];
