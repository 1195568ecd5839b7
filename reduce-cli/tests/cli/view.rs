//! Tests of `--offset`, `--step` and `--len`, which choose elements of a file, and of files in Fortran order.

use crate::folder::Folder;
use crate::npy;

/// The numbers 0, 1, 2, …, 11 as a matrix with three rows of four.
fn matrix(test: &str) -> Folder {
    let elements: Vec<i32> = (0..12).collect();
    let file = npy::file(&npy::header("<i4", false, "(3, 4)"), &npy::raw(&elements));
    Folder::of(test).with("x.npy", file).with("y.npy", npy::array(&[1, 10, 100, 1000]))
}

#[test]
fn a_number_of_elements_is_taken() {
    let folder = matrix("taken");
    let (sum, strided, argmax) = ("op: sum", "op: sum, layout: strided", "op: argmax, layout: strided");
    let dot = "op: dot, layout: strided";
    for (spec, args, result) in [
        (sum, &["--len", "12"][..], "66"),
        (sum, &["--len", "0"], "0"),
        (sum, &["--offset", "4", "--len", "4"], "22"),
        (sum, &["--offset", "12", "--len", "0"], "0"),
        (strided, &["--offset", "1", "--step", "4", "--len", "2"], "6"),
        (strided, &["--offset", "9", "--step", "-2"], "25"),
        (strided, &["--offset", "9", "--step", "-2", "--len", "2"], "16"),
        (strided, &["--offset", "11", "--step", "-1"], "66"),
        (strided, &["--offset", "0", "--step", "-5"], "0"),
        (strided, &["--offset", "12", "--step", "-5"], "0"),
        (strided, &["--offset", "3", "--step", "0", "--len", "5"], "15"),
        (strided, &["--step", "0", "--len", "0"], "0"),
        (argmax, &["--offset", "11", "--step", "-1"], "0"),
        (argmax, &["--offset", "7", "--step", "0", "--len", "9"], "0"),
        (dot, &["y.npy", "--offset", "0,3", "--step", "1,-1", "--len", "4"], "123"),
        (dot, &["y.npy", "--offset", "3,2", "--step", "-1,0", "--len", "4"], "600"),
    ] {
        assert_eq!(folder.result(spec, &[&["x.npy"], args].concat()), result, "{spec} {args:?}");
    }
}

/// The number of elements, and so the speed, refers to the chosen elements.
#[test]
fn only_elements_that_are_taken_are_counted() {
    let folder = matrix("counted");
    let args = ["run", "op: sum", "x.npy", "--device", "host", "--len", "5", "--offset", "2", "--json"];
    let json: serde_json::Value = serde_json::from_str(&folder.stdout(&args)).unwrap();
    let number = |key: &str| json[key].as_f64().unwrap();
    assert_eq!((number("n"), number("result")), (5.0, 20.0));
    let speed = 20.0 / (number("kernel_us") * 1000.0);
    assert!((number("gb_per_s") - speed).abs() <= 1e-6 * speed, "{json}");
}

#[test]
fn elements_that_are_not_there_are_refused() {
    let folder = matrix("not_there");
    let strided = "op: sum, layout: strided";
    insta::assert_snapshot!(folder.show_all(
        2,
        &[
            &["run", "op: sum", "x.npy", "--offset", "8", "--len", "5"],
            &["run", "op: sum", "x.npy", "--offset", "13", "--len", "0"],
            &["run", strided, "x.npy", "--offset", "5", "--step", "-2", "--len", "4"],
            &["run", strided, "x.npy", "--step", "0"],
            &["run", strided, "x.npy", "--step", "0", "--offset", "12", "--len", "1"],
            &["run", "op: sum", "x.npy", "--step", "-1", "--offset", "11", "--device", "host"],
            &["run", "op: sum", "x.npy", "--step", "0", "--len", "4", "--device", "host"],
            &["run", "op: dot", "x.npy", "y.npy", "--offset", "0,1", "--len", "4"],
        ]
    ));
}

#[test]
fn a_trace_names_elements_that_lie_backwards() {
    let folder = matrix("backwards");
    let spec = "op: sum, layout: strided, block: 32, passes: [shuffle]";
    let trace = |args: &[&str]| folder.stdout(&[&["run", spec, "x.npy", "--trace"], args].concat());
    let backwards = trace(&["--offset", "9", "--step", "-2"]);
    assert!(backwards.contains("item i is x[9 - 2 i]") && backwards.ends_with("result: 25\n"), "{backwards}");
    let repeated = trace(&["--offset", "9", "--step", "0", "--len", "3"]);
    assert!(repeated.contains("item i is x[9]") && repeated.ends_with("result: 27\n"), "{repeated}");
}

/// Two rows of three, `[[1, 2, 3], [4, 5, 6]]`, by columns.
fn fortran(test: &str) -> Folder {
    let (columns, rows) = ([1, 4, 2, 5, 3, 6], [1, 2, 3, 4, 5, 6]);
    let floats = columns.map(|x: i32| x as f32);
    let file = |descr, fortran, shape, data: &[u8]| npy::file(&npy::header(descr, fortran, shape), data);
    Folder::of(test)
        .with("f.npy", file("<i4", true, "(2, 3)", &npy::raw(&columns)))
        .with("c.npy", file("<i4", false, "(2, 3)", &npy::raw(&rows)))
        .with("wide.npy", file("<i4", true, "(3, 2)", &npy::raw(&columns)))
        .with("row.npy", file("<i4", true, "(1, 6)", &npy::raw(&rows)))
        .with("floats.npy", file("<f4", true, "(2, 3)", &npy::raw(&floats)))
}

#[test]
fn fortran_order_is_read_where_it_does_not_show() {
    let folder = fortran("fortran_read");
    for (spec, files, result) in [
        ("op: sum", &["f.npy"][..], "21"),
        ("op: max", &["f.npy"], "6"),
        ("op: xor", &["f.npy"], "7"),
        ("op: dot", &["f.npy", "f.npy"], "91"),
        ("op: max", &["floats.npy"], "6.0"),
        ("op: norm_inf", &["floats.npy"], "6.0"),
        ("op: sum, order: any", &["floats.npy"], "21.0"),
        ("op: sum", &["f.npy", "--len", "6"], "21"),
        ("op: sum, layout: strided", &["f.npy", "--offset", "5", "--step", "-1"], "21"),
        ("op: argmax", &["row.npy"], "5"),
        ("op: first", &["row.npy"], "1"),
        ("op: sum", &["row.npy", "--offset", "4"], "11"),
        ("op: dot", &["row.npy", "c.npy"], "91"),
    ] {
        assert_eq!(folder.result(spec, files), result, "{spec} {files:?}");
    }
}

#[test]
fn fortran_order_is_refused_where_it_shows() {
    let folder = fortran("fortran_refused");
    let strided = "op: sum, layout: strided";
    insta::assert_snapshot!(folder.show_all(
        2,
        &[
            &["run", "op: sum", "floats.npy"],
            &["run", "op: var", "floats.npy"],
            &["run", "op: argmax", "f.npy"],
            &["run", "op: argmax, order: any", "f.npy"],
            &["run", "index: i, map: |x| x * i as i32, op: sum", "f.npy"],
            &["run", "op: first", "f.npy"],
            &["run", "op: sum", "f.npy", "--offset", "1"],
            &["run", "op: sum", "f.npy", "--len", "5"],
            &["run", strided, "f.npy", "--step", "2"],
            &["run", strided, "f.npy", "--step", "0", "--len", "6"],
            &["run", "op: dot", "f.npy", "c.npy"],
            &["run", "op: dot", "row.npy", "f.npy"],
            &["run", "op: dot", "f.npy", "wide.npy"],
        ]
    ));
}
