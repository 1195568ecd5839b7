//! Tests of `run --trace`: each step, as a teacher draws it.

use crate::folder::Folder;
use crate::npy;

#[test]
fn every_way_to_combine() {
    let folder = Folder::of("trace")
        .with("few.npy", npy::array(&[3f32, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0]))
        .with("more.npy", npy::array(&(1..=70).collect::<Vec<i32>>()));
    insta::assert_snapshot!(folder.show_all(
        0,
        &[
            &["run", "op: sum, block: 32, passes: []", "few.npy", "--trace"],
            &["run", "op: argmax, block: 32, passes: [sequential]", "few.npy", "--trace"],
            &["run", "op: sum, block: 32, passes: [serial]", "few.npy", "--trace"],
            &["run", "op: sum, block: 32, passes: [in_place, sequential]", "few.npy", "--trace"],
            &["run", "op: sum, block: 64, passes: [shuffle, unroll]", "more.npy", "--trace"],
            &["run", "op: max, block: 32, passes: [shuffle, vectorize(4)]", "more.npy", "--trace"],
            &["run", "op: sum, order: any, block: 32, passes: [sequential, atomic]", "more.npy", "--trace"],
            &[
                "run",
                "map: |x| x.abs(), op: sum, layout: strided",
                "few.npy",
                "--step",
                "2",
                "--offset",
                "1",
                "--trace"
            ],
            &["run", "op: dot, block: 32", "few.npy", "few.npy", "--trace"],
            &[
                "run",
                "op: max, block: 32, passes: [vectorize(4), coarsen(3)]",
                "more.npy",
                "--offset",
                "20",
                "--trace"
            ],
        ]
    ));
}

/// The steps end with the result of the host.
#[test]
fn the_result_is_that_of_the_host() {
    let numbers: Vec<_> = (0..4096).map(|i| (i as f32 * 0.37).sin()).collect();
    let folder = Folder::of("trace_result").with("x.npy", npy::array(&numbers));
    for passes in ["auto", "[]", "[strided_index, coarsen(3)]", "[grid_stride(2), sequential, last_warp]"] {
        let spec = format!("op: sum, passes: {passes}");
        let steps = folder.stdout(&["run", &spec, "x.npy", "--trace", "--device", "host"]);
        assert_eq!(steps.lines().last().unwrap(), format!("result: {}", folder.result(&spec, &["x.npy"])));
    }
}

#[test]
fn what_cannot_be_traced() {
    let folder = Folder::of("trace_refused")
        .with("none.npy", npy::array::<f32>(&[]))
        .with("many.npy", npy::array(&[1f32; 4097]))
        .with("x.npy", npy::array(&[1f32]));
    insta::assert_snapshot!(folder.show_all(
        2,
        &[
            &["run", "op: sum", "none.npy", "--trace"],
            &["run", "op: sum", "many.npy", "--trace"],
            &["run", "op: sum", "x.npy", "--trace", "--json"],
            &["run", "op: sum", "x.npy", "--trace", "--device", "cuda"],
            &["run", "op: sum", "many.npy", "--step", "2", "--trace"],
        ]
    ));
}
