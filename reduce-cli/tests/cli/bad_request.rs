//! Invalid specifications and arguments: errors at their position, and exit status 2. A machine that cannot do it:
//! exit status 1.

use crate::folder::Folder;
use std::time::{Duration, Instant};

#[test]
fn specifications_are_shown_where_they_are_wrong() {
    let folder = Folder::of("bad_specifications")
        .with("two.reduce", "reduction! {\n    op: maxx,\n    ty: f32,\n    passes: [shufle],\n}\n")
        .with("latin1.reduce", b"op: sum, // \xe9\nty: f32");
    insta::assert_snapshot!(folder.show_all(
        2,
        &[
            &["emit", "@two.reduce"],
            &["emit", "op: max"],
            &["emit", "op: max, ty: f32, passes: [coarsen(4), shuffle, shuffle]"],
            &["emit", "op: max, ty: f32, passes: [vectorize(8), in_place]"],
            &["emit", "op: max, ty: f32, passes: [in-place]"],
            &["emit", "op: max, ty: f32, block: 100"],
            &["emit", ""],
            &["emit", "@missing.reduce"],
            &["emit", "@latin1.reduce"],
        ]
    ));
}

#[test]
fn arguments_are_checked() {
    let folder = Folder::of("bad_arguments").with("max.reduce", "op: max, ty: f32");
    insta::assert_snapshot!(folder.show_all(
        2,
        &[
            &["emitt", "op: max, ty: f32"],
            &["emit", "op: max, ty: f32", "--to", "sass"],
            &["emit", "op: max, ty: f32", "--to", "cubin"],
            &["emit", "op: max, ty: f32", "--to", "cubin", "--arch", "hopper"],
            &["emit", "op: max, ty: f32", "--arch", "sm_70"],
            &["emit", "op: max, ty: f32, passes: [cluster(8)]", "--arch", "sm_80"],
            &["emit", "op: max, ty: f32", "--to", "spec", "--after-each-pass"],
            &["emit", "op: max, ty: f32", "--to", "cubin", "--diff"],
            &["run", "op: max"],
            &["run", "op: max", "x.npy", "--raw", "f8"],
            &["run", "op: max", "x.npy", "--device", "gpu"],
            &["run", "op: max", "x.npy", "--device", "cuda:x"],
            &["run", "op: max", "x.npy", "--step", "half"],
            &["run", "op: max", "x.npy", "--len", "-1"],
            &["run", "op: max", "x.npy", "--len", "1099511627777"],
            &["run", "op: max", "x.npy", "--offset", "1,two"],
            &["run", "op: max", "x.npy", "--offset", "-1"],
            &["run", "op: max", "x.npy", "--offset", "18446744073709551616"],
            &["explain", "op: max, ty: f32", "--n", "-1"],
            &["emit", "@"],
            &["emit", "max.reduce"],
        ]
    ));
}

#[test]
fn hostile_specifications_are_refused_at_once() {
    let nested = |depth| format!("op: max, ty: f32, map: |x| {}x{}", "(".repeat(depth), ")".repeat(depth));
    let folder = Folder::of("hostile")
        .with("long.reduce", format!("op: max, ty: f32, {}", "x".repeat(1 << 20)))
        .with("letters.reduce", format!("op: max, ty: f32 // {}", "é".repeat(1 << 19)))
        .with("deep.reduce", nested(100_000))
        .with("minus.reduce", format!("op: max, ty: f32, map: |x| {}x", "-".repeat(60_000)));
    for args in [
        ["emit", "@long.reduce"],
        ["emit", "@letters.reduce"],
        ["emit", "@deep.reduce"],
        ["emit", "@minus.reduce"],
        ["emit", &nested(20_000)],
    ] {
        let start = Instant::now();
        let output = folder.run(&args);
        assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
        assert_eq!(output.status.code(), Some(2));
        assert!((1..1000).contains(&output.stderr.len()), "{} bytes of message", output.stderr.len());
        assert!(!String::from_utf8_lossy(&output.stderr).contains("UTF-8"));
    }
}

#[test]
fn a_gpu_or_compiler_that_is_not_there_is_the_machines_fault() {
    let folder = Folder::of("no_gpu").with("x.npy", crate::npy::array(&[1f32]));
    for args in
        [&["run", "op: max", "x.npy", "--device", "cuda"][..], &["emit", "op: max, ty: f32", "--to", "ptx"]]
    {
        let output = folder.run(args);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.starts_with("error: ") && stderr.lines().count() == 1, "{stderr}");
    }
    let nvrtc = folder.run(&["emit", "op: max, ty: f32", "--to", "ptx"]);
    let stderr = String::from_utf8_lossy(&nvrtc.stderr);
    assert!(stderr.contains("/no/libnvrtc.so") && stderr.contains("REDUCEGEN_NVRTC"), "{stderr}");
}
