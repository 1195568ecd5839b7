//! A build without the feature `cuda` has the same types, and its errors say how to get CUDA.
#![cfg(not(feature = "cuda"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use reduce_runtime::{Device, Error, Nvrtc, devices};

#[test]
fn every_way_to_cuda_says_that_the_feature_is_missing() {
    let errors = [Device::cuda(0).unwrap_err(), Nvrtc::get().unwrap_err()];
    for error in errors {
        assert!(matches!(error, Error::BuiltWithoutCuda), "{error}");
        assert!(error.to_string().contains("feature `cuda`"), "{error}");
        assert!(!error.is_usage_error());
    }
}

#[test]
fn the_host_is_there() {
    assert_eq!(Device::auto().name(), "host");
    let names: Vec<_> = devices().into_iter().map(|listing| (listing.name, listing.device.is_ok())).collect();
    assert_eq!(names, [("host".to_owned(), true), ("cuda".to_owned(), false)]);
}
