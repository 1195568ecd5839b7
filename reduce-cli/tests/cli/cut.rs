//! Tests of `--segments` and `--by`: groups of any length, as text, JSON and NumPy files.

use crate::folder::Folder;
use crate::npy;
use serde_json::{Value, json};

/// Five elements, in segments of 2, 0 and 3, with a key for each; and a matrix of five rows.
fn lists(test: &str) -> Folder {
    Folder::of(test)
        .with("x.npy", npy::array(&[1.0f32, 2.0, 3.0, 4.0, 5.0]))
        .with("offsets.npy", npy::array(&[0u32, 2, 2, 5]))
        .with("descending.npy", npy::array(&[0u32, 3, 2, 5]))
        .with("keys.npy", npy::array(&[7i64, 7, -1, -1, 7]))
        .with("days.npy", npy::array(&[2u8, 0, 2, 2, 9]))
        .with("few.npy", npy::array(&[7i64, 7]))
        .with("matrix.npy", npy::file(&npy::header("<f4", false, "(5, 2)"), &npy::raw(&[1.0f32; 10])))
}

fn json(folder: &Folder, args: &[&str]) -> Value {
    serde_json::from_str(&folder.stdout(&[&["run"], args, &["--json"]].concat())).unwrap()
}

#[test]
fn each_segment_has_a_result() {
    let folder = lists("cut_segments");
    let run = |spec: &str| folder.stdout(&["run", spec, "x.npy", "--segments", "offsets.npy"]);
    assert_eq!(run("op: sum"), "[ 3.0  0.0 12.0]\n");
    assert_eq!(run("op: sum, segments: u32"), "[ 3.0  0.0 12.0]\n");
    assert_eq!(run("op: argmax"), "[   1 none    2]\n");
    assert_eq!(run("op: max, empty: -1.0"), "[ 2.0 -1.0  5.0]\n");
    let found = json(&folder, &["op: argmax", "x.npy", "--segments", "offsets.npy"]);
    assert_eq!((&found["shape"], &found["result"]), (&json!([3]), &json!([1, null, 2])));
    assert_eq!((&found["n"], &found["keys"]), (&json!(5), &Value::Null));
    let features =
        folder.stdout(&["run", "op: sum, axes: e f -> f", "matrix.npy", "--segments", "offsets.npy"]);
    assert_eq!(features, "[[2.0 2.0]\n [0.0 0.0]\n [3.0 3.0]]\n");
    folder.stdout(&["run", "op: sum", "x.npy", "--segments", "offsets.npy", "-o", "sums.npy"]);
    assert_eq!(folder.read("sums.npy"), npy::array(&[3.0f32, 0.0, 12.0]));
}

#[test]
fn each_run_has_a_key_and_a_result() {
    let folder = lists("cut_runs");
    let printed = folder.stdout(&["run", "op: sum", "x.npy", "--by", "keys.npy", "--keys-out", "k.npy"]);
    assert_eq!(printed, "keys [ 7 -1  7]\n[3.0 7.0 5.0]\n");
    assert_eq!(folder.read("k.npy"), npy::array(&[7i64, -1, 7]));
    let found = json(&folder, &["op: mean, by: { day: i64 }, groups: runs", "x.npy", "--by", "keys.npy"]);
    assert_eq!((&found["keys"], &found["result"]), (&json!([7, -1, 7]), &json!([1.5, 3.5, 5.0])));
}

#[test]
fn each_numbered_group_has_a_result() {
    let folder = lists("cut_numbers");
    let spec = "op: sum, by: { day: u8 }, groups: 4, others: drop";
    assert_eq!(folder.stdout(&["run", spec, "x.npy", "--by", "days.npy"]), "[2.0 0.0 8.0 0.0]\n");
    let found = json(&folder, &["op: argmax, by: { day: u8 }, groups: 10", "x.npy", "--by", "days.npy"]);
    let wanted = json!([1, null, 3, null, null, null, null, null, null, 4]);
    assert_eq!((&found["result"], &found["shape"], &found["n"]), (&wanted, &json!([10]), &json!(5)));
    let histogram = "map: |x| 1u64, op: sum, by: |x| (x / 2.0) as u32, groups: 3";
    assert_eq!(folder.stdout(&["run", histogram, "x.npy"]), "[1 2 2]\n");
    folder.stdout(&["run", histogram, "x.npy", "-o", "counts.npy"]);
    assert_eq!(folder.read("counts.npy"), npy::array(&[1u64, 2, 2]));
    let emitted = folder.stdout(&["emit", "op: sum, ty: f32, by: { day: u8 }, groups: 4"]);
    assert!(
        emitted.contains("void reduce_keys(const float* __restrict__ x, const unsigned char*"),
        "{emitted}"
    );
    let order =
        ["emit", "op: sum, ty: f32, by: { day: u8 }, groups: 4", "--to", "association", "--n", "100000"];
    assert!(folder.stdout(&order).contains("1 for each unit of 4 items"), "{}", folder.stdout(&order));
}

#[test]
fn wrong_files_are_refused() {
    let folder = lists("cut_wrong");
    for (args, message) in [
        (&["op: sum", "x.npy", "--segments", "descending.npy"][..], "the offsets descend: offset 2 is 2"),
        (&["op: sum", "x.npy", "--segments", "keys.npy"], "offset 0 is 7, and there are 5 elements"),
        (&["op: sum", "x.npy", "--segments", "x.npy"], "holds f32; offsets are u32, u64, i32 or i64"),
        (&["op: sum", "x.npy", "--segments", "matrix.npy"], "has 2 dimensions; offsets and keys have one"),
        (&["op: sum, segments: u64", "x.npy", "--segments", "offsets.npy"], "the offsets are u32"),
        (&["op: sum, segments: u32", "x.npy"], "give their offsets, as in `--segments offsets.npy`"),
        (&["op: sum", "x.npy", "--by", "few.npy"], "there are 2 keys for 5 elements"),
        (
            &["op: sum, by: { day: u8 }, groups: 4", "x.npy", "--by", "days.npy"],
            "the key of element 4 is not one of the 4 groups",
        ),
        (&["op: sum, by: { day: u8 }, groups: 4", "x.npy"], "give them, as in `--by keys.npy`"),
        (&["op: sum, by: { day: u16 }, groups: 4", "x.npy", "--by", "days.npy"], "these are u8"),
        (&["op: sum, by: |x| x as u8, groups: 9", "x.npy", "--by", "days.npy"], "computes its keys"),
        (&["op: sum, by: { k: i64 }, groups: runs", "x.npy"], "give them, as in `--by keys.npy`"),
        (&["op: sum, axes: a b ->", "matrix.npy", "--segments", "offsets.npy"], "and 2 are"),
    ] {
        let output = folder.run(&[&["run"], args].concat());
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(message), "{args:?}: {error}");
    }
}

#[test]
fn segments_have_kernels() {
    let folder = lists("cut_emit");
    let cuda = folder.stdout(&["emit", "op: sum, ty: f32, segments: u32"]);
    let kernels = ["find_tiles(", "reduce_segments(", "combine_partials("];
    assert!(kernels.iter().all(|kernel| cuda.contains(kernel)), "{cuda}");
    let ir = folder.stdout(&["emit", "--to", "ir", "op: sum, ty: f32, segments: i64"]);
    assert!(ir.starts_with("segments u64, tiles of 4096 elements and segments\n"), "{ir}");
    let columns = folder.stdout(&["emit", "op: sum, ty: f32, axes: e f -> f, segments: u32"]);
    assert!(columns.contains("const float* __restrict__ x, unsigned long long x_step, "), "{columns}");
    let runs = folder.stdout(&["emit", "op: sum, ty: f32, by: { key: f32 }, groups: runs"]);
    let kernels = ["mark_heads(", "count_heads(", "write_heads("].iter().chain(&kernels);
    assert!(kernels.clone().all(|kernel| runs.contains(kernel)), "{runs}");
    let wide =
        folder.stdout(&["emit", "--n", "10000000000", "op: sum, ty: f32, by: { key: u8 }, groups: runs"]);
    assert!(wide.contains("unsigned long long* offsets"), "{wide}");
    for (args, message) in [
        (&["emit", "--diff", "op: sum, ty: f32, segments: u32"][..], "`--diff` and `--shape` out"),
        (&["emit", "op: sum, ty: f32, segments: u32, passes: [shuffle]"], "`passes: auto` only"),
        (
            &["emit", "op: sum, ty: f32, axes: e g f -> g f, segments: u32"],
            "for one kept axis beside `segments` at most",
        ),
        (
            &["explain", "op: sum, ty: f32, by: { key: u32 }, groups: runs"],
            "for one kept axis beside `segments` at most",
        ),
    ] {
        let output = folder.run(args);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(message), "{args:?}: {error}");
    }
}
