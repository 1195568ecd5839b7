//! Tests of `ladder`: counts compared with the figures of the sources, and the texts of the tables.

use crate::folder::Folder;
use crate::rotation::sample;
use serde_json::Value;

fn rows(folder: &Folder, args: &[&str]) -> Vec<Value> {
    let lines = folder.stdout(&[&["ladder", "--json"], args].concat());
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns a number in the row of a rung, by a path of keys such as `loop.slots`.
fn count(rows: &[Value], rung: usize, keys: &str) -> u64 {
    let row = &rows[rung - 1];
    assert_eq!(row["rung"], rung);
    assert_eq!(row["right"], true, "{row}");
    keys.split('.').fold(row, |it, key| &it[key]).as_u64().unwrap()
}

/// Source D, a single block of n / 2 threads. It prints 736 slots for rung 2 at 256 elements, from the formula `(5
/// · N/64 + N/64 · 1/2 + N/64 · 1/4 + … + 1) · 32`. The formula has five levels with an active thread in each of
/// the N/64 warps. There are six such levels, of strides 1, 2, 4, 8, 16 and 32: `(6 · 4 + 2 + 1) · 32 = 864`. So
/// 29.5 % of the slots are used, not 35 %.
#[test]
fn the_textbooks_slots_and_requests() {
    let folder = Folder::of("ladder_textbook");
    let small = rows(&folder, &["--n", "256"]);
    for (rung, keys, printed) in [
        (2, "loop.requests", 141),
        (3, "loop.requests", 36),
        (3, "loop.slots", 384),
        (4, "kernel.requests", 9),
    ] {
        assert_eq!(count(&small, rung, keys), printed, "rung {rung}, {keys}");
    }
    for rung in [2, 3] {
        assert_eq!(count(&small, rung, "loop.active"), 255, "rung {rung}");
        assert_eq!(count(&small, rung, "block"), 128, "rung {rung}");
    }
    assert_eq!(count(&small, 2, "loop.slots"), (6 * 4 + 2 + 1) * 32);
    let large = rows(&folder, &["--n", "2048"]);
    assert_eq!(count(&large, 2, "loop.requests"), 1149);
    assert_eq!(count(&large, 3, "loop.requests"), 204);
    assert_eq!(count(&large, 2, "loop.slots"), (6 * 32 + 16 + 8 + 4 + 2 + 1) * 32);
    assert_eq!(count(&large, 2, "loop.active"), 2047);
    assert_eq!(count(&large, 4, "kernel.requests"), 2048 * 4 / 128 + 1);
}

/// Source C, a block of 256 threads. It counts the loads of the loop, or one load and one store of the shuffle. It
/// estimates that ~50 %, ~85 % and 100 % of the lanes are used.
#[test]
fn the_articles_accesses_barriers_and_warp_use() {
    let rows = rows(&Folder::of("ladder_article"), &["--n", "256", "--block", "256"]);
    let per_thread = |rung| {
        ["loop.shared_loads.per_thread", "loop.shared_stores.per_thread", "loop.barriers_per_block"]
            .map(|keys| count(&rows, rung, keys))
    };
    assert_eq!(per_thread(5), [16, 8, 8]);
    assert_eq!(per_thread(8), [16, 8, 8]);
    assert_eq!(per_thread(13), [1, 1, 1]);
    let warp_use = |rung| [count(&rows, rung, "loop.active"), count(&rows, rung, "loop.slots")];
    assert_eq!(warp_use(5), [255, 1504]);
    assert_eq!(warp_use(8), [255, 384]);
    assert_eq!(warp_use(13), [1376, 1376]);
}

#[test]
fn every_rung_is_right_and_its_specification_can_be_run() {
    let folder = Folder::of("ladder_rungs").with("x.npy", crate::npy::array(&[1f32; 300]));
    let rows = rows(&folder, &["--n", "4096", "--block", "64"]);
    assert_eq!(rows.len(), 20);
    let of = |rung: usize| ["op", "ty", "layout"].map(|key| rows[rung - 1][key].as_str().unwrap());
    assert_eq!(of(17), ["sum", "f32", "contiguous"]);
    assert_eq!(of(18), ["max", "f64", "contiguous"]);
    assert_eq!(of(20), ["sum", "f32", "strided"]);
    for row in &rows {
        assert_eq!((&row["right"], &row["wrong"], &row["time"]), (&true.into(), &Value::Null, &Value::Null));
        let spec = row["spec"].as_str().unwrap();
        assert_eq!(folder.stdout(&["emit", spec, "--to", "spec"]), format!("{spec}\n"));
        if row["rung"] != 18 {
            assert_eq!(folder.result(spec, &["x.npy"]), "300.0", "{spec}");
        }
    }
}

#[test]
fn tables() {
    let folder = Folder::of("ladder_tables");
    insta::assert_snapshot!(folder.show_all(
        0,
        &[
            &["ladder", "--n", "256", "--device", "host"],
            &["ladder", "--op", "argmax", "--ty", "u32", "--n", "5000", "--block", "64", "--device", "host"],
            &["ladder", "--op", "dot", "--ty", "f16", "--n", "1", "--device", "host"],
        ]
    ));
}

/// One of the operators each day.
#[test]
fn tables_fit_a_screen() {
    let folder = Folder::of("ladder_width");
    for op in sample(["sum", "argmax"], 2) {
        let text = folder.stdout(&["ladder", "--op", op, "--device", "host"]);
        let long =
            text.lines().find(|line| line.chars().count() > 120 && !line.contains("does not exist here"));
        assert_eq!(long, None);
    }
}

/// The sources reduced `f32` by `sum`.
#[test]
fn published_figures_stand_beside_what_they_are_of() {
    let folder = Folder::of("ladder_published");
    let rows = rows(&folder, &["--n", "32"]);
    let first = |row: &Value| row["published"][0]["us"].as_f64();
    assert_eq!([4, 13, 14].map(|at| first(&rows[at - 1])), [None, Some(285.952), Some(285.952)]);
    for other in [["--op", "max"], ["--ty", "f64"]] {
        let rows = self::rows(&folder, &[&other[..], &["--n", "32"]].concat());
        assert!(rows.iter().all(|row| first(row).is_none()), "{other:?}");
    }
}

#[test]
fn what_cannot_be_climbed() {
    let folder = Folder::of("ladder_refused");
    insta::assert_snapshot!(folder.show_all(
        2,
        &[
            &["ladder", "--op", "xor"],
            &["ladder", "--op", "total"],
            &["ladder", "--block", "48"],
            &["ladder", "--n", "0"],
            &["ladder", "--n", "1e6"],
        ]
    ));
}

/// Uses far more elements than the interpreter could run.
#[test]
fn counts_are_of_few_elements_where_there_are_many() {
    let folder = Folder::of("ladder_many");
    let rows = rows(&folder, &["--n", "1000000000000", "--device", "host"]);
    assert_eq!((count(&rows, 8, "n"), count(&rows, 8, "counts_n")), (1_000_000_000_000, 1 << 19));
    assert_eq!((count(&rows, 19, "n"), count(&rows, 19, "counts_n")), (999_999_999_999, (1 << 19) - 1));
}

#[test]
fn without_a_gpu_there_are_no_times_and_a_word_why() {
    let output = Folder::of("ladder_no_gpu").run(&["ladder", "--n", "32"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.starts_with("no times: ") && stderr.contains("--device host") && stderr.lines().count() == 1,
        "{stderr}"
    );
    assert!(output.status.success());
}
