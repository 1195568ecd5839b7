//! Params on the command line, and results that are structs.

use crate::folder::Folder;
use crate::npy;

const LINE: &str = "params: { slope: f32, shift: i32 }, map: |x| slope * x + shift as f32, op: sum";
const RANGE: &str = "acc: Range { lo: f32, hi: f32 }, map: |x| Range { lo: x, hi: x }, \
                     op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) }, identity: none";

fn folder(test: &str) -> Folder {
    Folder::of(test).with("x.npy", npy::array(&[1f32, 2.0, 4.0]))
}

#[test]
fn params_are_given_by_name() {
    let folder = folder("params");
    let run = |params: &[&str]| folder.stdout(&[&["run", LINE, "x.npy"], params].concat());
    assert_eq!(run(&["--param", "slope=2", "--param", "shift=3"]), "23.0\n");
    assert_eq!(run(&["--param", "shift=-3", "--param", "slope=1.5"]), "1.5\n");
    assert_eq!(run(&["--param=slope=-inf", "--param=shift=0"]), "-inf\n");
}

/// An operator's param without a declaration has its default, and a value for it is refused.
#[test]
fn the_param_of_an_operator_is_declared() {
    let folder = folder("declared");
    let run = |spec| folder.stdout(&["run", spec, "x.npy", "--param", "ddof=1"]);
    assert_eq!(run("params: { ddof: u64 }, op: var"), "2.3333333\n");
    assert_eq!(folder.stdout(&["run", "params: { ddof: u64 = 1 }, op: var", "x.npy"]), "2.3333333\n");
}

#[test]
fn params_that_do_not_fit_are_named() {
    let run =
        |params: &[&'static str]| ["run", LINE, "x.npy"].into_iter().chain(params.iter().copied()).collect();
    let lines: Vec<Vec<&str>> = vec![
        run(&[]),
        run(&["--param", "slope=2"]),
        run(&["--param", "slop=2", "--param", "shift=3"]),
        run(&["--param", "factor=2", "--param", "shift=3"]),
        run(&["--param", "slope=2", "--param", "slope=3", "--param", "shift=3"]),
        run(&["--param", "slope=two", "--param", "shift=3"]),
        run(&["--param", "slope=1e400", "--param", "shift=3"]),
        run(&["--param", "slope=2", "--param", "shift=0.5"]),
        run(&["--param", "slope=2", "--param", "shift=2147483648"]),
        run(&["--param", "slope"]),
        vec!["run", "op: sum", "x.npy", "--param", "k=3"],
        vec!["run", "op: var", "x.npy", "--param", "ddof=1"],
        vec![
            "run",
            "params: { k: f32 }, map: |x| k * x, op: std",
            "x.npy",
            "--param",
            "k=2",
            "--param",
            "ddof=1",
        ],
    ];
    let lines: Vec<_> = lines.iter().map(Vec::as_slice).collect();
    insta::assert_snapshot!(folder("wrong_params").show_all(2, &lines));
}

#[test]
fn a_kernel_takes_its_params() {
    let (folder, spec) = (folder("emitted_params"), format!("ty: f32, {LINE}"));
    let cuda = folder.stdout(&["emit", &spec]);
    assert!(cuda.contains("float slope") && cuda.contains("int shift"), "{cuda}");
    folder.stdout(&["explain", &spec, "--n", "4096", "--device", "host"]);
}

#[test]
fn a_struct_is_shown_by_its_fields() {
    let folder = folder("structs");
    assert_eq!(folder.result(RANGE, &["x.npy"]), "Range { lo: 1.0, hi: 4.0 }");
    assert_eq!(folder.result("op: findmax", &["x.npy"]), "Best { value: 4.0, index: 2 }");
    assert_eq!(folder.result("op: argminmax", &["x.npy"]), "ArgMinMax { argmin: 0, argmax: 2 }");
    let json = folder.stdout(&["run", RANGE, "x.npy", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["result"], serde_json::json!({ "lo": 1.0, "hi": 4.0 }));
    assert_eq!(json["bits"], serde_json::json!({ "lo": "3f800000", "hi": "40800000" }));
}
