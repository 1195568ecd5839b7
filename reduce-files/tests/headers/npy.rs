//! Tests of headers that the reader accepts, and its messages about the others.

use reduce_files::npy::{Layout, NpyError, layout};

/// A file of format version 1, 2 or 3 with that header, and `data` bytes after it.
fn file(version: u8, header: &str, data: usize) -> Vec<u8> {
    let length = header.len() as u32;
    let length = if version == 1 { &length.to_le_bytes()[..2] } else { &length.to_le_bytes() };
    [b"\x93NUMPY", &[version, 0][..], length, header.as_bytes(), &vec![0; data]].concat()
}

fn read(header: &str, data: usize) -> Result<Layout, NpyError> {
    layout(&file(1, header, data))
}

const HEADER: &str = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }          \n";

#[test]
fn every_version_is_read() {
    for (version, start) in [(1, 10), (2, 12), (3, 12)] {
        let found = layout(&file(version, HEADER, 48)).map(|layout| (layout.dtype.ty.name(), layout.start));
        assert_eq!(found, Ok(("f32", start + HEADER.len())), "version {version}");
    }
}

#[test]
fn every_spelling_of_a_header_is_read() {
    for (header, data) in [
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", 8),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 9223372036854775808, 4), }", 0),
        ("{'shape': (2L,), 'fortran_order': False, 'descr': '<u8'}", 16),
        (r#"{"descr":"<i4","fortran_order":True,"shape":(1,5,1)}"#, 20),
        ("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3)}", 24),
        ("{ 'descr' : '=f2' , 'fortran_order' : False , 'shape' : ( 2 , 2 ) , }\n\n", 8),
    ] {
        assert!(read(header, data).is_ok(), "{header}: {:?}", read(header, data));
    }
}

/// The order matters only if two or more axes have several elements.
#[test]
fn fortran_order_is_told_where_it_differs() {
    for (shape, length, differs) in [
        ("()", 1, false),
        ("(3,)", 3, false),
        ("(1, 3)", 3, false),
        ("(3, 1)", 3, false),
        ("(0, 3, 4)", 0, false),
        ("(3, 2)", 6, true),
        ("(1, 3, 1, 2)", 6, true),
    ] {
        for fortran in ["False", "True"] {
            let header = format!("{{'descr': '|u1', 'fortran_order': {fortran}, 'shape': {shape}}}");
            let found =
                read(&header, length).map(|layout| layout.shape.is_some_and(|shape| shape.differs_from_c()));
            assert_eq!(found, Ok(differs && fortran == "True"), "{header}");
        }
    }
}

#[test]
fn no_start_of_a_file_is_a_file() {
    let whole = file(1, HEADER, 48);
    for length in 0..whole.len() {
        assert!(layout(&whole[..length]).is_err(), "{length} bytes");
    }
    assert!(layout(&whole).is_ok());
}

#[test]
fn no_byte_makes_the_reader_panic() {
    for version in 1..=3 {
        let whole = file(version, HEADER, 48);
        for (at, byte) in (0..whole.len()).flat_map(|at| (0..=255).map(move |byte| (at, byte))) {
            let mut changed = whole.clone();
            changed[at] = byte;
            let read = layout(&changed);
            assert!(read.is_ok() || at < whole.len() - 48, "byte {at} of the data changed {read:?}");
        }
    }
}

fn visible(text: &str) -> String {
    text.replace(char::is_control, "\u{fffd}")
}

#[test]
fn every_bad_header_gets_a_sentence() {
    let bad = [
        "",
        "\0",
        "[1, 2]",
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} x",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'extra': 1}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 3}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3 4)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551616,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4000000000000000000,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 1)}",
        "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2)}",
        "{'descr': '>f4', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '>c8', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '|i1', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '>u1', 'fortran_order': False, 'shape': (12,)}",
        "{'descr': '>u2', 'fortran_order': False, 'shape': (6,)}",
        "{'descr': '|u2', 'fortran_order': False, 'shape': (6,)}",
        "{'descr': '<V2', 'fortran_order': False, 'shape': (6,)}",
        "{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '\x1b[31m|S200|S200|S200|S200|S200|S200|S200|S200', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': 'é', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': [('x', '<f4'), ('y', '<i4')], 'fortran_order': False, 'shape': (3,)}",
    ];
    let say = |header: &str| match read(header, 12) {
        Ok(Layout { start, .. }) => format!("{}\n    read, data from byte {start}\n", visible(header)),
        Err(error) => format!("{}\n    {error}\n", visible(header)),
    };
    insta::assert_snapshot!(bad.map(say).concat());
}
