//! Operations with all features: order, `fold`, params, positions, the number of elements, and structs of narrow fields.
//! Each is written as a user would write it, and as a plain loop.

use reduce_ir::func::{Func, FuncBuilder, Id, Param};
use reduce_ir::operation::{Measures, Operation, Order, Record};
use reduce_ir::ops::{Bin, Cmp, Un};
use reduce_ir::{Scalar, Value};
use reduce_lanes::Lanes;

/// An operation, its params, and a plain loop, if that has the same bits.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    pub(crate) operation: Operation,
    pub(crate) params: Vec<Value>,
    pub(crate) plain: Option<Loop>,
}

/// Computes the result in a loop over the inputs.
pub(crate) type Loop = fn(&[Lanes]) -> Vec<Value>;

/// Returns operations whose elements keep their order.
pub(crate) fn ordered() -> Vec<Subject> {
    let all = [first(), last(), matrix(), affine(), subarray()];
    let padded = Subject { operation: padded(matrix().operation), ..matrix() };
    let kadane = Subject { operation: kadane(subarray().operation), ..subarray() };
    all.into_iter().chain([padded, kadane]).collect()
}

/// Returns operations with their own `fold`, with and without fill.
pub(crate) fn folded() -> Vec<Subject> {
    let guarded = [welford(), mixed(), weighted()];
    let padded = [mixed(), weighted()].map(|it| Subject { operation: padded(it.operation), ..it });
    guarded.into_iter().chain(padded).collect()
}

/// Uses the identity as the fill.
fn padded(operation: Operation) -> Operation {
    let name = format!("{}_padded", operation.name);
    Operation { name, fill: operation.identity.clone(), ..operation }
}

fn first() -> Subject {
    let acc = Record::scalar(Scalar::I32);
    let operation = Operation {
        combine: func(pair(&acc), |_, p| vec![p[0]]),
        ..lifted("first", &[("x", Scalar::I32)], acc, |_, p| vec![p[0]])
    };
    Subject { operation, params: Vec::new(), plain: Some(|inputs| vec![inputs[0].get(0)]) }
}

fn last() -> Subject {
    let acc = Record::scalar(Scalar::I32);
    let operation = Operation {
        combine: func(pair(&acc), |_, p| vec![p[1]]),
        ..lifted("last", &[("x", Scalar::I32)], acc, |_, p| vec![p[0]])
    };
    Subject { operation, params: Vec::new(), plain: Some(|inputs| vec![inputs[0].get(inputs[0].len() - 1)]) }
}

/// The product of the matrices `[x 1; 1 0]`.
fn matrix() -> Subject {
    let ty = Scalar::I32;
    let acc = Record::of("Matrix", &[("a", ty), ("b", ty), ("c", ty), ("d", ty)]);
    let operation = Operation {
        combine: func(pair(&acc), |f, p| {
            let mut entry = |row: usize, column: usize| {
                let left = f.bin(Bin::Mul, p[2 * row], p[4 + column]).unwrap();
                let right = f.bin(Bin::Mul, p[2 * row + 1], p[6 + column]).unwrap();
                f.bin(Bin::Add, left, right).unwrap()
            };
            vec![entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)]
        }),
        identity: Some([1, 0, 0, 1].map(Value::of::<i32>).to_vec()),
        ..lifted("matrix", &[("x", ty)], acc, |f, p| {
            let [one, zero] = [1, 0].map(|it: i32| f.constant(Value::of(it)));
            vec![p[0], one, one, zero]
        })
    };
    let plain = |inputs: &[Lanes]| {
        let product = numbers(&inputs[0]).fold([1i32, 0, 0, 1], |[a, b, c, d], x| {
            [a.wrapping_mul(x).wrapping_add(b), a, c.wrapping_mul(x).wrapping_add(d), c]
        });
        product.map(Value::of).to_vec()
    };
    Subject { operation, params: Vec::new(), plain: Some(plain) }
}

/// The composition of the maps `z → x z + y`, the first one innermost.
fn affine() -> Subject {
    let ty = Scalar::I32;
    let acc = Record::of("Affine", &[("scale", ty), ("offset", ty)]);
    let operation = Operation {
        combine: func(pair(&acc), |f, p| {
            let inner = f.bin(Bin::Mul, p[2], p[1]).unwrap();
            vec![f.bin(Bin::Mul, p[2], p[0]).unwrap(), f.bin(Bin::Add, inner, p[3]).unwrap()]
        }),
        identity: Some([1, 0].map(Value::of::<i32>).to_vec()),
        ..lifted("affine", &[("x", ty), ("y", ty)], acc, |_, p| p.to_vec())
    };
    let plain = |inputs: &[Lanes]| {
        let maps = numbers(&inputs[0]).zip(numbers(&inputs[1]));
        let (scale, offset) = maps.fold((1i32, 0i32), |(scale, offset), (x, y)| {
            (x.wrapping_mul(scale), x.wrapping_mul(offset).wrapping_add(y))
        });
        vec![Value::of(scale), Value::of(offset)]
    };
    Subject { operation, params: Vec::new(), plain: Some(plain) }
}

/// The maximum sum of consecutive low bytes, at least one of them, so that no sum wraps.
fn subarray() -> Subject {
    let ty = Scalar::I32;
    let acc = Record::of("Runs", &[("sum", ty), ("prefix", ty), ("suffix", ty), ("best", ty)]);
    let operation = Operation {
        combine: func(pair(&acc), |f, p| {
            let mut op = |op, a, b| f.bin(op, a, b).unwrap();
            let (through, across) = (op(Bin::Add, p[0], p[5]), op(Bin::Add, p[2], p[5]));
            let (extended, inside) = (op(Bin::Add, p[2], p[4]), op(Bin::Max, p[3], p[7]));
            let [sum, prefix] = [op(Bin::Add, p[0], p[4]), op(Bin::Max, p[1], through)];
            vec![sum, prefix, op(Bin::Max, p[6], extended), op(Bin::Max, inside, across)]
        }),
        finish: func(acc.params("acc"), |_, p| vec![p[3]]),
        output: Record::scalar(ty),
        ..lifted("subarray", &[("x", ty)], acc, |f, p| vec![low_byte(f, p[0]); 4])
    };
    let plain = |inputs: &[Lanes]| {
        let all: Vec<i32> = numbers(&inputs[0]).map(|x| i32::from(x as i8)).collect();
        let mut ending = all[0];
        let best = all[1..].iter().fold(all[0], |best, &x| {
            ending = x.max(ending + x);
            best.max(ending)
        });
        vec![Value::of(best)]
    };
    Subject { operation, params: Vec::new(), plain: Some(plain) }
}

fn low_byte(f: &mut FuncBuilder, x: Id) -> Id {
    let byte = f.cast(Scalar::I8, x).unwrap();
    f.cast(Scalar::I32, byte).unwrap()
}

/// Kadane's algorithm, one element at a time.
fn kadane(operation: Operation) -> Operation {
    let params = [operation.acc.params("acc"), operation.inputs.clone()].concat();
    let fold = func(params, |f, p| {
        let x = low_byte(f, p[4]);
        let mut op = |op, a, b| f.bin(op, a, b).unwrap();
        let (sum, extended) = (op(Bin::Add, p[0], x), op(Bin::Add, p[2], x));
        let suffix = op(Bin::Max, x, extended);
        vec![sum, op(Bin::Max, p[1], sum), suffix, op(Bin::Max, p[3], suffix)]
    });
    Operation { name: "kadane".to_owned(), fold: Some(fold), ..operation }
}

/// The variance, in one pass. Its fold divides by the step of the lane, its finish by the number of elements minus a param.
fn welford() -> Subject {
    let ty = Scalar::F32;
    let acc = Record::of("Moments", &[("n", ty), ("mean", ty), ("m2", ty)]);
    let fold = [acc.params("acc"), vec![Param::new("x", ty), Param::new("step", Scalar::U64)]].concat();
    let finish = [acc.params("acc"), vec![Param::new("n", Scalar::U64), Param::new("ddof", Scalar::U8)]];
    let operation = Operation {
        combine: func(pair(&acc), |f, p| {
            let n = f.bin(Bin::Add, p[0], p[3]).unwrap();
            let delta = f.bin(Bin::Sub, p[4], p[1]).unwrap();
            let share = f.bin(Bin::Div, p[3], n).unwrap();
            let mean = f.mul_add(delta, share, p[1]).unwrap();
            let square = f.bin(Bin::Mul, delta, delta).unwrap();
            let both = f.bin(Bin::Mul, p[0], share).unwrap();
            let m2 = f.bin(Bin::Add, p[2], p[5]).unwrap();
            vec![n, mean, f.mul_add(square, both, m2).unwrap()]
        }),
        fold: Some(func(fold, |f, p| {
            let one = f.constant(Value::of(1f32));
            let step = f.cast(Scalar::F32, p[4]).unwrap();
            let n = f.bin(Bin::Add, step, one).unwrap();
            let delta = f.bin(Bin::Sub, p[3], p[1]).unwrap();
            let share = f.bin(Bin::Div, delta, n).unwrap();
            let mean = f.bin(Bin::Add, p[1], share).unwrap();
            let rest = f.bin(Bin::Sub, p[3], mean).unwrap();
            vec![f.bin(Bin::Add, p[0], one).unwrap(), mean, f.mul_add(delta, rest, p[2]).unwrap()]
        })),
        finish: func(finish.concat(), |f, p| {
            let [n, ddof] = [p[3], p[4]].map(|it| f.cast(Scalar::F32, it).unwrap());
            let freedom = f.bin(Bin::Sub, n, ddof).unwrap();
            let variance = f.bin(Bin::Div, p[2], freedom).unwrap();
            [variance, p[1]].map(|it| f.un(Un::Canonical, it).unwrap()).to_vec()
        }),
        output: Record::of("Spread", &[("variance", ty), ("mean", ty)]),
        params: vec![Param::new("ddof", Scalar::U8)],
        identity: Some([0f32; 3].map(Value::of).to_vec()),
        commutative: true,
        ..lifted("welford", &[("x", ty)], acc, |f, p| {
            let [one, zero] = [1f32, 0.0].map(|it| f.constant(Value::of(it)));
            vec![one, p[0], zero]
        })
    };
    Subject { operation, params: vec![Value::of(1u8)], plain: None }
}

/// Five narrow and wide fields; `map` and `fold` use the position and a param, each in its own order.
fn mixed() -> Subject {
    let fields = [
        ("top", Scalar::U8),
        ("seen", Scalar::Bool),
        ("sum", Scalar::F64),
        ("low", Scalar::I16),
        ("at", Scalar::U64),
    ];
    let acc = Record::of("Mixed", &fields);
    let limit = Param::new("limit", Scalar::F32);
    let of_element = |f: &mut FuncBuilder, [x, i, limit]: [Id; 3]| {
        let above = f.cmp(Cmp::Gt, x, limit).unwrap();
        let none = f.constant(Value::of(u64::MAX));
        let whole = f.cast(Scalar::I16, x).unwrap();
        let (top, wide) = (f.cast(Scalar::U8, x).unwrap(), f.cast(Scalar::F64, x).unwrap());
        vec![top, above, wide, whole, f.select(above, i, none).unwrap()]
    };
    let both = |f: &mut FuncBuilder, a: &[Id], b: &[Id]| {
        let ops = [Bin::Max, Bin::Or, Bin::Add, Bin::Add, Bin::Min];
        (0..5).map(|k| f.bin(ops[k], a[k], b[k]).unwrap()).collect::<Vec<_>>()
    };
    let index = Param::new("i", Scalar::U64);
    let x = Param::new("x", Scalar::F32);
    let map = func(vec![x.clone(), limit.clone(), index.clone()], |f, p| of_element(f, [p[0], p[2], p[1]]));
    let fold = func([acc.params("acc"), vec![x, index, limit.clone()]].concat(), |f, p| {
        let element = of_element(f, [p[5], p[6], p[7]]);
        both(f, &p[..5], &element)
    });
    let operation = Operation {
        map,
        combine: func(pair(&acc), |f, p| both(f, &p[..5], &p[5..])),
        fold: Some(fold),
        finish: func(acc.params("acc"), |f, p| {
            let sum = f.un(Un::Canonical, p[2]).unwrap();
            vec![p[0], p[1], sum, p[3], p[4]]
        }),
        params: vec![Param::new("unused", Scalar::Bool), limit],
        index: "i".to_owned(),
        identity: Some(vec![
            Value::of(0u8),
            Value::of(false),
            Value::of(-0.0f64),
            Value::of(0i16),
            Value::of(u64::MAX),
        ]),
        commutative: true,
        ..lifted("mixed", &[("x", Scalar::F32)], acc, |_, p| p.to_vec())
    };
    Subject { operation, params: vec![Value::of(true), Value::of(5f32)], plain: None }
}

/// Σ x (i + k), modulo 2⁶⁴, and n of it: a fold of two inputs and a position.
fn weighted() -> Subject {
    let acc = Record::scalar(Scalar::U64);
    let [i, k] = ["i", "k"].map(|name| Param::new(name, Scalar::U64));
    let inputs = [("x", Scalar::U8), ("y", Scalar::I16)];
    let named: Vec<_> = inputs.iter().map(|&(name, ty)| Param::new(name, ty)).collect();
    let term = |f: &mut FuncBuilder, [x, y, i, k]: [Id; 4]| {
        let [x, y] = [x, y].map(|it| f.cast(Scalar::U64, it).unwrap());
        let (weight, product) = (f.bin(Bin::Add, i, k).unwrap(), f.bin(Bin::Mul, x, y).unwrap());
        f.bin(Bin::Mul, product, weight).unwrap()
    };
    let map = func([named.clone(), vec![i.clone(), k.clone()]].concat(), |f, p| {
        vec![term(f, [p[0], p[1], p[2], p[3]])]
    });
    let fold = func([acc.params("acc"), named, vec![k.clone(), i]].concat(), |f, p| {
        let term = term(f, [p[1], p[2], p[4], p[3]]);
        vec![f.bin(Bin::Add, p[0], term).unwrap()]
    });
    let operation = Operation {
        map,
        combine: func(pair(&acc), |f, p| vec![f.bin(Bin::Add, p[0], p[1]).unwrap()]),
        fold: Some(fold),
        finish: func([acc.params("acc"), vec![Param::new("n", Scalar::U64)]].concat(), |_, p| p.to_vec()),
        output: Record::of("Weighted", &[("total", Scalar::U64), ("n", Scalar::U64)]),
        params: vec![k],
        index: "i".to_owned(),
        identity: Some(vec![Value::of(0u64)]),
        commutative: true,
        exact: true,
        named: false,
        position: Scalar::U64,
        ..lifted("weighted", &inputs, acc, |f, _| vec![f.constant(Value::of(0u64))])
    };
    let plain = |inputs: &[Lanes]| {
        let products =
            numbers(&inputs[0]).zip(numbers(&inputs[1])).map(|(x, y)| (i64::from(x) * i64::from(y)) as u64);
        let terms = products.zip(7u64..).map(|(product, weight)| product.wrapping_mul(weight));
        vec![Value::of(terms.fold(0, u64::wrapping_add)), Value::of(inputs[0].len() as u64)]
    };
    Subject { operation, params: vec![Value::of(7u64)], plain: Some(plain) }
}

/// Returns an ordered operation without identity, which returns its accumulator. `combine` is still missing.
fn lifted(
    name: &str,
    inputs: &[(&str, Scalar)],
    acc: Record,
    map: impl FnOnce(&mut FuncBuilder, &[Id]) -> Vec<Id>,
) -> Operation {
    let inputs: Vec<_> = inputs.iter().map(|&(name, ty)| Param::new(name, ty)).collect();
    let itself = func(acc.params("acc"), |_, p| p.to_vec());
    Operation {
        name: name.to_owned(),
        key: None,
        map: func(inputs.clone(), map),
        inputs,
        params: Vec::new(),
        measures: Measures::default(),
        index: "i".to_owned(),
        combine: itself.clone(),
        fold: None,
        identity: None,
        fill: None,
        commutative: false,
        exact: false,
        named: false,
        position: Scalar::U64,
        searches: Vec::new(),
        order: Order::Fixed,
        finish: itself,
        output: acc.clone(),
        acc,
        empty: None,
        nothing: None,
        asserts: false,
    }
}

fn func(params: Vec<Param>, body: impl FnOnce(&mut FuncBuilder, &[Id]) -> Vec<Id>) -> Func {
    let mut f = FuncBuilder::new(params);
    let params = f.params();
    let results = body(&mut f, &params);
    f.build(results)
}

fn pair(acc: &Record) -> Vec<Param> {
    [acc.params("a"), acc.params("b")].concat()
}

/// Returns the elements of an input of integers.
fn numbers(lanes: &Lanes) -> impl Iterator<Item = i32> {
    (0..lanes.len()).map(|at| lanes.get(at).as_int().unwrap() as i32)
}
