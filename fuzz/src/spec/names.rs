//! The names that a specification gives its inputs, params, position, fields and structs.

use super::value::Writer;
use crate::choices::Choices;
use reduce_ir::Scalar;

/// A name and its type.
pub(super) type Typed = (String, Scalar);

/// Types that closures compute in.
pub(super) const COMPUTED: [Scalar; 11] = [
    Scalar::F32,
    Scalar::F64,
    Scalar::I8,
    Scalar::I16,
    Scalar::I32,
    Scalar::I64,
    Scalar::U8,
    Scalar::U16,
    Scalar::U32,
    Scalar::U64,
    Scalar::Bool,
];

/// Some of these are words of C++ or of the kernels, which the printer has to avoid.
const INPUTS: [&str; 8] = ["x", "y", "left", "grid", "t_0", "double", "map", "partials"];
const PARAMS: [&str; 8] = ["k", "scale", "limit", "float", "combine", "b1", "t_1", "thread"];
const INDEX: [&str; 4] = ["i", "at", "block", "place"];
const FIELDS: [&str; 16] = [
    "v", "n", "sum", "lo", "hi", "first", "flag", "value", "index", "w", "x", "mean", "count", "best",
    "seen", "f2",
];
const STRUCTS: [&str; 4] = ["A", "Pair", "Best", "Acc2"];

/// The names that closures see: inputs with the types they are computed in, params, and the position.
pub(super) struct Given {
    /// The inputs, with the types of their elements.
    pub(super) inputs: Vec<Typed>,
    /// Params that closures may use.
    pub(super) params: Vec<Typed>,
    /// The name of the position, if the specification declares one.
    pub(super) index: Option<String>,
}

impl Given {
    pub(super) fn new(choices: &mut Choices<'_>) -> Given {
        let count = choices.pick(&[1, 1, 1, 2, 2, 3, 4]);
        let inputs = some(choices, &INPUTS, count);
        let inputs = inputs.into_iter().map(|name| (name, choices.pick(&Scalar::ALL))).collect();
        let count = choices.pick(&[0, 0, 1, 2, 3, 4]);
        let params = some(choices, &PARAMS, count);
        let params = params.into_iter().map(|name| (name, choices.pick(&COMPUTED))).collect();
        let index = choices.once_in(2).then(|| choices.pick(&INDEX).to_owned());
        Given { inputs, params, index }
    }

    /// Returns the names that closures see in addition to their parameters.
    pub(super) fn free(&self) -> Vec<Typed> {
        let index = self.index.iter().map(|name| (name.clone(), Scalar::U64));
        self.params.iter().cloned().chain(index).collect()
    }

    /// Returns the inputs with the types that `map` sees.
    pub(super) fn elements(&self) -> Vec<Typed> {
        self.inputs.iter().map(|(name, ty)| (name.clone(), ty.compute())).collect()
    }

    /// Writes fields that exclude elements, in some cases.
    pub(super) fn absent(&self, choices: &mut Choices<'_>) -> Vec<String> {
        let mut fields = Vec::new();
        if choices.once_in(3) {
            let scope = self.elements().into_iter().chain(self.free()).collect();
            let condition = Writer::new(choices, scope).value(Scalar::Bool, 2);
            let head: Vec<_> = self.inputs.iter().map(|(name, _)| name.as_str()).collect();
            fields.push(format!("filter: |{}| {condition}", head.join(", ")));
        }
        if self.inputs.iter().any(|(_, ty)| ty.is_float()) && choices.once_in(4) {
            fields.push("nan: ignore".to_owned());
        }
        fields
    }

    /// Writes the declarations. Params and the position are declared only if `closures` mention them.
    pub(super) fn declared(&self, choices: &mut Choices<'_>, closures: &str) -> Vec<String> {
        let used = |name: &str| mentions(closures, name);
        let mut fields = vec![match self.inputs.as_slice() {
            [(name, ty)] if name == "x" && !choices.once_in(4) => format!("ty: {ty}"),
            inputs => format!("inputs: {}", braced(inputs)),
        }];
        let params: Vec<_> = self.params.iter().filter(|(name, _)| used(name)).cloned().collect();
        if !params.is_empty() {
            fields.push(format!("params: {}", braced(&params)));
        }
        fields.extend(self.index.iter().filter(|name| used(name)).map(|name| format!("index: {name}")));
        fields
    }
}

/// Picks `count` different names.
fn some(choices: &mut Choices<'_>, from: &[&str], count: usize) -> Vec<String> {
    let mut names = from.to_vec();
    // The first name is the usual one.
    if choices.once_in(2) {
        choices.shuffle(&mut names);
    }
    names.into_iter().take(count).map(str::to_owned).collect()
}

/// Returns the name and the field names of a struct with `count` fields.
pub(super) fn record(choices: &mut Choices<'_>, count: usize) -> (String, Vec<String>) {
    (choices.pick(&STRUCTS).to_owned(), some(choices, &FIELDS, count))
}

/// Returns whether a word of the text is `name`.
pub(super) fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|word| word == name)
}

/// Returns `{ x: f32, y: u8 }`.
pub(super) fn braced(typed: &[Typed]) -> String {
    let all: Vec<_> = typed.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
    format!("{{ {} }}", all.join(", "))
}
