//! Names of architectures, and the choice of a compilation target for a device.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use reduce_runtime::{Architecture, Error, Target};

fn sm(number: u32) -> Architecture {
    Architecture::from_number(number)
}

#[test]
fn the_spellings_of_an_architecture_mean_the_same() {
    for text in ["sm_90", "90", "9.0"] {
        assert_eq!(text.parse::<Architecture>().unwrap(), sm(90), "{text}");
    }
    assert_eq!("12.1".parse::<Architecture>().unwrap(), sm(121));
    assert_eq!("sm_100".parse::<Architecture>().unwrap().to_string(), "sm_100");
    assert_eq!(Architecture::from_capability(10, 3), sm(103));
}

#[test]
fn text_that_names_no_architecture_is_refused() {
    for text in
        ["", "sm_", "sm_9", "sm_90a", "compute_90", "-90", "+90", "9.0.0", "9.", ".90", "9000", "hopper"]
    {
        let error = text.parse::<Architecture>().unwrap_err();
        assert!(matches!(error, Error::MalformedArchitecture { .. }), "{text}: {error}");
        assert!(error.is_usage_error() && error.to_string().contains("write it as sm_90"), "{error}");
    }
}

#[test]
fn a_device_gets_its_own_machine_code_or_else_ptx_of_the_newest() {
    let offered = [75, 80, 90, 100].map(sm);
    let target = |device| Target::for_device(sm(device), &offered);
    assert_eq!(target(90).unwrap(), Target::Cubin(sm(90)));
    assert_eq!(target(130).unwrap(), Target::Ptx(sm(100)));
    assert_eq!(target(130).unwrap().to_string(), "compute_100");
    for unknown in [70, 87] {
        let message = target(unknown).unwrap_err().to_string();
        assert!(message.contains(&format!("sm_{unknown}")) && message.contains("sm_75, sm_80"), "{message}");
    }
    let nothing = Target::for_device(sm(90), &[]).unwrap_err().to_string();
    assert!(
        nothing.ends_with(
            "; it compiles for no architecture; install another NVRTC, or set REDUCEGEN_NVRTC to its path"
        ),
        "{nothing}"
    );
}
