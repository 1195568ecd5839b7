//! Tests of files that change while they are open.

use super::{Data, LanesRef, Reading, Reason};
use crate::dtype::Dtype;
use std::error::Error;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;

const BOOLS: &str = "bool";

fn file(name: &str, bytes: &[u8]) -> Result<PathBuf, Box<dyn Error>> {
    let path = std::env::temp_dir().join(format!("reducegen-{name}-{}", std::process::id()));
    fs::write(&path, bytes)?;
    Ok(path)
}

fn reading(ty: &str) -> Reading {
    Reading { raw: Dtype::named(ty), limit: 1 << 20 }
}

#[test]
fn a_bool_stays_one_whatever_becomes_of_the_file() -> Result<(), Box<dyn Error>> {
    let path = file("bools", &[0, 1, 1])?;
    let data = Data::open(&path, reading(BOOLS))?;
    fs::OpenOptions::new().write(true).open(&path).and_then(|mut file| file.write_all(&[2, 2, 2]))?;
    assert!(matches!(data.lanes()?, LanesRef::Bool([false, true, true])));
    Ok(fs::remove_file(path)?)
}

#[test]
fn a_file_that_was_written_is_noticed() -> Result<(), Box<dyn Error>> {
    let path = file("grows", &[1; 64])?;
    let data = Data::open(&path, reading("u8"))?;
    data.check_unchanged()?;
    fs::OpenOptions::new().append(true).open(&path).and_then(|mut file| file.write_all(&[2]))?;
    assert!(matches!(data.check_unchanged().map_err(|error| error.reason), Err(Reason::Changed)));
    Ok(fs::remove_file(path)?)
}

/// Reading lost bytes ends the process. So another process reads them: it runs this same test.
#[test]
fn a_read_of_bytes_that_a_file_has_lost_ends_with_a_sentence() -> Result<(), Box<dyn Error>> {
    const READER: &str = "REDUCEGEN_READS_WHAT_IS_LOST";
    if let Some(path) = std::env::var_os(READER) {
        let path = PathBuf::from(path);
        let data = Data::open(&path, reading("u8"))?;
        File::create(&path)?;
        let sum: u64 = data.storage.elements().iter().map(|&byte| u64::from(byte)).sum();
        return Err(format!("the bytes are still there: {sum}").into());
    }
    let path = file("lost", &[1; 1 << 16])?;
    let test = "data::tests::a_read_of_bytes_that_a_file_has_lost_ends_with_a_sentence";
    let mut command = Command::new(std::env::current_exe()?);
    let output = command.args(["--exact", test, "--nocapture"]).env(READER, &path).output()?;
    let expected = format!("error: {}: {}\n", path.display(), super::changed());
    assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
    assert_eq!(output.status.code(), Some(1));
    Ok(fs::remove_file(path)?)
}
