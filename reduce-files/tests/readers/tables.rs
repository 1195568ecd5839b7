//! CSV files.

use crate::folder::Folder;
use reduce_files::{DataFile, Format, Reason};
use reduce_lanes::Lanes;

const TRIPS: &str = "\u{feff}distance, passengers ,paid,name\n1.5,2,true,\"a, b\"\n2,,FALSE,\n , -1 ,NA,c\n";

#[test]
fn columns_have_the_narrowest_type_of_their_cells() {
    let folder = Folder::new();
    let path = folder.file("trips.csv", TRIPS.as_bytes());
    let mut trips = DataFile::open(&path).unwrap();
    assert_eq!(
        (trips.format(), trips.names()),
        (Format::Csv, ["distance", "passengers", "paid", "name"].map(str::to_owned).to_vec())
    );
    let distance = trips.column("distance").unwrap();
    assert_eq!(
        (distance.values, distance.present),
        (Lanes::from(vec![1.5, 2.0, 0.0]), Some(vec![true, true, false]))
    );
    let passengers = trips.column("passengers").unwrap();
    assert_eq!(
        (passengers.values, passengers.present),
        (Lanes::from(vec![2i64, 0, -1]), Some(vec![true, false, true]))
    );
    let paid = trips.column("paid").unwrap();
    assert_eq!(
        (paid.values, paid.present),
        (Lanes::from(vec![true, false, false]), Some(vec![true, true, false]))
    );
}

#[test]
fn every_column_has_labels() {
    let path = Folder::new();
    let mut trips = DataFile::open(path.file("trips.csv", TRIPS.as_bytes())).unwrap();
    let names = trips.labels("name").unwrap();
    assert_eq!(
        (&names.numbers[..], &names.names[..]),
        (&[0, 0, 1][..], &["a, b".to_owned(), "c".to_owned()][..])
    );
    assert_eq!(names.present, Some(vec![true, false, true]));
    assert_eq!(trips.labels("distance").unwrap().names, ["1.5", "2"]);
}

#[test]
fn integers_become_floats_where_a_float_follows() {
    let folder = Folder::new();
    let read = |cells: &str| folder.column("x.csv", format!("x\n{cells}").as_bytes(), "x").unwrap();
    assert_eq!(read("9007199254740993\n0.5\n").values, Lanes::from(vec![9007199254740992.0, 0.5]));
    assert_eq!(read("9007199254740993\n-1").values, Lanes::from(vec![9007199254740993i64, -1]));
    assert_eq!(read("1e3\r\ninf\r\n-0\r\n").values, Lanes::from(vec![1000.0, f64::INFINITY, 0.0]));
    assert!(read("nan\n").of::<f64>().unwrap()[0].is_nan());
    let absent = read("NA\nnull\n");
    assert_eq!((absent.values, absent.present), (Lanes::from(vec![0.0; 2]), Some(vec![false; 2])));
    assert_eq!((read("").values.len(), read("").present), (0, None));
}

#[test]
fn semicolons_and_tabs_separate() {
    let folder = Folder::new();
    for separator in [",", ";", "\t"] {
        let text = format!("a{separator}b{separator}c\n1{separator}2{separator}3\n");
        assert_eq!(folder.column("x.csv", text.as_bytes(), "b").unwrap().values, Lanes::from(vec![2i64]));
    }
}

#[test]
fn mistakes_have_a_line_and_a_column() {
    let folder = Folder::new();
    let error = |text: &str| folder.error("x.csv", text.as_bytes(), "x");
    assert_eq!(
        error("y,x\n1,2\n1,four\n"),
        "line 3, column `x`: \"four\" is not a number; name a column of numbers, or leave the cell empty where there is none"
    );
    assert!(
        error("x\n1\ntrue\n")
            .starts_with("line 3, column `x`: \"true\" is not of the type of the cells above")
    );
    assert!(error("x\ntrue\n1.5\n").contains("\"1.5\" is not of the type of the cells above"));
    assert!(error("x\n9223372036854775808\n").contains("is an integer beyond 64 bits"));
    assert_eq!(
        error("x,y\n1,2\n3\n"),
        "line 3 is damaged: it has 1 cells, and the header has 2; get the file again, or write it again"
    );
    assert_eq!(error("x,x\n1,2\n"), "the header cannot be read: it has two columns `x`; rename one of them");
    assert_eq!(error("y\n1\n"), "it has no column `x` (did you mean `y`?); it has `y`");
    assert_eq!(error(""), "it has no column `x`; it has no columns");
}

/// Without a bound, the quote would make one cell of a file of any size.
#[test]
fn a_quote_that_is_not_closed_does_not_fill_the_memory() {
    let folder = Folder::new();
    let text = format!("x\n1\n\"2\n{}", "3\n".repeat(10 << 20));
    let error = folder.error("x.csv", text.as_bytes(), "x");
    assert!(error.starts_with("the text from line 3 is damaged: a line has more than 16 MiB"), "{error}");
    let numbers = "x\n".to_owned() + &"3\n".repeat(1000);
    let read = |limit| {
        DataFile::open(folder.file("n.csv", numbers.as_bytes())).unwrap().with_limit(limit).column("x")
    };
    assert_eq!(read(8000).unwrap().values.len(), 1000);
    assert!(matches!(read(7999).unwrap_err().reason, Reason::Large { values: 1000, .. }));
}
