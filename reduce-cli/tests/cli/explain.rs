//! Tests of `explain`: the effect of each pass.

use crate::folder::Folder;
use serde_json::Value;

#[test]
fn stages_and_the_time_of_a_read() {
    let folder = Folder::of("explain");
    insta::assert_snapshot!(folder.show_all(
        0,
        &[
            &[
                "explain",
                "op: sum, ty: f32, passes: [sequential, last_warp, unroll, coarsen(8)]",
                "--n",
                "4096",
                "--device",
                "host"
            ],
            &["explain", "op: argmax, ty: f64", "--n", "10000", "--gb-per-s", "1000", "--device", "host"],
            &["explain", "op: sum, ty: f32, block: 32, passes: []", "--n", "1", "--device", "host"],
            &[
                "explain",
                "op: max, ty: f32, passes: [in_place, sequential]",
                "--n",
                "256",
                "--device",
                "host"
            ],
        ]
    ));
}

#[test]
fn json_has_a_line_for_each_stage() {
    let folder = Folder::of("explain_json");
    let spec = "op: sum, ty: f32, block: 64, passes: [shuffle, coarsen(4)]";
    let lines = folder.stdout(&["explain", spec, "--n", "1024", "--json"]);
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<_> = lines.iter().map(|line| line["after"].as_str().unwrap()).collect();
    assert_eq!(names, ["naive", "shuffle", "coarsen(4)"]);
    // Without coarsening 16 blocks, then one; with it 4, then one. Each block has two warps, which meet once.
    let barriers = lines.iter().map(|line| line["kernel"]["block_barriers"].as_u64().unwrap());
    assert_eq!(barriers.collect::<Vec<_>>(), [17 * 7, 17, 5]);
    assert_eq!(lines[0]["read_us"].as_f64().unwrap(), 4096.0 / 4600e3);
    assert_eq!(lines[0]["read_measured"], false);
}

/// Every stage is run on elements that it takes, and reads the same places as the host.
#[test]
fn rows_of_every_team_are_explained() {
    let folder = Folder::of("explain_rows");
    for (axes, shape) in [("i j -> i", "i=2,j=20"), ("i j -> i", "i=30,j=12"), ("i j -> j", "i=30,j=20")] {
        let spec = format!("op: sum, ty: f32, axes: {axes}");
        for order in [&[][..], &["--fortran"]] {
            folder.stdout(&[&["explain", &spec, "--shape", shape, "--device", "host"], order].concat());
        }
    }
}

#[test]
fn what_cannot_be_explained() {
    let folder = Folder::of("explain_refused");
    insta::assert_snapshot!(folder.show_all(
        2,
        &[
            &["explain", "op: sum, ty: f32, passes: [shuffle, last_warp]"],
            &["explain", "op: sum"],
            &["explain", "op: sum, ty: f32", "--gb-per-s", "0"],
        ]
    ));
}
