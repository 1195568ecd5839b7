//! The text of lowered kernels is complete: a printed kernel parses back as the same kernel, except for the remarks on
//! constants. Errors name the line.

use crate::support::programs;
use reduce_codegen::lower;
use reduce_dsl::operators::OPERATORS;
use reduce_ir::ops::{Bin, Cmp, Un};
use reduce_ir::statements::{Expr, Local, LoweredKernel, Stmt, Ty};
use reduce_ir::{Scalar, Value};

/// Removes the parts of the kernel that are not printed.
fn bare(mut kernel: LoweredKernel) -> LoweredKernel {
    for constant in &mut kernel.constants {
        constant.formula = constant.value.to_string();
        constant.note.clear();
    }
    kernel
}

fn check(kernel: LoweredKernel) {
    let text = kernel.to_string();
    let read = LoweredKernel::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(read, bare(kernel), "{text}");
}

#[test]
fn every_kernel_reads_back() {
    for row in &OPERATORS {
        let preferred = if row.name == "dot" { Scalar::F16 } else { Scalar::U32 };
        let types = [preferred, Scalar::F32, Scalar::Bool];
        for program in programs(row, types.into_iter().find(|&ty| row.takes(ty)).unwrap()) {
            lower(&program).unwrap().kernels.into_iter().for_each(check);
        }
    }
}

/// Includes words that no kernel uses today.
const EVERYTHING: &str = "\
kernel everything reads partials, block 64, cluster 4, strided 2, grouped 3
  const BLOCK = 64
  shared tree: [acc; BLOCK]
  -- stage: what passes do not make (yet): everything
  var at: u64 = 1
  at = at + offset(input1, 0: at, 2: size1)
  move input0 by first(at)
  for stride: u64 = 4294967296 while 0 < stride next stride / 2, unrolled
    if stride == 2
      exit
  load mine: acc = tree[rank + 1] of ((rank + 1) % 4)
  shuffle other: acc = mine down 16, mask 0x0000ffff
  barrier warp, mask 0x0000ffff
  barrier warp
  barrier cluster
  fence release grid
  atomic old: u32 = exchange(ticket[0], 0) acq_rel cluster
  atomic next_one: u32 = add(ticket[at], old + 1) relaxed block
  atomic combine(partials[0], combine(mine, other)) relaxed grid
  store tree[thread] of rank = map(bits(f32, 0x3f800000), true, param(1, i16))
  mine = fold(empty, bits(f32, 0x3f800000), param(0, bool))
  store result[0] = finish(fold(mine), elements, param(1, i16))
";

#[test]
fn every_statement_reads_back() {
    let kernel = LoweredKernel::parse(EVERYTHING).unwrap();
    assert_eq!(kernel.to_string(), EVERYTHING);
}

#[test]
fn every_operation_reads_back() {
    let mut kernel = LoweredKernel::parse("kernel operations reads inputs, block 32\n").unwrap();
    let literal = |ty| Box::new(Expr::Const(Value::from_bits(ty, u64::MAX)));
    for ty in Scalar::ALL {
        let casts = [Expr::Cast(ty, Box::new(Expr::Items))].into_iter();
        let uns = Un::ALL.into_iter().map(|op| Expr::Un(op, literal(ty)));
        let bins = Bin::ALL.into_iter().map(|op| Expr::Bin(op, literal(ty), literal(ty)));
        let cmps = Cmp::ALL.into_iter().map(|op| Expr::Cmp(op, literal(ty), literal(ty)));
        let all: Vec<_> = casts.chain(uns).chain(bins).chain(cmps).collect();
        let count = kernel.body.len();
        let named = |(at, expr)| Stmt::Let(Local::new(format!("it_{}", count + at), Ty::U64), expr);
        kernel.body.extend(all.into_iter().enumerate().map(named));
    }
    let text = kernel.to_string();
    let read = LoweredKernel::parse(&text).unwrap();
    assert_eq!(read.to_string(), text);
    let types = |it: &LoweredKernel| it.body.iter().map(|stmt| format!("{stmt:?}")).collect::<Vec<_>>();
    // Two `u32` literals in the place of a `u64` parse as `u64`: their text is the same.
    let differing = types(&read).into_iter().zip(types(&kernel)).filter(|(a, b)| a != b);
    assert!(differing.into_iter().all(|(_, it)| it.contains("u32")));
}

#[test]
fn what_is_no_kernel_is_an_error_with_its_line() {
    let deep = format!("  let a: u32 = {}1{}", "(".repeat(10_000), ")".repeat(10_000));
    let nested: String = (1..200).map(|depth| format!("{:1$}if true\n", "", 2 * depth)).collect();
    let wrong: [(&str, usize, &str); 21] = [
        ("  let a: u32 = b", 2, "`b` is not bound here"),
        ("  let a: u32 = 4294967296 +", 2, "expected a word, not the end of the line"),
        ("  let a: f33 = 1", 2, "unknown type `f33`"),
        ("  let thread: u32 = 1", 2, "`thread` cannot be a name"),
        ("  var wait: u32 = 1", 2, "`wait` cannot be a name"),
        ("  let 2a: u32 = 1", 2, "`2a` cannot be a name"),
        ("  let a: u32 = 1 + 2 + 3", 2, "expected the end of the line, not `+`"),
        ("  let a: u32 = 99999999999999999999", 2, "`99999999999999999999` is not a number in range"),
        ("  let a: u32 = foo(1)", 2, "unknown function `foo`"),
        ("  let a: u32 = 1 ? 2", 2, "unexpected character `?`"),
        (
            "  let a: u32 = bits(f31, 0x0)",
            2,
            "`f31` is unknown; expected one of f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, bool",
        ),
        ("  nonsense", 2, "unknown statement `nonsense`"),
        ("  a = 1", 2, "`a` is not bound here"),
        ("  barrier grid", 2, "unknown barrier `grid`; expected `warp`, `block` or `cluster`"),
        ("  fence strong grid", 2, "`strong` is unknown; expected one of relaxed, acquire, release, acq_rel"),
        ("  store tree[0] = empty", 2, "the kernel has no buffer `tree`"),
        ("  -- remark", 2, "expected a remark, as in `-- part: text`, with a part of a kernel"),
        ("\n   exit", 3, "indent by two spaces per level"),
        ("  exit\n    exit", 3, "the line is indented too far, by 4 spaces"),
        (&deep, 2, "expressions nest at most 64 deep"),
        (&nested, 66, "bodies nest at most 64 deep"),
    ];
    for (text, line, what) in wrong {
        let error = LoweredKernel::parse(&format!("kernel k reads inputs, block 32\n{text}\n")).unwrap_err();
        assert_eq!((error.line, error.what.as_str()), (line, what));
    }
    assert_eq!(LoweredKernel::parse("").unwrap_err().what, "expected one kernel; found 0");
    assert_eq!(
        LoweredKernel::parse("kernel k reads x").unwrap_err().what,
        "`x` is unknown; expected one of inputs, partials"
    );
    let no_cluster = LoweredKernel::parse("kernel k reads inputs, block 32, cluster 0").unwrap_err();
    assert_eq!((no_cluster.line, no_cluster.what.as_str()), (1, "a cluster has at least one block"));
}

/// Any text gives a kernel or an error: every line of a kernel, truncated at every position and shifted.
#[test]
fn broken_text_never_panics() {
    let lines: Vec<_> = EVERYTHING.lines().collect();
    for at in 0..lines.len() {
        for cut in 0..=lines[at].len() {
            let changed = [&lines[at][..cut], &lines[at][cut..]];
            for line in changed {
                let mut text = lines.clone();
                text[at] = line;
                let _ = LoweredKernel::parse_all(&text.join("\n"));
            }
        }
    }
}
