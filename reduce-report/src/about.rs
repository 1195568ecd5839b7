//! A specification in sentences.

mod cut;

use crate::data::Data;
use crate::kernels::Kernels;
use reduce_dsl::laws::{Effort, Found, Remark};
use reduce_dsl::operators;
use reduce_dsl::parse::{Bytes, Parsed};
use reduce_ir::operation::{Operation, Order};
use reduce_ir::ops::Bin;
use serde::Serialize;

/// A property of a reduction, in sentences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sentence {
    /// The property.
    term: &'static str,
    /// The sentences.
    text: String,
}

/// Returns the meaning of a specification, and the bound of the error of its kernels for the elements.
pub(crate) fn about(parsed: &Parsed<Bytes>, kernels: Kernels<'_>, data: &Data) -> Vec<Sentence> {
    let operation = &parsed.spec.operation;
    let found = parsed.subject.check(Effort::Sample).ok();
    let mut about = vec![
        Sentence { term: "Operator", text: operator(operation) },
        Sentence { term: "Elements", text: elements(operation) },
        Sentence { term: "Accumulator", text: accumulator(operation) },
        Sentence { term: "No elements", text: nothing(operation) },
    ];
    about.extend(found.as_ref().map(|found| Sentence { term: "Laws", text: laws(found) }));
    about.push(Sentence { term: "Order", text: order(operation) });
    let remarks = found.iter().flat_map(|found| &found.remarks).map(remark);
    about.extend(remarks.map(|text| Sentence { term: "Special values", text }));
    about.extend(ties(operation).map(|text| Sentence { term: "Ties", text: text.to_owned() }));
    let groups = parsed.spec.axes.as_ref().map(|axes| cut::groups(operation, axes));
    about.extend(groups.map(|(term, text)| Sentence { term, text }));
    about.extend(cut::threads(kernels, data).map(|text| Sentence { term: "Threads", text }));
    let n = data.longest();
    about.push(Sentence { term: "Error", text: error(operation, kernels.association(n).depth(n)) });
    about
}

fn operator(operation: &Operation) -> String {
    match operators::operator(&operation.name).filter(|_| operation.named) {
        Some(row) => format!("`{}`: {}.", row.name, row.doc.trim_end_matches('.')),
        None => format!("Two accumulators become one by `{}`.", operation.combine),
    }
}

fn elements(operation: &Operation) -> String {
    let inputs: Vec<_> = operation.inputs.iter().map(|it| format!("`{}`: {}", it.name, it.ty)).collect();
    let inputs = if let [only] = &inputs[..] {
        format!("One input, {only}")
    } else {
        format!("Inputs {}", inputs.join(", "))
    };
    let params: Vec<_> =
        operation.given_params().iter().map(|it| format!("`{}`: {}", it.name, it.ty)).collect();
    let params =
        if params.is_empty() { String::new() } else { format!(" The call passes {}.", params.join(", ")) };
    format!("{inputs}. An element becomes an accumulator by `{}`.{params}", operation.map)
}

fn accumulator(operation: &Operation) -> String {
    let fold = operation
        .fold
        .as_ref()
        .map_or_else(String::new, |fold| format!(" A thread adds an element by `{fold}`."));
    format!(
        "`{}`, {} bytes.{fold} The result is `{}`, by `{}`.",
        operation.acc.text(),
        operation.acc.size(),
        operation.output.text(),
        operation.finish
    )
}

fn nothing(operation: &Operation) -> String {
    let shown =
        |values: &[reduce_ir::Value]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match (&operation.empty, &operation.identity) {
        (Some(values), _) => format!("The result of no elements is `{}`.", shown(values)),
        (None, Some(values)) => {
            format!("The accumulator of no elements is the identity, `{}`.", shown(values))
        }
        (None, None) => "There is no identity: a reduction of no elements has no result.".to_owned(),
    }
}

fn laws(found: &Found) -> String {
    let law = |it: &reduce_dsl::laws::Checked| {
        let cases = it.cases.exact + it.cases.bounded;
        format!("{} ({cases} {})", it.law, if it.cases.exhaustive { "cases, all" } else { "sampled cases" })
    };
    let laws: Vec<_> = found.checked.iter().map(law).collect();
    let order = match &found.not_commutative {
        Some(example) => format!(" It does not commute: {example}."),
        None => String::new(),
    };
    format!("Tested: {}.{order}", laws.join(", "))
}

fn order(operation: &Operation) -> String {
    let moved =
        if operation.commutative { "Elements may be reordered." } else { "Elements keep their order." };
    let bits = match (operation.exact, operation.order) {
        (true, _) => "Every order gives the same bits.",
        (false, Order::Fixed) => {
            "The order changes the bits, so it is fixed: it depends on the specification and the number of elements only."
        }
        (false, Order::Any) => "The order may change from run to run, and with it the bits.",
    };
    format!("{moved} {bits}")
}

fn remark(remark: &Remark) -> String {
    let text = remark.to_string();
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}

fn ties(operation: &Operation) -> Option<&'static str> {
    let search = operation.searches.first()?;
    Some(if search.place == Bin::Max {
        "Of equal elements, the last one wins."
    } else {
        "Of equal elements, the first one wins."
    })
}

fn error(operation: &Operation, depth: u64) -> String {
    let path = format!("An element passes through at most {depth} combinations on its way to the result.");
    if operation.exact {
        return format!("{path} No combination rounds differently in another order.");
    }
    format!(
        "{path} For a sum of x with unit roundoff u, the error is at most γ · Σ|x|, where γ = {depth} u / (1 − {depth} u)."
    )
}
