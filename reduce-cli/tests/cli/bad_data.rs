//! Invalid data: each file gets one sentence that names it, and exit status 2.

use crate::folder::Folder;
use crate::npy::{array, file, header, raw};
use std::fs;

/// Runs `op: sum` on each file.
fn sums(folder: &Folder, files: &[&str]) -> String {
    files.iter().map(|file| folder.show_all(2, &[&["run", "op: sum", file, "--device", "host"]])).collect()
}

#[test]
fn files_that_are_no_arrays() {
    let folder = Folder::of("no_arrays")
        .with("empty.npy", [])
        .with("text.npy", "1 2 3\n")
        .with("zip.npy", b"PK\x03\x04")
        .with("magic.npy", b"\x93NUMPY")
        .with("future.npy", b"\x93NUMPY\x04\x00\x10\x00")
        .with("header.npy", &array(&[1f32])[..40])
        .with("list.npy", file("[1, 2, 3]\n", &[]))
        .with("keys.npy", file("{'descr': '<f4', 'shape': (3,), }\n", &[]));
    fs::create_dir(folder.path("folder.npy")).unwrap();
    insta::assert_snapshot!(sums(
        &folder,
        &[
            "missing.npy",
            "folder.npy",
            "/dev/null",
            "empty.npy",
            "text.npy",
            "zip.npy",
            "magic.npy",
            "future.npy",
            "header.npy",
            "list.npy",
            "keys.npy",
        ]
    ));
}

#[test]
fn a_standard_input_that_is_no_data() {
    let folder = Folder::of("no_input").with("short", [1, 2, 3]);
    fs::create_dir(folder.path("folder")).unwrap();
    let from = |file: &str, args: &[&str]| {
        let output = folder.command(args).stdin(fs::File::open(folder.path(file)).unwrap()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let shown = [
        from("short", &["run", "op: sum", "-", "--device", "host"]),
        from("short", &["run", "op: sum", "-", "--device", "host", "--raw", "f32"]),
        from("short", &["run", "op: dot", "-", "-", "--device", "host", "--raw", "u8"]),
        from("folder", &["run", "op: sum", "-", "--device", "host"]),
    ];
    insta::assert_snapshot!(shown.concat());
}

#[test]
fn arrays_of_other_elements() {
    let with = |descr: &str| file(&header(descr, false, "(3,)"), &[0; 24]);
    let structured = "{'descr': [('x', '<f4'), ('y', '<f4')], 'fortran_order': False, 'shape': (3,), }\n";
    let folder = Folder::of("other_elements")
        .with("big_endian.npy", with(">f8"))
        .with("big_shorts.npy", with(">i2"))
        .with("bf16.npy", with("|V2"))
        .with("long_double.npy", with("<f16"))
        .with("complex.npy", with("<c8"))
        .with("complex16.npy", with("<c16"))
        .with("big_complex.npy", with(">c8"))
        .with("long_complex.npy", with("<c32"))
        .with("durations.npy", with("<m8[us]"))
        .with("big_dates.npy", with(">M8[D]"))
        .with("objects.npy", with("|O"))
        .with("dates.npy", with("<M8[ns]"))
        .with("structs.npy", file(structured, &[0; 24]));
    insta::assert_snapshot!(sums(
        &folder,
        &[
            "big_endian.npy",
            "big_shorts.npy",
            "bf16.npy",
            "long_double.npy",
            "complex.npy",
            "complex16.npy",
            "big_complex.npy",
            "long_complex.npy",
            "durations.npy",
            "big_dates.npy",
            "objects.npy",
            "dates.npy",
            "structs.npy",
        ]
    ));
}

#[test]
fn bools_that_are_none() {
    let folder = Folder::of("no_bools")
        .with("bools.npy", file(&header("|b1", false, "(4,)"), &[1, 0, 2, 3]))
        .with("bits", [0, 1, 1, 0, 255]);
    insta::assert_snapshot!(folder.show_all(
        2,
        &[
            &["run", "op: any", "bools.npy", "--device", "host"],
            &["run", "op: sum, ty: bool", "bits", "--raw", "bool", "--device", "host"],
        ]
    ));
}

#[test]
fn arrays_of_another_shape_than_their_data() {
    let data = raw(&[1f32, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let with = |fortran_order, shape: &str| file(&header("<f4", fortran_order, shape), &data);
    let folder = Folder::of("other_shape")
        .with("fortran.npy", with(true, "(2, 3)"))
        .with("short.npy", with(false, "(7,)"))
        .with("huge.npy", with(false, "(4000000000, 1000000000)"))
        .with("overflow.npy", with(false, "(4294967296, 4294967296, 2)"))
        .with("trailing.npy", with(false, "(5,)"))
        .with("negative.npy", with(false, "(-6,)"));
    insta::assert_snapshot!(sums(
        &folder,
        &["fortran.npy", "short.npy", "huge.npy", "overflow.npy", "trailing.npy", "negative.npy",]
    ));
}

#[test]
fn data_that_does_not_fit_the_specification() {
    let folder = Folder::of("no_fit")
        .with("x.npy", array(&[1f32, 2.0, 3.0]))
        .with("y.npy", array(&[1f32, 2.0]))
        .with("doubles.npy", array(&[1f64, 2.0, 3.0]))
        .with("nothing.npy", array::<f32>(&[]))
        .with("bits", [0; 12]);
    insta::assert_snapshot!(folder.show_all(
        2,
        &[
            &["run", "op: max, ty: f32", "doubles.npy"],
            &["run", "inputs: { x: f32, y: f32 }, map: |x, y| x * y, op: sum", "x.npy", "doubles.npy"],
            &["run", "op: dot", "x.npy", "doubles.npy"],
            &["run", "op: dot", "x.npy", "y.npy"],
            &["run", "op: dot", "x.npy"],
            &["run", "op: max", "x.npy", "y.npy"],
            &["run", "op: max, ty: f32", "x.npy", "y.npy"],
            &["run", "op: xor", "x.npy"],
            &["run", "op: max", "bits", "--raw", "f64"],
            &["run", "op: max", "x.npy", "--raw", "f32"],
            &["run", "op: sum", "x.npy", "--step", "2", "--device", "host"],
            &["run", "op: sum, layout: strided", "x.npy", "--offset", "4"],
            &["run", "op: dot, layout: strided", "x.npy", "y.npy", "--offset", "1"],
            &["run", "op: dot, layout: strided", "x.npy", "x.npy", "--step", "1,2,3"],
            &["run", "op: argmax, layout: strided", "x.npy", "--offset", "3", "--device", "host"],
            &["run", "op: argmax", "nothing.npy", "--device", "host"],
            &["run", "op: argmin", "nothing.npy", "--device", "host", "--json"],
        ]
    ));
}
