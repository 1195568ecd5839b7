//! Functions, tuples and arrays.

use crate::{Samples, agrees, mapped, spec};
use reduce_ir::Value;

#[test]
fn helper_functions() {
    agrees!(
        fn sq(x: f32) -> f32 {
            x * x
        },
        |x: f32| -> f32 { sq(x) + sq(2.0) }
    );
    agrees!(
        fn sq(x: i32) -> i32 {
            x / 2
        },
        |x: i32| -> i32 {
            sq({
                if x > 3 {
                    return 7;
                }
                x + 1
            }) + 1
        }
    );
    agrees!(
        fn first(x: i32) -> i32 {
            for i in 0..5 {
                if i > x {
                    return i;
                }
            }
            9
        },
        |x: i32| -> i32 { first(x) + first(1 - x / 2) }
    );
    agrees!(
        fn clip(mut x: i32, most: i32) -> i32 {
            if x > most {
                x = most;
            }
            if x < 0 {
                return 0;
            }
            x
        },
        fn both(x: i32) -> (i32, i32) {
            (clip(x, 5), clip(-x, 3))
        },
        |x: i32| -> i32 {
            let (a, b) = both(x.max(-1000));
            a * 10 + b
        }
    );
}

#[test]
fn tuples_and_arrays() {
    agrees!(|x: i32| -> i32 {
        let t = (x, x > 0);
        if t.1 { t.0 } else { 0 }
    });
    agrees!(|x: i32| -> i32 {
        let mut t = (x, (1, 2));
        t.1.0 = 5;
        t.1.1 += x % 3;
        t.1.0 * 10 + t.1.1
    });
    agrees!(|x: u8| -> u8 {
        let t = [1u8, 5, 9, 2];
        t[(x / 64) as usize]
    });
    agrees!(|x: u8| -> u32 {
        let mut h = [0u32; 8];
        h[(x / 32) as usize] = 3;
        h[1] += 1;
        h[0] + 10 * h[1] + 100 * h[7]
    });
    agrees!(|x: i32| -> i32 {
        let mut a = [[0; 2]; 3];
        for i in 0..3 {
            for j in 0..2 {
                a[i][j] = x % 5 + i as i32;
            }
        }
        a[2][1] - a[1][0]
    });
    agrees!(|x: i32| -> i32 {
        let mut a = [4, 2, 9];
        for _ in 0..3 {
            for j in 0..2 {
                if a[j] > a[j + 1] {
                    let t = a[j];
                    a[j] = a[j + 1];
                    a[j + 1] = t;
                }
            }
        }
        if x > 0 { a[0] } else { a[2] }
    });
    agrees!(|x: u8| -> u64 {
        let a = [1u64, 2, 3];
        let mut s = 0;
        for i in 0..a.len() {
            s += a[i] * x as u64;
        }
        s
    });
    agrees!(|x: f32| -> u64 {
        let i = (x as usize).min(3);
        [4, 5, 6, 7usize][i] as u64
    });
}

#[test]
fn accumulators_of_arrays_and_tuples() {
    let source = "ty: u8, acc: H { bins: [u32; 4] }, \
        map: |x| { let mut h = H { bins: [0; 4] }; h.bins[(x / 64) as usize] = 1; h }, \
        op: |a, b| { let mut h = a; for i in 0..4 { h.bins[i] += b.bins[i]; } h }, \
        identity: H { bins: [0; 4] }";
    let histogram = spec(source).operation;
    assert_eq!(histogram.acc.text(), "H { bins_0: u32, bins_1: u32, bins_2: u32, bins_3: u32 }");
    assert_eq!(mapped(source, 70u8), [0u32, 1, 0, 0].map(Value::of));
    assert!(histogram.commutative && histogram.exact);
    let mean = "ty: f32, acc: (f32, u64), map: |x| (x, 1), op: |(s, n), b| (s + b.0, n + b.1), identity: (0.0, 0), \
        finish: |(s, n)| s / n as f32";
    assert_eq!(spec(mean).operation.acc.text(), "TupleF32U64 { v0: f32, v1: u64 }");
    let pair =
        spec("ty: f32, map: |x| [x, x * x], op: |a, b| [a[0] + b[0], a[1] + b[1]], identity: [0.0; 2]")
            .operation;
    assert_eq!(pair.output.text(), "ArrayF32x2 { v0: f32, v1: f32 }");

    let [zero, one, two] = [0u32, 1, 2].map(Value::of);
    assert_eq!(
        histogram.acc.value_text(&[zero, one, two, zero]),
        "H { bins_0: 0, bins_1: 1, bins_2: 2, bins_3: 0 }"
    );
    assert_eq!(spec(mean).operation.acc.value_text(&[Value::of(1.5f32), Value::of(3u64)]), "(1.5, 3)");
    assert_eq!(pair.output.value_text(&[Value::of(1.0f32), Value::of(4.0f32)]), "[1.0, 4.0]");
    let named = "ty: f32, acc: Tuple { a: f32, v1: f32 }, map: |x| Tuple { a: x, v1: x }, op: |p, q| Tuple { a: p.a + q.a, v1: p.v1 + q.v1 }, identity: Tuple { a: 0.0, v1: 0.0 }";
    assert_eq!(spec(named).operation.acc.value_text(&[Value::of(1.0f32); 2]), "Tuple { a: 1.0, v1: 1.0 }");
}

#[test]
fn functions_as_operators() {
    for (source, name) in [
        ("ty: f32, op: f32::max", "f32::max"),
        ("ty: i32, op: i32::min", "i32::min"),
        ("ty: u64, op: u64::max", "u64::max"),
        ("fn add(a: i64, b: i64) -> i64 { a + b } ty: i64, op: add, identity: 0", "add"),
    ] {
        assert!(spec(source).operation.commutative, "{name}");
    }
    assert_eq!(spec("ty: usize, map: |x| x as usize, op: sum"), spec("ty: u64, map: |x| x as u64, op: sum"));
}
