//! `mpirun -n k reducegen run`: the result of one process, printed once.

use crate::folder::Folder;
#[cfg(feature = "mpi")]
use crate::skip::needed;
#[cfg(feature = "mpi")]
use std::process::{Command, Output};

const SPEC: &str = "op: sum, ty: f32, block: 64, passes: [shuffle]";

fn folder(name: &str) -> Folder {
    let elements: Vec<u8> = (0..10_000).flat_map(|at| (1.0 / (1.0 + at as f32)).to_le_bytes()).collect();
    Folder::of(name).with("x", elements)
}

#[cfg(feature = "mpi")]
fn mpirun(folder: &Folder, ranks: u32, args: &[&str]) -> Output {
    let mut command = Command::new("timeout");
    command.args(["60", "mpirun", "--allow-run-as-root", "--oversubscribe", "-n", &ranks.to_string()]);
    command.args(["--mca", "btl_vader_single_copy_mechanism", "none", env!("CARGO_BIN_EXE_reducegen")]);
    command.args(args).current_dir(folder.path("")).env("CUDA_VISIBLE_DEVICES", "").output().unwrap()
}

#[cfg(feature = "mpi")]
#[test]
fn ranks_have_the_result_of_one_process() {
    let found =
        Command::new("mpirun").arg("--version").output().map_err(|error| format!("no mpirun: {error}"));
    if needed("ranks_have_the_result_of_one_process", "REDUCEGEN_REQUIRE_MPI", found).is_none() {
        return;
    }
    let folder = folder("ranks");
    let rows = [
        "run",
        "op: sum, ty: f32, axes: i j -> j, passes: [shuffle]",
        "x",
        "--raw",
        "f32",
        "--shape",
        "2500x4",
    ];
    for args in [
        &["run", SPEC, "x", "--raw", "f32", "--device", "host"][..],
        &[&rows[..], &["--device", "host"]].concat(),
    ] {
        let wanted = folder.stdout(args);
        for ranks in [1, 2, 3, 7] {
            let output = mpirun(&folder, ranks, args);
            let shown = String::from_utf8_lossy(&output.stdout);
            assert_eq!(shown, wanted, "{ranks} ranks: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
    let output = mpirun(&folder, 3, &["run", "op: summ, ty: f32", "x", "--raw", "f32"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && text.matches("`summ`").count() == 1, "{text}");
}

#[cfg(not(feature = "mpi"))]
#[test]
fn a_command_without_mpi_refuses_several_ranks() {
    let folder = folder("no_ranks");
    let mut command = folder.command(&["run", SPEC, "x", "--raw", "f32"]);
    let output = command.env("OMPI_COMM_WORLD_SIZE", "2").output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("--features mpi") && output.status.code() == Some(2), "{text}");
}
