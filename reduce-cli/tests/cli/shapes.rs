//! Tests of `--shape`: the programs that `emit` prints and `explain` counts, and shapes that do not fit.

use crate::axes::cubes;
use crate::folder::Folder;
use serde_json::{Value, json};

#[test]
fn shapes_choose_the_program() {
    let folder = Folder::of("axes_emit");
    let spec = "op: sum, ty: f32, axes: i j -> i";
    let emit = |args: &[&str]| folder.stdout(&[&["emit", spec], args].concat());
    let short = emit(&["--shape", "i=4096,j=4", "--to", "ir"]);
    assert!(short.contains("team thread") && short.contains("up to     4 elements"), "{short}");
    assert_eq!(short, emit(&["--shape", "4096x4", "--to", "ir"]));
    let long = emit(&["--to", "ir"]);
    assert!(long.contains("team grid") && !long.contains("up to"), "{long}");
    let columns = "op: sum, ty: f32, axes: i j -> j";
    let columns = folder.stdout(&["emit", columns, "--shape", "64x1000", "--to", "ir"]);
    assert!(columns.contains("layout    strided beside") && columns.contains("up to     64"), "{columns}");
    // Groups of one element lie one after the other.
    let columns = "op: sum, ty: f32, axes: i j -> j";
    let one = folder.stdout(&["emit", columns, "--shape", "1x1000", "--to", "ir"]);
    assert!(one.contains("groups    rows") && !one.contains("layout"), "{one}");
    let association = emit(&["--shape", "8x3", "--to", "association"]);
    assert_eq!(association, folder.stdout(&["emit", "op: sum, ty: f32", "--n", "3", "--to", "association"]));
}

#[test]
fn kernels_of_groups_are_counted() {
    let folder = Folder::of("axes_explain");
    insta::assert_snapshot!(folder.show_all(
        0,
        &[
            &["explain", "op: sum, ty: f32, axes: i j -> i", "--shape", "64x256", "--device", "host"],
            &["explain", "op: argmax, ty: f32, axes: i j -> j", "--shape", "i=64,j=256", "--device", "host"],
        ]
    ));
    // Every element is read once, 128 bytes at a time.
    let spec = "op: sum, ty: f32, axes: i j -> i, block: 32, passes: [shuffle, vectorize(4)]";
    let lines = folder.stdout(&["explain", spec, "--shape", "10x128", "--json", "--device", "host"]);
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    let loads = &last["kernel"]["global_loads"];
    assert_eq!((&loads["bytes"], &loads["requests"]), (&json!(10 * 128 * 4), &json!(10 * 4)));
    assert_eq!((&last["n"], &last["counts_n"], &last["time"]), (&json!(1280), &json!(1280), &Value::Null));
    assert_eq!(last["read_us"].as_f64().unwrap(), 5120.0 / 4600e3);
}

/// `w` is repeated, and some groups have no result.
#[test]
fn groups_of_several_inputs_are_counted() {
    let folder = Folder::of("axes_explain_inputs");
    for spec in [
        "op: dot, inputs: { x: f32, w: f32 }, axes: { x: b i j, w: j } -> i",
        "op: argmax, ty: f16, nan: ignore, axes: b i j -> j b",
        "op: var, ty: f64, axes: b i j -> i",
        "op: sum, ty: i8, order: any, axes: b i j ->, passes: [shuffle, atomic]",
    ] {
        folder.stdout(&["explain", spec, "--shape", "b=5,i=3,j=40", "--device", "host"]);
    }
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let folder = cubes("shapes_refused").with("x.bin", [0; 24]);
    let rows = "op: sum, axes: i j -> i";
    let cube = "op: sum, axes: i j k -> i";
    insta::assert_snapshot!(folder.show_all(
        2,
        &[
            &["run", cube, "c.npy", "--shape", "2x3x4"],
            &["run", "op: sum", "c.npy", "--shape", "2x3x4"],
            &["run", rows, "x.bin", "--raw", "f32"],
            &["run", rows, "x.bin", "--raw", "f32", "--shape", "2x4"],
            &["run", rows, "x.bin", "--raw", "f32", "--shape", "6"],
            &["run", rows, "x.bin", "--raw", "f32", "--shape", "i=2"],
            &["run", rows, "x.bin", "--raw", "f32", "--shape", "i=2,i=3"],
            &["run", rows, "x.bin", "--raw", "f32", "--shape", "row=2,j=3"],
            &["run", "op: sum, axes: row j -> j", "x.bin", "--raw", "f32", "--shape", "rows=2,j=3"],
            &["run", "op: sum, axes: .. j -> j", "x.bin", "--raw", "f32", "--shape", "j=3"],
            &["run", "op: sum", "x.bin", "--raw", "f32", "--axis", "0"],
            &["run", "op: sum", "x.bin", "--raw", "f32", "--axis", "0", "--shape", "a0=6"],
            &["run", rows, "x.bin", "--raw", "f32", "--shape", "2x-3"],
            &["run", rows, "x.bin", "--raw", "f32", "--shape", "2,3"],
            &["run", rows, "x.bin", "--raw", "f32", "--shape", "1099511627777"],
            &["emit", "op: sum, ty: f32", "--shape", "2x3"],
            &["emit", "op: sum, ty: f32, axes: i j -> i", "--shape", "2x3", "--to", "spec"],
            &["emit", "op: sum, ty: f32, axes: i j -> i", "--shape", "2x3", "--n", "3"],
            &["emit", "op: sum, ty: f32, axes: i j -> i", "--shape", "1099511627776x1099511627776"],
            &["explain", "op: sum, ty: f32, axes: i j -> i"],
            &["explain", "op: sum, ty: f32, axes: i j -> i", "--shape", "2048x1024"],
            &["explain", "op: sum, ty: f32, axes: i j -> i", "--shape", "2x0"],
            &["ladder", "--shape", "2x3"],
        ]
    ));
}

/// Exact operations take the elements of a Fortran matrix in the order of memory. For others, `explain` names this order.
#[test]
fn elements_across_memory_are_named() {
    let folder = Folder::of("axes_fortran");
    let explain = |spec: &str, more: &[&str]| {
        let args = [&["explain", spec, "--shape", "16x4x64", "--device", "host"], more].concat();
        folder.stdout(&args)
    };
    let advice = "across memory; name the reduced axes in the order k i, of a transposed input";
    let sums = explain("op: sum, ty: f32, axes: i j k -> j", &["--fortran"]);
    assert!(sums.contains(advice), "{sums}");
    for other in [
        explain("op: sum, ty: f32, axes: i j k -> j", &[]),
        explain("op: sum, ty: i32, axes: i j k -> j", &["--fortran"]),
        explain("op: sum, ty: f32, axes: i j k -> i k", &["--fortran"]),
    ] {
        assert!(!other.contains("across memory"), "{other}");
    }
    let columns = "op: sum, ty: f32, axes: i j -> j";
    let fortran = folder.stdout(&["emit", columns, "--shape", "64x1000", "--fortran", "--to", "ir"]);
    assert!(fortran.contains("groups    rows"), "{fortran}");
}
