// Lanes with numbers, as [first lane, count, number, step].

/** Returns [lane, number] of each lane. */
export function lanesOf(spans = []) {
  return spans.flatMap(([lane, count, value, step]) =>
    Array.from({ length: count }, (_, at) => [lane + at, value + at * step]));
}

/** Returns whether a mask has a lane. */
export function has(mask, lane) {
  return ((mask >>> lane) & 1) === 1;
}

/** Returns the number of lanes of a mask. */
export function size(mask) {
  let lanes = 0;
  for (let lane = 0; lane < 32; lane++) lanes += (mask >>> lane) & 1;
  return lanes;
}
