//! Functions of operations print as an author would write them in C++.

use reduce_codegen::{Programs, Tuning, cuda, cuda_kernels};
use reduce_dsl::operators::operator;
use reduce_ir::func::{Func, FuncBuilder, Id, Param};
use reduce_ir::operation::{Operation, Record};
use reduce_ir::ops::{Bin, Cmp, Un};
use reduce_ir::{Scalar, Value};

/// Builds a function of these parameters.
fn func(params: &[Vec<Param>], build: impl FnOnce(&mut FuncBuilder, &[Id]) -> Vec<Id>) -> Func {
    let mut f = FuncBuilder::new(params.concat());
    let ids = f.params();
    let results = build(&mut f, &ids);
    f.build(results)
}

/// Returns an operation on an accumulator, with trivial `map` and `finish`.
fn of(acc: Record, combine: Func) -> Operation {
    let sum = operator("sum").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
    let map = func(&[acc.params("x")], |_, x| x.to_vec());
    let finish = func(&[acc.params("acc")], |_, acc| acc.to_vec());
    Operation { map, combine, identity: None, fill: None, finish, output: acc.clone(), acc, ..sum }
}

/// Returns the body of a function of the operation, line by line.
fn body(operation: &Operation, name: &str) -> Vec<String> {
    let text = cuda_kernels(operation, &[]);
    let head = format!(" {name}(");
    let lines = text.lines().skip_while(|line| !(line.contains(&head) && line.starts_with("__device__")));
    lines.skip(2).take_while(|line| *line != "}").map(|line| line.trim().to_owned()).collect()
}

/// Returns the expression that `combine` returns for scalars.
fn value(ty: Scalar, build: impl FnOnce(&mut FuncBuilder, Id, Id) -> Id) -> String {
    let acc = Record::scalar(ty);
    let combine = func(&[acc.params("a"), acc.params("b")], |f, x| vec![build(f, x[0], x[1])]);
    let lines = body(&of(acc, combine), "combine");
    lines.last().unwrap().strip_prefix("return ").unwrap().to_owned()
}

fn best() -> Record {
    Record::of("Best", &[("value", Scalar::F32), ("index", Scalar::U64)])
}

#[test]
fn a_choice_between_structs_is_one_choice() {
    let acc = best();
    let combine = func(&[acc.params("left"), acc.params("right")], |f, x| {
        let better = f.cmp(Cmp::Gt, x[2], x[0]).unwrap();
        f.name(better, "better");
        vec![f.select(better, x[2], x[0]).unwrap(), f.select(better, x[3], x[1]).unwrap()]
    });
    let operation = of(acc, combine);
    assert_eq!(
        body(&operation, "combine"),
        ["const bool better = right.value > left.value;", "return better ? right : left;"]
    );
    let text = cuda_kernels(&operation, &[]);
    assert!(text.contains("Best combine(Best left, Best right)"), "{text}");
    assert!(!text.contains(" finish(") && !text.contains(" identity("), "{text}");
}

#[test]
fn a_choice_may_lie_in_a_choice_and_make_structs() {
    let acc = Record::of("Run", &[("first", Scalar::I8), ("count", Scalar::U16)]);
    let combine = func(&[acc.params("a"), acc.params("b")], |f, x| {
        let [zero, one] = [0, 1].map(|bits| f.constant(Value::from_bits(Scalar::U16, bits)));
        let empty = f.cmp(Cmp::Eq, x[1], zero).unwrap();
        let same = f.cmp(Cmp::Eq, x[0], x[2]).unwrap();
        let count = f.select(same, one, x[3]).unwrap();
        let other = [f.select(same, x[0], x[2]).unwrap(), count];
        vec![f.select(empty, x[2], other[0]).unwrap(), f.select(empty, x[3], other[1]).unwrap()]
    });
    // A literal of 8 or 16 bits has a type only where C++ would convert it to `int`.
    assert_eq!(
        body(&of(acc, combine), "combine").last().unwrap(),
        "return a.count == 0 ? b : a.first == b.first ? Run{a.first, 1} : b;"
    );
    assert_eq!(
        value(Scalar::I16, |f, a, b| {
            let less = f.cmp(Cmp::Lt, a, b).unwrap();
            let five = f.constant(Value::of(5i16));
            f.select(less, a, five).unwrap()
        }),
        "a < b ? a : (short)5;"
    );
}

/// A scalar parameter is not the struct of one field with that value.
#[test]
fn structs_of_one_field_are_made_of_scalars() {
    let acc = Record::of("One", &[("v", Scalar::U64)]);
    let same = func(&[acc.params("a"), acc.params("b")], |_, x| vec![x[1]]);
    let given = |name: &str| vec![Param::new(name, Scalar::U64)];
    let map = func(&[given("x"), given("index")], |_, x| vec![x[1]]);
    let fold = func(&[acc.params("acc"), given("x")], |_, x| vec![x[1]]);
    let finish = func(&[acc.params("acc"), given("n")], |_, x| vec![x[1]]);
    let inputs = given("x");
    let operation = Operation { inputs, map, fold: Some(fold), finish, ..of(acc.clone(), same) };
    assert_eq!(body(&operation, "map"), ["return One{index};"]);
    assert_eq!(body(&operation, "combine"), ["return b;"]);
    assert_eq!(body(&operation, "fold"), ["return One{x};"]);
    let text = cuda_kernels(&operation, &[]);
    assert!(text.contains("One finish(One acc, unsigned long long n)\n{\n    return One{n};\n}"), "{text}");
    let plain = func(&[given("x")], |_, x| x.to_vec());
    assert_eq!(body(&Operation { map: plain, ..operation }, "map"), ["return One{x};"]);
}

#[test]
fn parentheses_are_where_a_reader_needs_them() {
    let u32s = |build: fn(&mut FuncBuilder, Id, Id) -> Id| value(Scalar::U32, build);
    let bin = |f: &mut FuncBuilder, op, a, b| f.bin(op, a, b).unwrap();
    assert_eq!(
        u32s(|f, a, b| {
            let (left, right) = (f.bin(Bin::Mul, a, b).unwrap(), f.bin(Bin::Sub, a, b).unwrap());
            f.bin(Bin::Sub, left, right).unwrap()
        }),
        "a * b - (a - b);"
    );
    assert_eq!(
        value(Scalar::U32, |f, a, b| {
            let (sum, mask) = (bin(f, Bin::Add, a, b), f.constant(Value::of(0xffu32)));
            let (low, three) = (bin(f, Bin::And, sum, mask), f.constant(Value::of(35u32)));
            let shifted = bin(f, Bin::Shl, low, three);
            bin(f, Bin::Or, shifted, b)
        }),
        "(((a + b) & 0xffu) << 3) | b;"
    );
    assert_eq!(
        value(Scalar::Bool, |f, a, b| {
            let (both, neither) = (bin(f, Bin::And, a, b), f.un(Un::Not, a).unwrap());
            bin(f, Bin::Or, both, neither)
        }),
        "(a && b) || !a;"
    );
    assert_eq!(
        value(Scalar::F64, |f, a, b| {
            let (minus, one) = (f.un(Un::Neg, a).unwrap(), f.constant(Value::of(-1.0f64)));
            let (left, right) = (bin(f, Bin::Div, minus, b), bin(f, Bin::Sub, b, one));
            bin(f, Bin::Add, left, right)
        }),
        "-a / b + (b - (-1.0));"
    );
}

#[test]
fn small_integers_are_cast_back() {
    let bin = |f: &mut FuncBuilder, op, a, b| f.bin(op, a, b).unwrap();
    assert_eq!(
        value(Scalar::U8, |f, a, b| {
            let (sum, five) = (bin(f, Bin::Add, a, b), f.constant(Value::of(5u8)));
            bin(f, Bin::Max, sum, five)
        }),
        "(unsigned char)max((unsigned char)(a + b), 5);"
    );
    assert_eq!(value(Scalar::U16, |f, a, b| bin(f, Bin::Mul, a, b)), "mul_u16(a, b);");
}

#[test]
fn fold_and_finish_have_the_types_of_what_they_use() {
    let acc = best();
    let result = Record::of("Mean", &[("mean", Scalar::F64)]);
    let combine = func(&[acc.params("a"), acc.params("b")], |_, x| x[..2].to_vec());
    let named = |name: &str, ty| vec![Param::new(name, ty)];
    let fold = func(
        &[
            acc.params("acc"),
            named("x", Scalar::F16),
            named("step", Scalar::U64),
            named("scale", Scalar::F32),
        ],
        |f, x| {
            let wide = f.widen(x[2]);
            let product = f.bin(Bin::Mul, wide, x[4]).unwrap();
            vec![f.bin(Bin::Add, x[0], product).unwrap(), x[3]]
        },
    );
    let finish = func(&[acc.params("acc"), named("n", Scalar::U64)], |f, x| {
        let [sum, n] = [x[0], x[2]].map(|it| f.cast(Scalar::F64, it).unwrap());
        vec![f.bin(Bin::Div, sum, n).unwrap()]
    });
    let operation = Operation { fold: Some(fold), finish, output: result, ..of(acc, combine) };
    let text = cuda_kernels(&operation, &[]);
    for line in [
        "Best fold(Best acc, unsigned short x, unsigned long long step, float scale)",
        "    return Best{acc.value + __fmul_rn(f16_to_f32(x), scale), step};",
        "Mean finish(Best acc, unsigned long long n)",
        "    return Mean{(double)acc.value / (double)n};",
        "struct Mean {\n    double mean;\n};",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
}

/// A mask, a shift distance and the 1 of a reciprocal print as numbers, so their names are not declared.
#[test]
fn constants_that_are_written_as_numbers_are_not_declared() {
    let named = |ty, build: fn(&mut FuncBuilder, Id, Id) -> Id, value| {
        let acc = Record::scalar(ty);
        let combine = func(&[acc.params("a"), acc.params("b")], |f, x| {
            let constant = f.constant(value);
            f.name(constant, "given");
            vec![build(f, x[0], constant)]
        });
        body(&of(acc, combine), "combine")
    };
    let masked = named(Scalar::U16, |f, a, it| f.bin(Bin::And, a, it).unwrap(), Value::of(255u16));
    assert_eq!(masked, ["return (unsigned short)(a & 0xff);"]);
    let shifted = named(Scalar::U32, |f, a, it| f.bin(Bin::Shl, a, it).unwrap(), Value::of(3u32));
    assert_eq!(shifted, ["return a << 3;"]);
    let added = named(Scalar::U32, |f, a, it| f.bin(Bin::Add, a, it).unwrap(), Value::of(3u32));
    assert_eq!(added, ["const unsigned int given = 3u;", "return a + given;"]);
}

/// 1 divided by a whole number, unlike other quotients, has a function without the branch of a division.
#[test]
fn reciprocals_of_whole_numbers_have_a_function() {
    let quotient = |one: f32, a: Scalar| {
        value(a, |f, a, _| {
            let (one, a) = (f.constant(Value::of(one)), f.cast(Scalar::F32, a).unwrap());
            f.bin(Bin::Div, one, a).unwrap()
        })
    };
    assert_eq!(quotient(1.0, Scalar::U64), "reciprocal_f32((float)a);");
    assert_eq!(quotient(1.0, Scalar::I8), "reciprocal_f32((float)a);");
    assert_eq!(quotient(2.0, Scalar::U64), "2.0f / (float)a;");
    assert_eq!(quotient(1.0, Scalar::F16), "1.0f / f16_to_f32(a);");
    let in_f64 = value(Scalar::U64, |f, a, _| {
        let (one, a) = (f.constant(Value::of(1.0f64)), f.cast(Scalar::F64, a).unwrap());
        f.bin(Bin::Div, one, a).unwrap()
    });
    assert_eq!(in_f64, "reciprocal_f64((double)a);");
}

/// `exp` of a value that constants bound has a function without range checks.
#[test]
fn normal_exponentials_have_a_function() {
    let exp = |ty, [least, most]: [f64; 2]| {
        value(ty, |f, a, _| {
            let constant = |it: f64| if ty == Scalar::F64 { Value::of(it) } else { Value::of(it as f32) };
            let [least, most] = [least, most].map(|it| f.constant(constant(it)));
            let low = f.bin(Bin::MaxNum, a, least).unwrap();
            let a = f.bin(Bin::MinNum, most, low).unwrap();
            f.un(Un::Exp, a).unwrap()
        })
    };
    let (single, double) = (Scalar::F32, Scalar::F64);
    assert_eq!(exp(single, [-87.0, 88.0]), "normal_exp_f32(fminf(88.0f, fmaxf(a, -87.0f)));");
    assert_eq!(exp(single, [-87.5, 0.0]), "exp_f32(fminf(0.0f, fmaxf(a, -87.5f)));");
    assert_eq!(exp(single, [0.0, 88.5]), "exp_f32(fminf(88.5f, fmaxf(a, 0.0f)));");
    assert_eq!(exp(double, [-708.0, 709.0]), "normal_exp_f64(fmin(709.0, fmax(a, -708.0)));");
    assert_eq!(exp(double, [-709.0, 0.0]), "exp_f64(fmin(0.0, fmax(a, -709.0)));");
}

/// NaN has the bits of the canonical NaN. A value that is never NaN needs no function for that.
#[test]
fn bits_of_what_is_never_nan_are_taken_as_they_are() {
    let bits = |op: Bin, than: f32| {
        let acc = Record::scalar(Scalar::F32);
        let combine = func(&[acc.params("a"), acc.params("b")], |f, x| {
            let than = f.constant(Value::of(than));
            let chosen = f.bin(op, x[0], than).unwrap();
            let bits = f.un(Un::ToBits, chosen).unwrap();
            vec![f.un(Un::FromBits, bits).unwrap()]
        });
        body(&of(acc, combine), "combine").pop().unwrap()
    };
    assert_eq!(bits(Bin::MinNum, 5.0), "return __uint_as_float(__float_as_uint(fminf(a, 5.0f)));");
    assert_eq!(bits(Bin::MaxNum, 5.0), "return __uint_as_float(__float_as_uint(fmaxf(a, 5.0f)));");
    assert_eq!(bits(Bin::Min, 5.0), "return __uint_as_float(to_bits_f32(min_f32(a, 5.0f)));");
    let nan = bits(Bin::MinNum, f32::NAN);
    assert!(nan.contains("to_bits_f32"), "{nan}");
}

/// With wide elements, each thread of the only warp has one element, and the kernel does not refer to blocks and tiles.
#[test]
fn constants_that_nothing_names_are_not_declared() {
    let text = "inputs: { x: u32, y: bool, z: f16, w: i8 }, map: |x, y, z, w| (y as u16).wrapping_sub(x as u16), \
                op: softmax_denominator, layout: strided";
    let programs = Programs::of(&reduce_dsl::parse::spec(text).unwrap(), Tuning::DEFAULT).unwrap();
    let mut declared = 0;
    for text in programs.variants().iter().map(|program| cuda(program).unwrap()) {
        for kernel in text.split("extern \"C\"") {
            for line in kernel.lines().filter(|line| line.trim().starts_with("constexpr unsigned int ")) {
                let name = line.split_whitespace().nth(3).unwrap();
                let word = |text: &str| {
                    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|it| it == name)
                };
                let uses =
                    kernel.lines().filter(|other| *other != line && word(other.split("//").next().unwrap()));
                assert!(uses.count() > 0, "{name}\n{kernel}");
                declared += 1;
            }
        }
    }
    assert!(declared > 20, "{declared}");
}

/// In C++ the conversion of a constant that is too large for its type is undefined; the instruction gives infinity, as Rust
/// does.
#[test]
fn constants_are_narrowed_by_an_instruction() {
    let narrowed = value(Scalar::F32, |f, a, _| {
        let most = f.constant(Value::of(f64::MAX));
        let narrow = f.cast(Scalar::F32, most).unwrap();
        f.bin(Bin::MinNum, a, narrow).unwrap()
    });
    assert_eq!(narrowed, "fminf(a, __double2float_rn(1.7976931348623157e308));");
}
