//! Tests of axes: shapes of files, `--axis`, `--shape`, and results as text, JSON and NumPy files.

use crate::folder::Folder;
use crate::npy::{self, Number};
use serde_json::{Value, json};

/// The lengths of the arrays of most tests.
const SHAPE: [usize; 3] = [2, 3, 4];

/// Returns the file of an array with lengths [`SHAPE`] in C or Fortran order, given its element at each index in C order.
fn cube<T: Number>(fortran: bool, element: impl Fn(usize) -> T) -> Vec<u8> {
    let [a, b, c] = SHAPE;
    let place = |at: usize| (at % a * b + at / a % b) * c + at / (a * b);
    let elements: Vec<_> = (0..a * b * c).map(|at| element(if fortran { place(at) } else { at })).collect();
    npy::file(&npy::header(T::DESCR, fortran, "(2, 3, 4)"), &npy::raw(&elements))
}

/// Returns a folder with the same array in both orders, as numbers with many digits and as small integers.
pub(crate) fn cubes(test: &str) -> Folder {
    let digits = |at: usize| ((at * 7919 % 104_729) as f32).sqrt();
    let number = |at: usize| at as i32;
    Folder::of(test)
        .with("c.npy", cube(false, number))
        .with("f.npy", cube(true, number))
        .with("c32.npy", cube(false, digits))
        .with("f32.npy", cube(true, digits))
        .with("w.npy", npy::array(&[1, 10, 100, 1000]))
        .with("nan.npy", npy::file(&npy::header("<f4", false, "(3, 2)"), &npy::raw(&nans())))
}

/// Returns three rows. The second has no number.
fn nans() -> [f32; 6] {
    [1.0, 2.0, f32::NAN, f32::NAN, 5.0, f32::NAN]
}

/// Returns the line of JSON of a run on the host.
fn json(folder: &Folder, spec: &str, args: &[&str]) -> Value {
    let args = [&["run", spec, "--device", "host", "--json"], args].concat();
    serde_json::from_str(&folder.stdout(&args)).unwrap()
}

/// Returns the sums over the axes that are not kept, by loops over the array.
fn sums(kept: [bool; 3]) -> Vec<i64> {
    let [a, b, c] = SHAPE;
    let length = |axis: usize| if kept[axis] { SHAPE[axis] } else { 1 };
    let mut sums = vec![0; (0..3).map(length).product()];
    for at in 0..a * b * c {
        let index = [at / (b * c), at / c % b, at % c];
        let place = |to, axis| to * length(axis) + if kept[axis] { index[axis] } else { 0 };
        sums[(0..3).fold(0, place)] += at as i64;
    }
    sums
}

#[test]
fn every_axis_is_kept_or_reduced_in_both_orders() {
    let folder = cubes("axes_kept");
    for mask in 0..8u32 {
        let kept = [mask & 1 > 0, mask & 2 > 0, mask & 4 > 0];
        let names: Vec<_> = ["i", "j", "k"].into_iter().zip(kept).filter(|it| it.1).map(|it| it.0).collect();
        let spec = format!("op: sum, axes: i j k -> {}", names.join(" "));
        for file in ["c.npy", "f.npy"] {
            assert_eq!(json(&folder, &spec, &[file])["result"], json!(sums(kept)), "{spec} of {file}");
        }
        let spec = spec.replace("sum", "var");
        let bits = |file| json(&folder, &spec, &[file])["bits"].clone();
        assert_eq!(bits("c32.npy"), bits("f32.npy"), "{spec}");
    }
}

#[test]
fn axes_are_numbers_as_in_numpy() {
    let folder = cubes("axes_numbers");
    for (axis, keepdims, axes) in [
        ("0", false, "a b c -> b c"),
        ("-1", false, "a b c -> a b"),
        ("-1,0", false, "a b c -> b"),
        ("0,2", true, "a b c -> 1 b 1"),
        ("2,1,0", false, "a b c ->"),
        ("0,1,2", true, "a b c -> 1 1 1"),
    ] {
        let numbers = [&["f.npy", "--axis", axis], &["--keepdims"][..usize::from(keepdims)]].concat();
        let [numbers, names] = [
            json(&folder, "op: mean", &numbers),
            json(&folder, &format!("op: mean, axes: {axes}"), &["f.npy"]),
        ];
        for key in ["shape", "bits", "n"] {
            assert_eq!(numbers[key], names[key], "{key} of {axis} and {axes}");
        }
    }
}

#[test]
fn results_are_printed() {
    let folder = cubes("axes_printed").with("many.npy", {
        let numbers: Vec<i32> = (0..2400).collect();
        npy::file(&npy::header("<i4", true, "(40, 30, 2)"), &npy::raw(&numbers))
    });
    insta::assert_snapshot!(folder.show_all(
        0,
        &[
            &["run", "op: sum, axes: i j k -> i k", "c.npy", "--device", "host"],
            &["run", "op: sum, axes: i j k -> k 1 i", "c.npy", "--device", "host"],
            &["run", "op: sum, axes: i j k ->", "c.npy", "--device", "host"],
            &["run", "op: sum, segments: 2", "w.npy", "--device", "host"],
            &["run", "op: sum, axes: .. (s 2) -> .. s", "c.npy", "--device", "host"],
            &["run", "op: dot, axes: { x: i j k, y: k } -> i j", "f.npy", "w.npy", "--device", "host"],
            &["run", "op: minmax", "c.npy", "--axis", "1,2", "--device", "host"],
            &["run", "op: minmax", "c.npy", "--axis", "0,1,2", "--device", "host"],
            &["run", "op: argmax, nan: ignore", "nan.npy", "--axis", "1", "--device", "host"],
            &["run", "op: sum", "many.npy", "--axis", "2", "--device", "host"],
            &["run", "op: minmax", "many.npy", "--axis", "2", "--device", "host"],
        ]
    ));
}

/// Returns a file as NumPy writes it; `descr` is a Python literal.
fn written(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let blank = "?".repeat(descr.len() - 2);
    npy::file(&npy::header(&blank, false, shape).replace(&format!("'{blank}'"), descr), data)
}

#[test]
fn results_are_written() {
    let folder = cubes("axes_written").with("bytes", npy::raw(&[3u8, 1, 2, 0, 0, 60, 0, 68]));
    let write = |spec: &str, args: &[&str]| {
        let args = [&["run", spec, "--device", "host", "-o", "out.npy"], args].concat();
        assert_eq!(folder.stdout(&args), "", "{spec}");
        folder.read("out.npy")
    };
    let sums = npy::raw(&[66i32, 210]);
    assert_eq!(write("op: sum", &["f.npy", "--axis", "1,2"]), written("'<i4'", "(2,)", &sums));
    let keepdims = ["f.npy", "--axis", "1,2", "--keepdims"];
    assert_eq!(write("op: sum", &keepdims), written("'<i4'", "(2, 1, 1)", &sums));
    assert_eq!(write("op: sum", &["f.npy"]), written("'<i4'", "()", &npy::raw(&[276i32])));
    let any = "map: |x| x > 20, op: any";
    assert_eq!(write(any, &["f.npy", "--axis", "1,2"]), written("'|b1'", "(2,)", &[0, 1]));
    let raw = |ty, shape| ["--axis", "1", "bytes", "--raw", ty, "--shape", shape];
    assert_eq!(write("op: max", &raw("u8", "2x4")), written("'|u1'", "(2,)", &[3, 68]));
    assert_eq!(write("op: max", &raw("f16", "2x2")), written("'<f2'", "(2,)", &[3, 1, 0, 68]));
    assert_eq!(write("op: max", &["c.npy", "--axis", "1"]).len(), 128 + 8 * 4);
    let pairs = npy::raw(&[0i32, 11, 12, 23]);
    let descr = "[('min', '<i4'), ('max', '<i4')]";
    assert_eq!(write("op: minmax", &["c.npy", "--axis", "1,2"]), written(descr, "(2,)", &pairs));
    // Fields are not padded.
    let best = "acc: Best { is: bool, at: u64 }, index: i, map: |x| Best { is: x > 20, at: i }, \
                op: |a, b| if a.is { a } else { b }, identity: none, passes: [shuffle]";
    let found = write(best, &["c.npy", "--axis", "1,2"]);
    assert_eq!(
        found[found.len() - 18..],
        [[0, 11, 0, 0, 0, 0, 0, 0, 0], [1, 9, 0, 0, 0, 0, 0, 0, 0]].concat()
    );
}

/// A file that is written is read again, with its shape.
#[test]
fn results_are_data() {
    let folder = cubes("axes_data");
    folder.stdout(&["run", "op: sum", "f32.npy", "--axis", "2", "-o", "rows.npy", "--device", "host"]);
    let [twice, once] = [
        json(&folder, "op: sum", &["rows.npy", "--axis", "1"]),
        json(&folder, "op: sum, axes: i j k -> i j", &["f32.npy"]),
    ];
    assert_eq!(twice["shape"], json!([2]));
    assert_eq!(json(&folder, "op: sum, axes: .. i -> .. i", &["rows.npy"])["bits"], once["bits"]);
}

#[test]
fn results_that_cannot_be_written_leave_the_file() {
    let folder = cubes("axes_kept_file").with("out.npy", "former").with("bytes", [0; 8]);
    let shown = [
        folder.show_all(
            2,
            &[
                &["run", "op: argmax, nan: ignore", "nan.npy", "--axis", "1", "-o", "out.npy"],
                &["run", "op: argmax, nan: ignore", "nan.npy", "--axis", "1", "-o", "out.npy", "--json"],
                &["run", "op: argmax", "nan.npy", "--axis", "1", "-o", "out.npy", "--trace"],
                &["run", "op: max", "bytes", "--raw", "bf16", "-o", "out.npy"],
                &[
                    "run",
                    "op: minmax",
                    "bytes",
                    "--raw",
                    "bf16",
                    "--axis",
                    "0",
                    "--shape",
                    "4",
                    "-o",
                    "out.npy",
                ],
            ],
        ),
        folder.show_all(1, &[&["run", "op: max", "c.npy", "-o", "no/folder/out.npy", "--device", "host"]]),
    ];
    assert_eq!(folder.read("out.npy"), b"former");
    insta::assert_snapshot!(shown.concat());
}

#[test]
fn json_has_flat_arrays() {
    let folder = cubes("axes_json");
    let found = json(&folder, "op: sum", &["nan.npy", "--axis", "1", "--keepdims"]);
    assert_eq!(found["shape"], json!([3, 1]));
    assert_eq!(found["result"], json!([3.0, "NaN", "NaN"]));
    assert_eq!(found["bits"], json!(["40400000", "7fc00000", "7fc00000"]));
    assert_eq!((&found["n"], &found["ty"]), (&json!(6), &json!("f32")));
    let found = json(&folder, "op: argmax, nan: ignore", &["nan.npy", "--axis", "1"]);
    assert_eq!(found["result"], json!([1, null, 0]));
    assert_eq!(found["bits"], json!(["0000000000000001", null, "0000000000000000"]));
    let found = json(&folder, "op: argmax, nan: ignore, empty: 9", &["nan.npy", "--axis", "1"]);
    assert_eq!(found["result"], json!([1, 9, 0]));
    let found = json(&folder, "op: minmax", &["c.npy", "--axis", "2,1"]);
    assert_eq!(found["result"], json!({"min": [0, 12], "max": [11, 23]}));
    assert_eq!(found["bits"]["max"], json!(["0000000b", "00000017"]));
    let keys: Vec<_> = found.as_object().unwrap().keys().map(String::as_str).collect();
    let others =
        ["bits", "device", "gb_per_s", "kernel_us", "n", "passes", "result", "shape", "total_us", "ty"];
    assert_eq!(keys, others);
    // One result has the form without axes.
    assert_eq!(json(&folder, "op: sum", &["c.npy"]).get("shape"), None);
    let one = json(&folder, "op: sum, axes: i j k ->", &["c.npy"]);
    assert_eq!((&one["shape"], &one["result"]), (&json!([]), &json!([276])));
}

/// The speed counts the bytes of every input once.
#[test]
fn repeated_inputs_are_read_once() {
    let folder = cubes("axes_speed");
    let found = json(&folder, "op: dot, axes: { x: i j k, y: k } -> i j", &["c.npy", "w.npy"]);
    let number = |key: &str| found[key].as_f64().unwrap();
    let speed = f64::from(4 * (24 + 4)) / (number("kernel_us") * 1000.0);
    assert!((number("gb_per_s") - speed).abs() <= 1e-6 * speed, "{found}");
    assert_eq!(number("n"), 24.0);
}

#[test]
fn raw_data_have_the_shape_that_is_given() {
    let folder = Folder::of("axes_raw").with("x.bin", npy::raw(&(0..24).collect::<Vec<i32>>()));
    let folder = folder.with("w.bin", npy::raw(&[1i32, 10, 100, 1000]));
    let result = |spec: &str, args: &[&str]| {
        json(&folder, spec, &[&["--raw", "i32"], args].concat())["result"].clone()
    };
    let rows = json!([6, 22, 38, 54, 70, 86]);
    assert_eq!(result("op: sum, axes: i j -> i", &["x.bin", "--shape", "6x4"]), rows);
    assert_eq!(result("op: sum, axes: i j -> i", &["x.bin", "--shape", "j=4,i=6"]), rows);
    assert_eq!(result("op: sum", &["x.bin", "--axis", "-1", "--shape", "6x4"]), rows);
    assert_eq!(result("op: sum, axes: .. j -> ..", &["x.bin", "--shape", "2x3x4"]), rows);
    assert_eq!(result("op: sum, segments: 4", &["x.bin", "--shape", "s=6"]), rows);
    assert_eq!(result("op: sum, axes: i 4 -> i", &["x.bin", "--shape", "i=6"]), rows);
    let dot = "op: dot, axes: { x: i j, y: j } -> i";
    let shape = ["x.bin", "w.bin", "--shape", "i=6,j=4"];
    assert_eq!(result(dot, &shape), json!([3210, 7654, 12098, 16542, 20986, 25430]));
}

#[test]
fn groups_of_no_elements_have_the_identity() {
    let most = "op: |a, b| if a > b { a } else { b }, identity: none";
    let folder = Folder::of("axes_empty").with("x.npy", npy::file(&npy::header("<f4", false, "(2, 0)"), &[]));
    let folder = folder.with("huge.npy", npy::file(&npy::header("<f4", false, "(1099511627776, 0)"), &[]));
    insta::assert_snapshot!(
        [
            folder.show_all(
                0,
                &[
                    &["run", "op: sum", "x.npy", "--axis", "1", "--device", "host"],
                    &["run", "op: sum", "x.npy", "--axis", "0", "--device", "host"],
                    &["run", most, "x.npy", "--axis", "1", "--device", "host"],
                ]
            ),
            folder.show_all(
                2,
                &[
                    &["run", "op: sum", "huge.npy", "--axis", "1"],
                    &["run", most, "x.npy", "--axis", "1", "-o", "out.npy", "--device", "host"],
                    &["run", "op: sum", "x.npy", "--axis", "1", "--trace"],
                ]
            ),
        ]
        .concat()
    );
}

#[test]
fn axes_that_do_not_fit_are_refused() {
    let folder = cubes("axes_refused");
    let wide = npy::file(&npy::header("|u1", false, "(65537, 1)"), &[1; 65_537]);
    let folder = folder.with("wide.npy", wide);
    let cube = "op: sum, axes: i j k -> i";
    insta::assert_snapshot!(folder.show_all(
        2,
        &[
            &["run", "op: sum", "c.npy", "--axis", "3"],
            &["run", "op: sum", "c.npy", "--axis", "0,-4"],
            &["run", "op: sum", "c.npy", "--axis", "1,-2"],
            &["run", "op: sum", "w.npy", "--axis", "1"],
            &["run", "op: sum", "c.npy", "--axis", "first"],
            &["run", "op: sum", "c.npy", "--keepdims"],
            &["run", cube, "c.npy", "--axis", "1"],
            &["run", "op: sum, segments: 2", "w.npy", "--axis", "0"],
            &["run", "op: sum, layout: strided", "c.npy", "--axis", "1"],
            &["run", "op: dot", "c.npy", "w.npy", "--axis", "1"],
            &["run", cube, "c.npy", "--len", "3"],
            &["run", cube, "c.npy", "--offset", "1"],
            &["run", cube, "c.npy", "--step", "2"],
            &["run", "op: sum, axes: i j -> i", "c.npy"],
            &["run", "op: sum, segments: 3", "w.npy"],
            &["run", "op: dot, axes: { x: i j k, y: j } -> i", "c.npy", "w.npy"],
            &["run", "op: sum", "wide.npy", "--axis", "1", "--json"],
            &["run", "op: sum", "wide.npy", "--axis", "1", "--limit", "32K"],
        ]
    ));
}

#[test]
fn traces_show_every_group() {
    let folder = cubes("axes_trace");
    insta::assert_snapshot!(folder.show_all(
        0,
        &[
            &["run", "op: sum, axes: i j k -> j", "f.npy", "--trace"],
            &["run", "op: sum, block: 32, passes: [shuffle]", "c.npy", "--axis", "0,1", "--trace"],
            &["run", "op: dot, axes: { x: i j k, y: k } -> i", "f.npy", "w.npy", "--trace"],
            &["run", "index: at, map: |x| x * at as i32, op: sum", "f.npy", "--axis", "1", "--trace"],
            &["run", "op: argmax, nan: ignore", "nan.npy", "--axis", "1", "--trace"],
            &["run", "op: minmax, axes: i j ->", "nan.npy", "--trace"],
        ]
    ));
}
