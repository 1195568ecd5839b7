//! `--column` and `--by` with columns of data files. Absent values keep their positions.

use crate::folder::Folder;
use crate::npy;

/// The file that another program wrote: 60 trips in three row groups, with nulls and dictionaries.
const TRIPS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/trips.parquet");

fn stderr(folder: &Folder, args: &[&str]) -> String {
    let output = folder.run(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[cfg(not(feature = "formats"))]
#[test]
fn the_error_names_the_feature() {
    let folder = Folder::of("columns_feature").with("x.npy", npy::array(&[1.0f32]));
    for args in [&["run", "mean", TRIPS][..], &["run", "mean", "x.npy", "--column", "x"]] {
        let error = stderr(&folder, args);
        assert!(error.contains("needs a reducegen with the feature `formats`: `cargo install"), "{error}");
    }
}

#[cfg(feature = "formats")]
mod with_formats {
    use super::{Folder, TRIPS, npy, stderr};

    /// Returns the output of a run, without the newline.
    fn run(folder: &Folder, args: &[&str]) -> String {
        folder.stdout(&[&["run", "--device", "host"], args].concat()).trim_end().to_owned()
    }

    /// Results of DuckDB: `select passengers, avg(distance), max(distance), sum(fare) from 'trips.parquet' group by 1 order by 1`.
    #[test]
    fn nulls_and_keys_give_the_results_of_a_database() {
        let folder = Folder::of("columns_parquet");
        let trips = |spec: &str, args: &[&str]| run(&folder, &[&[spec, TRIPS], args].concat());
        assert_eq!(trips("max", &["--column", "distance"]), "12.75");
        assert_eq!(trips("sum", &["--column", "fare"]), "648");
        let product = "map: |d, f| d * f as f64, op: sum";
        assert_eq!(trips(product, &["--column", "distance", "--column", "fare"]), "3849.25");
        let by = ["--column", "fare", "--by", "passengers", "--keys-out", "keys.npy"];
        assert_eq!(trips("sum", &by), "keys [1 2 3 5]\n[293 190  81  70]");
        assert_eq!(folder.read("keys.npy"), npy::array(&[1i64, 2, 3, 5]));
        let by = ["--column", "distance", "--by", "passengers"];
        assert_eq!(trips("map: |x| 1u64, op: sum", &by), "keys [1 2 3 5]\n[26 17  8  0]");
        assert!(
            trips("mean", &by).starts_with("keys [1 2 3 5]\n[6.711538461538462"),
            "{}",
            trips("mean", &by)
        );
        let numbered = "op: sum, by: { key: i64 }, groups: 6";
        assert_eq!(trips(numbered, &["--column", "fare", "--by", "passengers"]), "[  0 293 190  81   0  70]");
    }

    /// Results of DuckDB: `select vendor, sum(fare) … group by 1 order by 1`, and the same by vendor and passengers without the null.
    #[test]
    fn text_and_several_columns_are_keys() {
        let folder = Folder::of("columns_text").with("t.csv", "k,x\nb,1\n10,2\nNA,4\nb,8\n");
        let sum = |file: &str, args: &[&str]| run(&folder, &[&["sum", file], args].concat());
        let vendor = ["--column", "fare", "--by", "vendor"];
        assert_eq!(sum(TRIPS, &vendor), "keys [\"a\" \"b\"]\n[332 316]");
        let both = [&vendor[..], &["--by", "passengers"]].concat();
        let found = "keys [\"a\" \"a\" \"a\" \"a\" \"b\" \"b\" \"b\" \"b\"]\nkeys [1 2 3 5 1 2 3 5]\n[137 110  44  41 156  80  37  29]";
        assert_eq!(sum(TRIPS, &both), found);
        let lines = sum(TRIPS, &[&both[..], &["--json"]].concat());
        assert!(lines.contains(r#""keys":[["a",1],["a",2],["a",3],["a",5],["b",1]"#), "{lines}");
        let swapped = ["--column", "fare", "--by", "passengers", "--by", "vendor", "--json"];
        assert!(sum(TRIPS, &swapped).contains(r#""result":[137,156,110,80,44,37,41,29]"#));
        assert_eq!(sum("t.csv", &["--column", "x", "--by", "k"]), "keys [\"10\" \"b\"]\n[2 9]");
    }

    /// The mask is a filter: the bits are those of the same data with a filter, and not those of a copy without the gaps.
    #[test]
    fn absent_values_are_filtered_at_their_positions() {
        let values: Vec<_> = (0..5000u32).map(|at| 1.0 / f64::from(at * 7919 % 5003 + 1)).collect();
        let is_there = |at: usize| at % 3 != 1;
        let cell = |(at, value): (usize, &f64)| {
            if is_there(at) { format!("{value:?}\n") } else { "NA\n".to_owned() }
        };
        let text: String = values.iter().enumerate().map(cell).collect();
        let kept: Vec<_> = (0..5000).map(|at| u8::from(is_there(at))).collect();
        let folder = Folder::of("columns_mask")
            .with("x.csv", format!("x\n{text}"))
            .with("x.npy", npy::array(&values))
            .with("kept.npy", npy::array(&kept));
        for (spec, filtered) in [
            ("sum", "filter: |x, k| k == 1, map: |x, k| x, op: sum"),
            (
                "op: mean, passes: [sequential, shuffle]",
                "filter: |x, k| k == 1, map: |x, k| x, op: mean, passes: [sequential, shuffle]",
            ),
            (
                "filter: |x| x < 0.01, map: |x| x.sqrt(), op: sum",
                "filter: |x, k| k == 1 && x < 0.01, map: |x, k| x.sqrt(), op: sum",
            ),
            ("index: i, map: |x| i, op: max", "index: i, filter: |x, k| k == 1, map: |x, k| i, op: max"),
            ("argmin", "filter: |x, k| k == 1, map: |x, k| x, op: argmin"),
        ] {
            assert_eq!(
                run(&folder, &[spec, "x.csv"]),
                run(&folder, &[filtered, "x.npy", "kept.npy"]),
                "{spec}"
            );
        }
        folder.stdout(&["partial", "sum", "x.csv", "--part", "1/2", "-o", "1.part"]);
        folder.stdout(&["partial", "sum", "x.csv", "--part", "2/2", "-o", "2.part"]);
        assert_eq!(folder.stdout(&["merge", "1.part", "2.part"]).trim_end(), run(&folder, &["sum", "x.csv"]));
    }

    #[test]
    fn other_formats_are_read_as_well() {
        let header = b"{\"w\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,16]}}";
        let numbers = npy::raw(&[1.0f32, 2.0, 3.0, 4.0]);
        let tensors = [&(header.len() as u64).to_le_bytes()[..], header, &numbers].concat();
        let folder = Folder::of("columns_formats")
            .with("model.safetensors", tensors)
            .with("table.csv", "key;x;paid\n-5;1;true\n7;2;true\n-5;4;false\n")
            .with("more.csv", "x\n2.5\n\n1\n");
        assert_eq!(run(&folder, &["sum", "model.safetensors"]), "10.0");
        assert_eq!(run(&folder, &["op: sum, axes: i j -> j", "model.safetensors"]), "[4.0 6.0]");
        assert_eq!(
            run(&folder, &["sum", "table.csv", "--column", "x", "--by", "key"]),
            "keys [-5  7]\n[5 2]"
        );
        assert_eq!(
            run(&folder, &["all", "table.csv", "--column", "paid", "--by", "key"]),
            "keys [-5  7]\n[false  true]"
        );
        let runs = "op: sum, by: { key: i64 }, groups: runs";
        assert_eq!(
            run(&folder, &[runs, "table.csv", "--column", "x", "--by", "key"]),
            "keys [-5  7 -5]\n[1 2 4]"
        );
        assert_eq!(run(&folder, &["op: sum", "more.csv"]), "3.5");
    }

    #[test]
    fn mistakes_are_errors_that_name_the_fix() {
        let folder = Folder::of("columns_wrong")
            .with("x.npy", npy::array(&[1.0f32]))
            .with("short.csv", "x\n1\n")
            .with("gaps.csv", "x,k,f\n1,1,1.5\n2,,2.5\n")
            .with("cut.parquet", &std::fs::read(TRIPS).unwrap()[..900]);
        for (args, message) in [
            (
                &["mean", TRIPS][..],
                "has several columns; name those to reduce, as in `--column x`: `distance`, `passengers`",
            ),
            (
                &["mean", TRIPS, "--column", "distanc"],
                "trips.parquet: it has no column `distanc` (did you mean `distance`?)",
            ),
            (
                &["mean", TRIPS, "--column", "vendor"],
                "the column `vendor` holds strings or bytes; name a column of numbers; strings are keys",
            ),
            (
                &["op: sum, by: { key: u32 }, groups: 2", TRIPS, "--column", "fare", "--by", "vendor"],
                "`vendor` holds text, and `by`, `groups` and `axes` of the specification are for numbers",
            ),
            (
                &[
                    "op: sum, by: { k: i64 }, groups: runs",
                    TRIPS,
                    "--column",
                    "fare",
                    "--by",
                    "vendor",
                    "--by",
                    "fare",
                ],
                "several columns of keys make groups by themselves; leave `by`, `groups` and `axes` out",
            ),
            (
                &["sum", TRIPS, "--column", "fare", "--by", "vendor", "--keys-out", "k.npy"],
                "a NumPy file holds the keys of one column of numbers; write `--json`",
            ),
            (
                &["sum", "x.npy", "--by", "x.npy", "--by", "x.npy"],
                "several `--by` name columns of one data file",
            ),
            (&["mean", TRIPS, "--column", "fare", "--by", "distance"], "holds f64, and keys are integers"),
            (
                &["dot", TRIPS, "--column", "distance", "--column", "distance"],
                "values are absent, and the specification does not say",
            ),
            (&["op: sum, ty: f32", TRIPS, "--column", "fare"], "`fare` holds i32, and the input `x` is f32"),
            (
                &["sum", "x.npy", "--column", "x"],
                "`--column` is for Parquet, safetensors, .npz and CSV files",
            ),
            (&["sum", "cut.parquet"], "cut.parquet: the metadata at the end of the file is damaged"),
            (
                &["op: sum, by: { k: i64 }, groups: runs", "gaps.csv", "--column", "x", "--by", "k"],
                "lacks keys, and a run needs them",
            ),
            (
                &[
                    "map: |x, y| x + y, op: sum",
                    "gaps.csv",
                    "short.csv",
                    "--column",
                    "k",
                    "--column",
                    "x",
                    "--column",
                    "x",
                ],
                "is given 3 times for 2 files",
            ),
            (&["sum", "x.npy", "--by", "nothing"], "nothing: "),
        ] {
            let error = stderr(&folder, &[&["run"], args].concat());
            assert!(error.contains(message), "{args:?}: {error}");
        }
    }
}
