//! Tests of `check`: the laws that it finds to hold or broken.

use crate::folder::Folder;
use serde_json::Value;

const PROBABILITY: &str = "ty: f64, op: |a, b| a + b - a * b, identity: 0.0";
const DIFFERENCE: &str = "ty: i32, op: |a, b| a - b, identity: none";

#[test]
fn laws_that_hold() {
    insta::assert_snapshot!(Folder::of("laws").show_all(
        0,
        &[
            &["check", "op: max, ty: i8"],
            &["check", "op: min, ty: u8", "--exhaustive"],
            &["check", PROBABILITY],
            &["check", "ty: f32, op: |a, b| if a > b { a } else { b }, identity: none"],
        ]
    ));
}

#[test]
fn laws_that_do_not() {
    let folder = Folder::of("broken_laws")
        .with("mean.reduce", "ty: f64,\nop: |a, b| (a + b) / 2.0,\nidentity: none\n");
    insta::assert_snapshot!(folder.show_all(
        1,
        &[
            &["check", DIFFERENCE],
            &["check", "@mean.reduce"],
            &["check", "ty: u32, op: |a, b| a + b, identity: 1"],
            &["check", "ty: f32, op: |a, b| a, identity: none, commutative: true"],
            &["check", "ty: f32, map: |x| x.abs(), op: |a, b| a + b, fold: |acc, x| acc + x, identity: 0.0"],
        ]
    ));
}

#[test]
fn other_mistakes_are_the_users() {
    let folder = Folder::of("check_mistakes");
    for spec in ["op: maxx, ty: f32", "op: max", "ty: f32, op: |a, b| a - b"] {
        assert_eq!(folder.run(&["check", spec, "--json"]).status.code(), Some(2), "{spec}");
    }
}

#[test]
fn json_says_what_holds() {
    let folder = Folder::of("check_json");
    let line: Value = serde_json::from_str(&folder.stdout(&["check", PROBABILITY, "--json"])).unwrap();
    assert_eq!((&line["holds"], &line["commutative"]), (&Value::Bool(true), &Value::Bool(true)));
    let laws = line["laws"].as_array().unwrap();
    assert_eq!(
        laws.iter().map(|law| &law["law"]).collect::<Vec<_>>(),
        ["associative", "identity", "commutative"]
    );
    assert!(laws.iter().all(|law| law["exact"].as_u64() > law["discarded"].as_u64()), "{line}");
    let broken = folder.run(&["check", DIFFERENCE, "--json"]);
    let line: Value = serde_json::from_slice(&broken.stdout).unwrap();
    let example = serde_json::json!({
        "left": ["op(op(0, 0), 1)", "-1"],
        "right": ["op(0, op(0, 1))", "1"],
    });
    assert_eq!(line["counterexample"], example);
    assert_eq!((&line["law"], &line["holds"]), (&"associative".into(), &Value::Bool(false)));
}
