//! The device of calls that name none. Each case is a process of its own, because the environment is read once.

use super::device::gpu;
use reduce_runtime::{Array, Numbered, Reduction};
use std::process::Command;

/// Takes long on a core.
const LONG: Reduction<f64, f64> = Reduction::new(|| {
    Ok(reduce_dsl::parse::spec("ty: f64, map: |x| ((x * 0.5).exp() + 1.0).ln(), op: sum").unwrap())
});

/// As long, and in an order that only the host keeps.
const ORDERED: Reduction<Numbered<f64, u32>, Array<Option<f64>>> = Reduction::new(|| {
    let text = "ty: f64, map: |x| ((x * 0.5).exp() + 1.0).ln(), op: |_a, b| b, identity: none, by: { k: u32 }, groups: 4";
    Ok(reduce_dsl::parse::spec(text).unwrap())
});

/// Prints the results of both. Runs in the processes of the other test.
#[test]
#[ignore = "a part of `calls_without_a_device_use_the_gpu_where_it_is_worth_it`"]
fn child() {
    let x: Vec<f64> = (0..1 << 20).map(|at| f64::from(at % 1013) / 1013.0).collect();
    let keys: Vec<u32> = (0..1 << 20).map(|at| at % 4).collect();
    println!("long {:x}", LONG.reduce(&x).unwrap().to_bits());
    println!("ordered {:?}", ORDERED.reduce_keys(&x, &keys).map(|it| it.values).map_err(|it| it.to_string()));
}

/// Returns what the process prints, and the number of kernels that it compiles.
fn run(name: &str, environment: &[(&str, &str)]) -> (Vec<String>, usize) {
    let cache = std::env::temp_dir().join(format!("reducegen-default-device-{name}-{}", std::process::id()));
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "default_device::child", "--ignored", "--nocapture", "--test-threads", "1"]);
    command
        .env_remove("REDUCEGEN_DEVICE")
        .env("REDUCEGEN_CACHE_DIR", &cache)
        .envs(environment.iter().copied());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = ["long ", "ordered "].map(|word| {
        let found = text.lines().find_map(|line| line.find(word).map(|at| line[at..].to_owned()));
        found.unwrap_or_else(|| panic!("no {word}in {text}"))
    });
    let images = std::fs::read_dir(&cache).map_or(0, |folder| {
        // The identity of NVRTC is small.
        folder.flatten().filter(|it| it.metadata().is_ok_and(|it| it.len() > 1000)).count()
    });
    let _ = std::fs::remove_dir_all(cache);
    (lines.to_vec(), images)
}

#[test]
fn calls_without_a_device_use_the_gpu_where_it_is_worth_it() {
    let test = "calls_without_a_device_use_the_gpu_where_it_is_worth_it";
    let Some(_) = gpu(test) else { return };
    let (wanted, images) = run("host", &[("REDUCEGEN_DEVICE", "host")]);
    assert_eq!(images, 0, "the host compiles no kernels");
    let (found, images) = run("one-core", &[("RAYON_NUM_THREADS", "1")]);
    assert_eq!(found, wanted, "also where the GPU refuses the specification");
    assert!(images > 0, "a GPU is faster than one core");
    let (found, images) = run("gpu", &[("REDUCEGEN_DEVICE", "cuda")]);
    assert_eq!((&found[0], images > 0), (&wanted[0], true));
    assert!(found[1].contains("use the device `host`"), "{}", found[1]);
}
