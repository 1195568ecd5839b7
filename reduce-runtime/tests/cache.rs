//! The cache of compiled kernels, with real files, many threads and several processes, through a real NVRTC, which
//! needs no GPU. A hit is detected by NVRTC not being called. Set REDUCEGEN_REQUIRE_NVRTC=1 to fail without NVRTC.
#![cfg(all(feature = "cuda", unix))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../tests/support/skip.rs"]
mod skip;

use reduce_dsl::operators::operator;
use reduce_ir::func::Param;
use reduce_ir::pass::Pass;
use reduce_ir::program::Program;
use reduce_ir::spec::Passes;
use reduce_ir::{Domain, Scalar, Spec};
use reduce_runtime::{Architecture, Cache, Compiler, Error, Image, Nvrtc, Target};
use skip::{needed, skipped};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const SM_90: Architecture = Architecture::from_number(90);
const TARGET: Target = Target::Cubin(SM_90);

fn program(name: &str, ty: Scalar) -> Program {
    let operation = operator(name).unwrap().apply(&[Param::new("x", ty)], None).unwrap();
    let passes = Passes::List(vec![Pass::plain("shuffle")]);
    reduce_codegen::compile(&Spec {
        operation,
        domain: Domain::WHOLE,
        axes: None,
        defaults: Vec::new(),
        text: String::new(),
        block: None,
        passes,
    })
    .unwrap()
}

fn sum() -> Program {
    program("sum", Scalar::F32)
}

/// Returns an empty folder for a cache, or `None` after printing why the test cannot run.
fn folder(test: &str) -> Option<PathBuf> {
    needed(test, "REDUCEGEN_REQUIRE_NVRTC", Nvrtc::get())?;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cache-{test}"));
    let _ = fs::set_permissions(&folder, Permissions::from_mode(0o700));
    let _ = fs::remove_dir_all(&folder);
    Some(folder)
}

/// Returns the image of `sum`, and whether NVRTC compiled it.
fn image(folder: &Path) -> (Image, bool) {
    let compiler = Compiler::new(Cache::at(folder));
    let image = compiler.image(&sum(), TARGET).unwrap();
    (image, compiler.compiled() > 0)
}

/// Checks that the image of `sum` is correct, and returns whether NVRTC compiled it.
fn compiles(folder: &Path) -> bool {
    let (image, compiled) = image(folder);
    let right = Nvrtc::get().unwrap().compile_program(&sum(), TARGET).unwrap();
    assert!(image.bytes == right.bytes && image.resources == right.resources, "{:?}", image.resources);
    compiled
}

/// Returns the only entry.
fn entry(folder: &Path) -> PathBuf {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let entries: Vec<_> = entries.filter(|path| !path.is_dir()).collect();
    let [entry] = entries.as_slice() else { unreachable!("one entry: {entries:?}") };
    entry.clone()
}

#[test]
fn what_was_compiled_is_found_again_with_its_resources() {
    let Some(folder) = folder("found_again") else { return };
    let (first, compiled) = image(&folder);
    assert!(compiled && first.resources.iter().all(|kernel| kernel.registers > 0));
    let (second, compiled) = image(&folder);
    assert!(!compiled && first == second && !second.resources.is_empty());
}

#[test]
fn another_program_and_another_target_are_other_entries() {
    let Some(folder) = folder("other_entries") else { return };
    let compiler = Compiler::new(Cache::at(&folder));
    let programs = [("sum", Scalar::F32), ("sum", Scalar::F64), ("max", Scalar::F32)]
        .map(|(name, ty)| program(name, ty));
    let targets = [TARGET, Target::Ptx(SM_90), Target::Cubin(Architecture::from_number(80))];
    let all = || programs.iter().flat_map(|program| targets.map(|target| (program, target)));
    let first: Vec<_> = all().map(|(program, target)| compiler.image(program, target).unwrap()).collect();
    assert_eq!(compiler.compiled(), 9);
    for ((program, target), image) in all().zip(&first) {
        assert!(compiler.image(program, target).unwrap() == *image);
        assert!(Nvrtc::get().unwrap().compile_program(program, target).unwrap().bytes == image.bytes);
    }
    assert_eq!(compiler.compiled(), 9);
}

#[test]
fn a_bad_entry_is_compiled_again_and_replaced() {
    let Some(folder) = folder("bad_entry") else { return };
    assert!(compiles(&folder));
    let path = entry(&folder);
    let bytes = fs::read(&path).unwrap();
    let changed = |place: usize| {
        let mut bytes = bytes.clone();
        bytes[place] ^= 0x40;
        bytes
    };
    let other = Compiler::new(Cache::at(folder.join("other")));
    other.image(&program("max", Scalar::F32), TARGET).unwrap();
    let faults = [
        ("empty", Vec::new()),
        ("cut off in its header", bytes[..30].to_vec()),
        ("cut off in its image", bytes[..bytes.len() - 1].to_vec()),
        ("longer", [&bytes[..], b"x"].concat()),
        ("of another layout", changed(16)),
        ("of another key", changed(20)),
        ("with another digest", changed(60)),
        ("with another length", changed(84)),
        ("with another image", changed(bytes.len() - 100)),
        ("an entry of another program", fs::read(entry(&folder.join("other"))).unwrap()),
        ("zeros", vec![0; bytes.len()]),
    ];
    for (fault, bad) in faults {
        fs::write(&path, bad).unwrap();
        assert!(compiles(&folder), "{fault}: not used");
        assert!(!compiles(&folder), "{fault}: replaced");
    }
}

#[test]
fn an_entry_that_others_can_write_or_that_is_no_file_is_not_used() {
    let Some(folder) = folder("not_ours") else { return };
    assert!(compiles(&folder));
    let path = entry(&folder);
    fs::set_permissions(&path, Permissions::from_mode(0o666)).unwrap();
    assert!(compiles(&folder), "others can write it");
    assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600, "replaced by one of ours");
    let elsewhere = folder.join("elsewhere");
    fs::rename(&path, &elsewhere).unwrap();
    symlink(&elsewhere, &path).unwrap();
    assert!(compiles(&folder), "a link");
    assert!(path.symlink_metadata().unwrap().is_file(), "the link was replaced, not what it points to");
    fs::remove_file(&path).unwrap();
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    assert!(compiles(&folder), "a pipe, which does not keep it waiting");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(compiles(&folder), "a folder, which stays");
    assert!(path.is_dir());
}

#[test]
fn the_folder_and_its_files_are_private() {
    let Some(folder) = folder("private") else { return };
    let inner = folder.join("made/on/the/way");
    image(&inner);
    assert_eq!(inner.metadata().unwrap().mode() & 0o777, 0o700);
    assert_eq!(entry(&inner).metadata().unwrap().mode() & 0o777, 0o600);
    assert!(Cache::at(&inner).to_string().contains("on/the/way, 1 entry, 0."), "{}", Cache::at(&inner));
}

#[test]
fn a_folder_that_others_can_write_is_not_used() {
    let Some(folder) = folder("shared") else { return };
    assert!(compiles(&folder));
    fs::set_permissions(&folder, Permissions::from_mode(0o777)).unwrap();
    assert!(compiles(&folder));
    let text = Cache::at(&folder).to_string();
    assert!(text.ends_with("cache-shared, not usable: other users can write it"), "{text}");
}

#[test]
fn a_folder_of_another_user_is_not_used() {
    let Some(folder) = folder("owner") else { return };
    assert!(compiles(&folder));
    if std::os::unix::fs::chown(&folder, Some(12345), None).is_err() {
        return skipped("a_folder_of_another_user_is_not_used", "only root can give a folder away");
    }
    assert!(compiles(&folder));
    let text = Cache::at(&folder).to_string();
    assert!(text.ends_with("not usable: it belongs to another user"), "{text}");
    std::os::unix::fs::chown(&folder, Some(0), None).unwrap();
}

#[test]
fn a_cache_that_cannot_be_written_fails_nothing() {
    let Some(folder) = folder("unwritable") else { return };
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("file");
    fs::write(&file, "no folder").unwrap();
    for path in
        [file.clone(), file.join("below"), PathBuf::from("/proc/reducegen"), PathBuf::from("/dev/null")]
    {
        assert!(compiles(&path) && compiles(&path), "{}", path.display());
    }
    assert_eq!(fs::read(&file).unwrap(), b"no folder");
}

#[test]
fn without_a_cache_nothing_is_written() {
    let Some(folder) = folder("off") else { return };
    let compiler = Compiler::new(Cache::off());
    for times in 1..=2 {
        compiler.image(&sum(), TARGET).unwrap();
        assert_eq!(compiler.compiled(), times);
    }
    assert_eq!((Cache::off().folder(), Cache::off().to_string().as_str()), (None, "off"));
    assert!(!folder.exists());
}

#[test]
fn what_does_not_compile_is_not_kept() {
    let Some(folder) = folder("does_not_compile") else { return };
    let compiler = Compiler::new(Cache::at(&folder));
    let error = compiler.image(&sum(), Target::Cubin(Architecture::from_number(13))).unwrap_err();
    assert!(matches!(error, Error::UnknownArchitecture { .. }), "{error}");
    assert!(!folder.exists());
}

#[test]
fn threads_share_a_cold_cache() {
    let Some(folder) = folder("threads") else { return };
    std::thread::scope(|scope| {
        [0; 8].map(|_| scope.spawn(|| compiles(&folder))).map(|thread| thread.join().unwrap())
    });
    assert!(!compiles(&folder));
}

/// The part of the next tests that runs in child processes.
#[test]
fn child() {
    let Some(folder) = std::env::var_os("REDUCEGEN_TEST_CACHE") else { return };
    let (image, compiled) = image(Path::new(&folder));
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    println!("compiled: {compiled}, loaded: {}, bytes: {}", maps.contains("libnvrtc"), image.bytes.len());
}

fn spawn(folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child", "--nocapture"]).env("REDUCEGEN_TEST_CACHE", folder);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Returns the line that the child printed.
fn said(output: &std::process::Output) -> String {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(output.status.success(), "{text}");
    let start = text.find("compiled: ").unwrap();
    text[start..].lines().next().unwrap().to_owned()
}

#[test]
fn processes_share_a_cold_cache() {
    let Some(folder) = folder("processes") else { return };
    let children: Vec<_> = (0..6).map(|_| spawn(&folder).spawn().unwrap()).collect();
    let said: Vec<_> = children.into_iter().map(|child| said(&child.wait_with_output().unwrap())).collect();
    assert!(said.iter().all(|line| line.ends_with(said[0].rsplit(' ').next().unwrap())), "{said:?}");
    assert!(!compiles(&folder));
    let left = fs::read_dir(&folder).unwrap().count();
    assert_eq!(left, 2, "the kernels and what NVRTC is, and nothing unfinished");
}

#[test]
fn a_process_that_finds_everything_does_not_load_nvrtc() {
    let Some(folder) = folder("not_loaded") else { return };
    let run = || said(&spawn(&folder).output().unwrap());
    assert!(run().starts_with("compiled: true, loaded: true"));
    let second = run();
    if !cfg!(target_os = "linux") {
        let test = "a_process_that_finds_everything_does_not_load_nvrtc";
        return skipped(test, "only Linux lists what is loaded");
    }
    assert!(second.starts_with("compiled: false, loaded: false"), "{second}");
    // Another environment may select another NVRTC, so its identity must be read; here it is the same one.
    let elsewhere = said(&spawn(&folder).env("LD_LIBRARY_PATH", "/nonexistent").output().unwrap());
    assert!(elsewhere.starts_with("compiled: false, loaded: true"), "{elsewhere}");
}

#[test]
fn a_process_that_was_killed_while_it_wrote_leaves_nothing_that_is_used() {
    let Some(folder) = folder("killed") else { return };
    for delay in [5, 40, 80, 120, 160, 200] {
        let mut child = spawn(&folder).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(delay));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    compiles(&folder);
    assert!(!compiles(&folder));
}
