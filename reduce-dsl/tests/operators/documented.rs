//! Tests that the table in `docs/operators.md` matches the rows. `REDUCEGEN_UPDATE_DOCS=1` rewrites it.

use super::ways::{How, IGNORE, USUAL, operation, result, result_of};
use reduce_dsl::operators::{OPERATORS, Operator};
use reduce_ir::operation::Record;
use reduce_ir::{Scalar, Value};
use std::fs;

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/operators.md");
const BEGIN: &str =
    "<!-- The rows of the table; `reduce-dsl/tests/operators/documented.rs` writes them. -->\n";
const END: &str = "<!-- The end of the rows. -->\n";

/// The element types that results are shown for.
const SHOWN: [Scalar; 4] = [Scalar::F32, Scalar::F16, Scalar::I8, Scalar::Bool];

fn table() -> String {
    let head = "| `op` | gives | elements | result | of nothing | of NaN only, ignored | same bits in every order | as |\n\
                |---|---|---|---|---|---|---|---|\n";
    OPERATORS.iter().fold(head.to_owned(), |text, row| text + &line(row))
}

fn line(row: &Operator) -> String {
    let [nothing, ignored] = [nothing(row, USUAL), ignored(row)];
    let name =
        if row.inputs == 2 { format!("`{}` of 2 inputs", row.name) } else { format!("`{}`", row.name) };
    let cells = [
        name,
        row.doc.to_owned(),
        row.domain.text().to_owned(),
        results(row),
        nothing,
        ignored,
        exact(row).to_owned(),
        row.source.to_owned(),
    ];
    let cells = cells.map(|cell| cell.replace('|', "\\|"));
    format!("| {} |\n", cells.join(" | "))
}

fn types(row: &Operator) -> impl Iterator<Item = Scalar> {
    SHOWN.into_iter().filter(|&ty| row.takes(ty))
}

/// Returns the result for each shown type, or one result if they are equal.
fn results(row: &Operator) -> String {
    let of = |ty| (ty, written(&operation(row.name, ty, USUAL).output));
    let results: Vec<_> = types(row).map(of).collect();
    if results.iter().all(|(_, result)| *result == results[0].1) {
        return results[0].1.clone();
    }
    let shown = results.iter().map(|(ty, result)| format!("`{ty}`: {result}"));
    shown.collect::<Vec<_>>().join(", ")
}

fn written(record: &Record) -> String {
    match (&record.name, &record.generics) {
        (Some(name), Some(generics)) if !generics.is_empty() => {
            let generics: Vec<_> = generics.iter().map(|ty| ty.name()).collect();
            format!("`{name}<{}>`", generics.join(", "))
        }
        (Some(name), _) => format!("`{name}`"),
        (None, _) => format!("`{}`", record.text()),
    }
}

fn first_type(row: &Operator) -> Scalar {
    types(row).next().unwrap()
}

fn nothing(row: &Operator, how: How) -> String {
    let operation = operation(row.name, first_type(row), how);
    let Some(identity) = &operation.identity else { return "error".to_owned() };
    let counted = operation.counts().then(|| Value::of(0u64));
    let args: Vec<_> = identity.iter().copied().chain(counted).collect();
    values(&operation.finish.evaluate(&args).unwrap())
}

fn ignored(row: &Operator) -> String {
    if !row.takes(Scalar::F32) {
        return "–".to_owned();
    }
    if row.inputs == 2 {
        return nothing(row, IGNORE);
    }
    result(row.name, IGNORE, &[f32::NAN; 2]).map_or_else(|| "error".to_owned(), |found| values(&found))
}

fn values(values: &[Value]) -> String {
    let shown: Vec<_> = values.iter().map(|value| format!("{value}").replace("inf", "∞")).collect();
    shown.join(", ")
}

fn exact(row: &Operator) -> &'static str {
    let of: Vec<bool> = types(row).map(|ty| operation(row.name, ty, USUAL).exact).collect();
    match (of.iter().all(|it| *it), of.iter().any(|it| *it), row.commutative) {
        (true, ..) => "yes",
        (false, true, _) => "of integers",
        (false, false, true) => "no",
        (false, false, false) => "no: the order decides",
    }
}

#[test]
fn the_documentation_has_the_rows() {
    let page = fs::read_to_string(PATH).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (found, after) = rest.split_once(END).unwrap();
    if std::env::var_os("REDUCEGEN_UPDATE_DOCS").is_some() {
        fs::write(PATH, [before, BEGIN, &table(), END, after].concat()).unwrap();
        return;
    }
    assert_eq!(found, table(), "write it anew with REDUCEGEN_UPDATE_DOCS=1");
}

/// Returns the section on limits.
fn limits(page: &str) -> &str {
    let (_, rest) = page.split_once("## What can still go wrong").unwrap();
    rest.split_once("\n## ").unwrap().0
}

/// Returns the parts of a text between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn every_operator_has_its_limits_and_every_way_out_is_a_specification() {
    let page = fs::read_to_string(PATH).unwrap().replace("\\|", "│");
    let rows = limits(&page).lines().filter(|line| line.starts_with("| `"));
    let rows: Vec<Vec<&str>> = rows.map(|line| line.split('|').map(str::trim).collect()).collect();
    for row in &OPERATORS {
        assert!(rows.iter().any(|it| quoted(it[1]).any(|name| name == row.name)), "{}", row.name);
    }
    let ways: Vec<&str> =
        rows.iter().flat_map(|row| quoted(row[3])).filter(|it| it.contains("op: ")).collect();
    assert!(ways.len() > 8, "{ways:?}");
    for way in ways {
        let way = way.replace("│", "|");
        let typed = if way.contains("ty: ") || way.contains("inputs: ") { "" } else { "ty: f32, " };
        let text = format!("{typed}{way}").replace("ty: f32, op: sum, acc: i64", "ty: i8, op: sum, acc: i64");
        assert!(reduce_dsl::parse::spec(&text).is_ok(), "{text}");
    }
}

#[test]
fn the_product_with_its_exponent_apart_leaves_no_range() {
    let page = fs::read_to_string(PATH).unwrap();
    let text = limits(&page).split("```text").nth(1).unwrap().split("```").next().unwrap();
    let product = |x: &[f64]| result_of(text, x).unwrap()[0].as_f64().unwrap();
    let (large, small) = (2f64.powi(1000), 2f64.powi(-1074));
    assert_eq!(product(&[large, large, 1.0 / large, 1.0 / large]), 1.0);
    assert_eq!(product(&[small, small, large, large, 2f64.powi(148)]), 1.0);
    assert_eq!(product(&[-3.0, 0.5, 8.0]), -12.0);
    assert_eq!(product(&[large, 0.0, large]), 0.0);
    assert_eq!(product(&[large, large]), f64::INFINITY);
    assert_eq!(product(&[large, -f64::INFINITY, small]), -f64::INFINITY);
    assert!(product(&[0.0, f64::INFINITY]).is_nan());
    assert_eq!(product(&[]), 1.0);
}
