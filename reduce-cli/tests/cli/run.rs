//! Results of `run` on real and generated data.

use crate::folder::Folder;
use crate::npy;
use reduce_ir::f16;
use serde_json::Value;

const SUNSPOTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/sunspots.npy");

#[test]
fn the_strongest_year_of_three_centuries() {
    let folder = Folder::of("sunspots");
    assert_eq!(folder.result("op: max", &[SUNSPOTS]), "190.2");
    assert_eq!(folder.result("op: argmax", &[SUNSPOTS]), "257", "the year 1957");
    assert_eq!(folder.result("op: min", &[SUNSPOTS]), "0.0");
    assert_eq!(folder.result("op: argmin", &[SUNSPOTS]), "11", "the year 1711, the first of three");
}

#[test]
fn every_operator_is_exact_on_integers() {
    let x = [3, -1, 4, 1, -5, 9, 2, 6];
    let folder = Folder::of("operators").with("x.npy", npy::array(&x)).with("y.npy", npy::array(&[2; 8]));
    for (op, result) in [
        ("sum", "19"),
        ("prod", "6480"),
        ("min", "-5"),
        ("max", "9"),
        ("argmin", "4"),
        ("argmax", "5"),
        ("and", "0"),
        ("or", "-1"),
        ("xor", "15"),
        ("any", "true"),
        ("all", "true"),
    ] {
        assert_eq!(folder.result(&format!("op: {op}"), &["x.npy"]), result, "{op}");
    }
    assert_eq!(folder.result("op: dot", &["x.npy", "y.npy"]), "38");
    assert_eq!(folder.result("map: |x| x.abs(), op: max", &["x.npy"]), "9");
}

#[test]
fn every_type_is_read() {
    let halves = [1.0, 2.0, 3.0].map(f16::from_f32);
    let files = [
        ("f16", npy::array(&halves)),
        ("f32", npy::array(&[1f32, 2.0, 3.0])),
        ("f64", npy::array(&[1f64, 2.0, 3.0])),
        ("i8", npy::array(&[1i8, 2, 3])),
        ("i16", npy::array(&[1i16, 2, 3])),
        ("i32", npy::array(&[1i32, 2, 3])),
        ("i64", npy::array(&[1i64, 2, 3])),
        ("u8", npy::array(&[1u8, 2, 3])),
        ("u16", npy::array(&[1u16, 2, 3])),
        ("u32", npy::array(&[1u32, 2, 3])),
        ("u64", npy::array(&[1u64, 2, 3])),
    ];
    for (ty, file) in files {
        let folder = Folder::of("types").with("x.npy", file);
        let result = if ty.starts_with('f') { "6.0" } else { "6" };
        assert_eq!(folder.result("op: sum", &["x.npy"]), result, "{ty} from the file");
        assert_eq!(folder.result(&format!("op: sum, ty: {ty}"), &["x.npy"]), result, "{ty} in both");
    }
}

#[test]
fn bools_are_read() {
    let folder = Folder::of("bools")
        .with("x.npy", npy::array(&[true, false, true]))
        .with("none.npy", npy::array(&[false; 3]))
        .with("bits", [1, 1, 1, 0]);
    assert_eq!(folder.result("op: any", &["x.npy"]), "true");
    assert_eq!(folder.result("op: all, ty: bool", &["x.npy"]), "false");
    assert_eq!(folder.result("op: any", &["none.npy"]), "false");
    assert_eq!(folder.result("op: sum", &["bits", "--raw", "bool"]), "3");
}

/// Every byte of these numbers matters, so another byte order gives another result.
#[test]
fn elements_are_little_endian() {
    let folder = Folder::of("little_endian");
    for (ty, bytes, result) in [
        ("i8", &[0x80][..], "-128"),
        ("u8", &[0x80], "128"),
        ("i16", &[0x01, 0x80], "-32767"),
        ("u16", &[0x01, 0x80], "32769"),
        ("i32", &[1, 2, 3, 0x80], "-2147286527"),
        ("u64", &[1, 2, 3, 4, 5, 6, 7, 8], "578437695752307201"),
        ("f16", &[0x01, 0x3c], "1.0009766"),
        ("bf16", &[0x81, 0x3f], "1.0078125"),
        ("f32", &[1, 2, 3, 0x40], "2.0469973"),
    ] {
        std::fs::write(folder.path("x"), bytes).unwrap();
        assert_eq!(folder.result("op: max", &["x", "--raw", ty]), result, "{ty}");
    }
}

#[test]
fn types_of_one_byte_have_no_byte_order() {
    for descr in ["|u1", "<u1", ">u1", "=u1"] {
        let file = npy::file(&npy::header(descr, false, "(2,)"), &[200, 7]);
        assert_eq!(
            Folder::of("one_byte").with("x.npy", file).result("op: max", &["x.npy"]),
            "200",
            "{descr}"
        );
    }
}

#[test]
fn bf16_is_read_from_bare_elements() {
    let folder = Folder::of("bf16").with("x", npy::raw(&[0x3f80_u16, 0x4000, 0x4040]));
    assert_eq!(folder.result("op: sum", &["x", "--raw", "bf16"]), "6.0");
    assert_eq!(folder.result("op: max, ty: bf16", &["x", "--raw", "bf16"]), "3.0");
}

#[test]
fn dimensions_and_order_do_not_matter_where_there_is_one_reading() {
    let data = npy::raw(&[1i64, 2, 3, 4, 5, 6]);
    for (shape, fortran_order) in
        [("(2, 3)", false), ("(1, 3, 1, 2)", false), ("(6,)", true), ("(1, 6)", true)]
    {
        let file = npy::file(&npy::header("<i8", fortran_order, shape), &data);
        let folder = Folder::of("dimensions").with("x.npy", file);
        assert_eq!(folder.result("op: sum", &["x.npy"]), "21", "{shape}");
        assert_eq!(folder.result("op: argmax", &["x.npy"]), "5", "{shape}");
    }
    let scalar = npy::file(&npy::header("<i8", false, "()"), &data[..8]);
    assert_eq!(Folder::of("scalar").with("x.npy", scalar).result("op: sum", &["x.npy"]), "1");
}

#[test]
fn misaligned_data_is_read() {
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}";
    let file = npy::file(header, &npy::raw(&[1f64, 2.0, 4.0]));
    assert_ne!((file.len() - 24) % 8, 0, "the data should start between multiples of 8");
    assert_eq!(Folder::of("misaligned").with("x.npy", file).result("op: sum", &["x.npy"]), "7.0");
}

#[test]
fn raw_elements_are_read() {
    let folder = Folder::of("raw").with("x", npy::raw(&[1u32, 2, 4])).with("y", npy::raw(&[3u32, 5, 7]));
    assert_eq!(folder.result("op: sum", &["x", "--raw", "u32"]), "7");
    assert_eq!(folder.result("op: dot", &["x", "y", "--raw", "u32"]), "41");
}

#[test]
fn elements_that_lie_apart_are_read() {
    let x = [1, -2, 3, -4, 5, -6, 7, -8, 9];
    let folder = Folder::of("strided").with("x.npy", npy::array(&x)).with("y.npy", npy::array(&[1, 10, 100]));
    let asum = "map: |x| x.abs(), op: sum, layout: strided";
    let dot = "op: dot, layout: strided";
    for (spec, args, result) in [
        (asum, &["x.npy"][..], "45"),
        (asum, &["x.npy", "--step", "3"], "12"),
        (asum, &["x.npy", "--offset", "1", "--step", "2"], "20"),
        (asum, &["x.npy", "--offset", "8", "--step", "1000000000000"], "9"),
        (asum, &["x.npy", "--offset", "9", "--step", "4"], "0"),
        ("op: argmax, layout: strided", &["x.npy", "--offset", "2", "--step", "2"], "3"),
        ("op: sum", &["x.npy", "--offset", "7"], "1"),
        (dot, &["x.npy", "y.npy", "--step", "3,1"], "661"),
        (dot, &["x.npy", "y.npy", "--step", "4,1", "--offset", "0,0"], "951"),
        (dot, &["x.npy", "y.npy", "--step", "2,1", "--offset", "5,1"], "-860"),
        (dot, &["x.npy", "x.npy", "--step", "2", "--offset", "1"], "120"),
    ] {
        assert_eq!(folder.result(spec, args), result, "{spec} {args:?}");
    }
    let report = json(&folder, "op: sum, layout: strided", &["x.npy", "--step", "4"]);
    assert!(
        report.starts_with(r#"{"result":15,"bits":"0000000f","n":3,"ty":"i32","device":"host""#),
        "{report}"
    );
}

#[test]
fn a_million_elements_give_their_exact_sum() {
    let numbers: Vec<i64> = (0..=1 << 20).collect();
    let folder = Folder::of("million").with("x.npy", npy::array(&numbers));
    for passes in ["auto", "[]", "[shuffle, coarsen(4)]", "[vectorize(2), unroll]"] {
        let spec = format!("op: sum, passes: {passes}");
        assert_eq!(folder.result(&spec, &["x.npy"]), "549756338176", "{passes}");
    }
}

#[test]
fn nothing_gives_the_identity() {
    let (floats, integers) = (npy::array::<f32>(&[]), npy::array::<i32>(&[]));
    let folder = Folder::of("nothing").with("f.npy", floats).with("i.npy", integers).with("raw", []);
    assert_eq!(folder.result("op: sum", &["f.npy"]), "0.0");
    assert_eq!(folder.result("op: max", &["f.npy"]), "-inf");
    assert_eq!(folder.result("op: sum", &["i.npy"]), "0");
    assert_eq!(folder.result("op: min", &["i.npy"]), "2147483647");
    assert_eq!(folder.result("op: all", &["i.npy"]), "true");
    assert_eq!(folder.result("op: prod", &["raw", "--raw", "u64"]), "1");
}

/// Returns the JSON of a run on the host without the times, which must be positive.
fn json(folder: &Folder, spec: &str, files: &[&str]) -> String {
    let line = folder.result(spec, &[files, &["--json"]].concat());
    let report: Value = serde_json::from_str(&line).unwrap();
    for time in ["kernel_us", "total_us"] {
        assert!(report[time].as_f64().unwrap() > 0.0, "{line}");
    }
    assert!(report["gb_per_s"].is_f64(), "{line}");
    line.split(",\"kernel_us\"").next().unwrap().to_owned()
}

#[test]
fn json_says_all_about_a_run() {
    let folder = Folder::of("json")
        .with("x.npy", npy::array(&[0.1f32, 0.2]))
        .with("y.npy", npy::array(&[1f32, -1.0]))
        .with("nan.npy", npy::array(&[f64::NAN, 1.0]))
        .with("big.npy", npy::array(&[1u64 << 53, 1]))
        .with("max.npy", npy::array(&[u64::MAX]))
        .with("min.npy", npy::array(&[i64::MIN]))
        .with("zero.npy", npy::array(&[-0f64]));
    let runs: [(&str, &[&str]); 10] = [
        ("op: min, passes: [shuffle, coarsen(4)]", &["x.npy"]),
        ("op: sum, passes: auto", &["x.npy"]),
        ("op: dot, passes: []", &["x.npy", "y.npy"]),
        ("op: any, passes: []", &["x.npy"]),
        ("op: argmax, passes: []", &["nan.npy"]),
        ("op: max, passes: []", &["nan.npy"]),
        ("op: max, passes: []", &["big.npy"]),
        ("op: sum, passes: []", &["big.npy"]),
        ("op: max, passes: []", &["max.npy"]),
        ("op: min, passes: []", &["zero.npy"]),
    ];
    let shown =
        runs.map(|(spec, files)| format!("{spec} {}\n{}\n", files.join(" "), json(&folder, spec, files)));
    insta::assert_snapshot!(shown.concat());
    assert!(
        json(&folder, "op: min", &["min.npy"])
            .starts_with(r#"{"result":"-9223372036854775808","bits":"8000"#)
    );
}

#[test]
fn a_run_says_what_ran_where() {
    let folder = Folder::of("summary").with("x.npy", npy::array(&[1f32])).with("y.npy", npy::array(&[1f32]));
    insta::assert_snapshot!(folder.show_all(
        0,
        &[
            &["run", "op: max", "x.npy", "--device", "host"],
            &["run", "op: dot", "x.npy", "y.npy", "--device", "host"],
            &["run", "op: |a, b| if a > b { a } else { b }, identity: none", "x.npy", "--device", "host"],
        ]
    ));
}

/// The rule of the library: most reductions are faster on the host, and then no GPU is missed.
#[test]
fn without_a_gpu_the_host_runs_and_says_why() {
    let folder = Folder::of("fallback");
    let folder =
        folder.with("x.npy", npy::array(&[1f32, 2.0])).with("many.npy", npy::array(&[0f32; 100_000]));
    let output = folder.run(&["run", "op: max", "x.npy"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "2.0\n");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.starts_with("2 x f32 on host in ") && !stderr.contains("no GPU"), "{stderr}");
    let long = format!("map: |x| x{}, op: max", ".exp().ln()".repeat(8));
    let output = folder.run(&["run", &long, "many.npy"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "0.0\n");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.starts_with("100000 x f32 on host in ")
            && stderr.contains("; no GPU (`reducegen devices` says why)"),
        "{stderr}"
    );
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
}

#[test]
fn the_name_of_an_operator_is_a_specification() {
    let folder = Folder::of("operator_alone").with("x.npy", npy::array(&[1f32, 2.0]));
    assert_eq!(folder.stdout(&["run", "sum", "x.npy"]), "3.0\n");
    let output = folder.run(&["run", "summ", "x.npy"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn quiet_runs_print_results_alone() {
    let folder = Folder::of("quiet").with("x.npy", npy::array(&[1f32, 2.0]));
    for arguments in [["-q", "run", "sum", "x.npy"], ["run", "sum", "x.npy", "--quiet"]] {
        let output = folder.run(&arguments);
        assert_eq!(
            (output.stdout.as_slice(), output.stderr.as_slice()),
            (b"3.0\n".as_slice(), b"".as_slice())
        );
    }
    let output = folder.run(&["-q", "run", "op: nothing", "x.npy"]);
    assert!(!output.stderr.is_empty(), "errors are no notes");
}

#[test]
fn failures_are_json_where_results_would_be() {
    let folder = Folder::of("json_failure").with("x.npy", npy::array(&[1f32, 2.0]));
    for (arguments, says) in [
        (["run", "op: nothing", "x.npy", "--json"], "nothing"),
        (["run", "sum", "y.npy", "--json"], "y.npy"),
        (["run", "dot", "x.npy", "--json"], "2 inputs"),
    ] {
        let output = folder.run(&arguments);
        let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let error = line["error"].as_str().unwrap();
        assert!(error.contains(says) && !error.contains('\u{1b}'), "{error}");
        assert_eq!((output.status.code(), line["status"].as_i64()), (Some(2), Some(2)));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}

#[test]
fn devices_are_listed_in_json() {
    let folder = Folder::of("devices_json");
    let line: serde_json::Value = serde_json::from_str(&folder.stdout(&["devices", "--json"])).unwrap();
    let host = &line["devices"][0];
    assert_eq!((host["name"].as_str(), host["usable"].as_bool()), (Some("host"), Some(true)));
    assert!(line["devices"][1]["why"].as_str().unwrap().contains("libcuda"), "{line}");
}

#[test]
fn shells_complete_the_arguments() {
    let folder = Folder::of("completions");
    for shell in ["bash", "zsh", "fish"] {
        let script = folder.stdout(&["completions", shell]);
        assert!(script.contains("reducegen") && script.contains("segments"), "{script}");
    }
}

#[test]
fn the_environment_names_the_device() {
    let folder = Folder::of("environment").with("x.npy", npy::array(&[1f32, 2.0]));
    let output = folder.command(&["run", "sum", "x.npy"]).env("REDUCEGEN_DEVICE", "host").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !stderr.contains("no GPU"), "{stderr}");
    let output = folder.command(&["run", "sum", "x.npy"]).env("REDUCEGEN_DEVICE", "gpu").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("write auto, host, cuda, or cuda:N"));
}

#[test]
fn unknown_architectures_are_refused() {
    let output = Folder::of("sm_999").run(&["emit", "op: sum, ty: f32", "--arch", "sm_999"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && stderr.contains("sm_999 is no architecture"), "{stderr}");
}
