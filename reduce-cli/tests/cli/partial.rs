//! `reducegen partial` and `merge`: the output of `run` on the whole, from files that are reduced in parts.

use super::folder::Folder;

/// Returns a NumPy file of these elements.
fn npy(descr: &str, shape: &str, elements: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let length = (header.len() as u16).to_le_bytes();
    [&b"\x93NUMPY\x01\x00"[..], &length, header.as_bytes(), elements].concat()
}

fn floats(n: usize) -> Vec<u8> {
    (0..n).flat_map(|at| (1.0f32 / (1.0 + at as f32)).to_le_bytes()).collect()
}

fn folder(test: &str) -> Folder {
    Folder::of(test)
        .with("x.npy", npy("<f4", "(100000,)", &floats(100_000)))
        .with("m.npy", npy("<f4", "(1000, 100)", &floats(100_000)))
        .with("f.bin", floats(3000))
}

/// Reduces files in parts. Returns the names of the files of partials, the last part first.
fn in_parts(folder: &Folder, args: &[&str], count: usize) -> Vec<String> {
    let part = |part: usize| {
        let name = format!("{part}.part");
        let which = format!("{part}/{count}");
        folder.stdout(&[&["partial"], args, &["--part", &which, "-o", &name]].concat());
        name
    };
    (1..=count).rev().map(part).collect()
}

#[test]
fn merged_parts_print_what_a_run_prints() {
    let folder = folder("partial");
    for args in [
        &["op: sum", "x.npy"][..],
        &["op: argmax, nan: ignore", "x.npy"],
        &["op: dot", "x.npy", "x.npy"],
        &[
            "params: { k: f32 }, map: |x| k * x, op: sum, block: 32, passes: [shuffle]",
            "x.npy",
            "--param",
            "k=0.5",
        ],
        &["op: sum, layout: strided", "x.npy", "--offset", "99999", "--step", "-3", "--len", "30000"],
        &["op: describe", "m.npy"],
        &["op: mean, axes: i j -> j, block: 32, passes: [shuffle]", "m.npy"],
        &["op: sum, axes: i j -> i, block: 32, passes: [shuffle]", "m.npy"],
        &["op: max", "m.npy", "--axis", "0", "--keepdims"],
        &["op: sum, axes: i j k -> j, passes: [shuffle]", "f.bin", "--raw", "f32", "--shape", "30x10x10"],
    ] {
        let wanted = folder.stdout(&[&["run"], args, &["--device", "host"]].concat());
        for count in [1, 3, 9] {
            let parts = in_parts(&folder, args, count);
            let names: Vec<_> = parts.iter().map(String::as_str).collect();
            assert_eq!(
                folder.stdout(&[&["merge"], &names[..]].concat()),
                wanted,
                "{args:?} in {count} parts"
            );
        }
    }
}

#[test]
fn json_and_arrays_are_those_of_a_run() {
    let folder = folder("partial_json");
    let args = ["op: mean, axes: i j -> j, block: 32, passes: [shuffle]", "m.npy"];
    let parts = in_parts(&folder, &args, 2);
    let merge = ["merge", &parts[0], &parts[1]];
    folder.stdout(&[&merge[..], &["-o", "merged.npy"]].concat());
    folder.stdout(&[&["run"], &args[..], &["--device", "host", "-o", "run.npy"]].concat());
    assert_eq!(folder.read("merged.npy"), folder.read("run.npy"));

    let keys = ["shape", "result", "bits", "n", "ty", "device", "passes"];
    let json = |args: &[&str]| -> Vec<serde_json::Value> {
        let line: serde_json::Value = serde_json::from_str(&folder.stdout(args)).unwrap();
        keys.iter().map(|key| line[key].clone()).collect()
    };
    let run = json(&[&["run"], &args[..], &["--device", "host", "--json"]].concat());
    assert_eq!(json(&[&merge[..], &["--json"]].concat()), run);
}

#[test]
fn wrong_parts_are_the_users_mistake() {
    let folder = folder("partial_wrong");
    in_parts(&folder, &["op: sum", "x.npy"], 3);
    let bytes = folder.read("2.part");
    let mut damaged = bytes.clone();
    damaged[60] ^= 4;
    let folder = folder.with("short.part", &bytes[..100]).with("damaged.part", damaged);
    folder.stdout(&["partial", "op: max", "x.npy", "--part", "2/3", "-o", "other.part"]);
    let partial = |spec, part| vec!["partial", spec, "x.npy", "--part", part, "-o", "out.part"];
    let runs = [
        vec!["merge", "1.part", "3.part"],
        vec!["merge", "1.part", "2.part", "2.part", "3.part"],
        vec!["merge", "1.part", "other.part", "3.part"],
        vec!["merge", "short.part"],
        vec!["merge", "damaged.part"],
        vec!["merge", "x.npy"],
        vec!["merge", "none.part"],
        vec!["merge", "1.part", "2.part", "3.part", "--limit", "200"],
        partial("op: sum", "0/3"),
        partial("op: sum", "4/3"),
        partial("op: sum, passes: [serial]", "1/3"),
        partial("op: sum, segments: u32", "1/3"),
        vec![
            "partial", "op: sum", "x.npy", "--axis", "0", "--part", "1/3", "-o", "out.part", "--device",
            "cuda",
        ],
    ];
    let runs: Vec<_> = runs.iter().map(Vec::as_slice).collect();
    insta::assert_snapshot!(folder.show_all(2, &runs));
    assert!(!folder.path("out.part").exists());
}

#[test]
fn help_has_examples() {
    let folder = Folder::of("partial_help");
    insta::assert_snapshot!(folder.show_all(0, &[&["partial", "-h"], &["merge", "--help"]]));
}
