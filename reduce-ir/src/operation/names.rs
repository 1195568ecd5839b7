//! Checks the names of an operation that emitted text prints. Parsers check the names of a specification, but an operation can
//! come from anywhere.

use super::{Operation, Record};
use crate::func::Func;

/// Returns whether it is an identifier of C: a letter or `_`, then letters, digits and `_`.
pub fn is_identifier(name: &str) -> bool {
    let is_part = |c: char| c == '_' || c.is_ascii_alphanumeric();
    name.chars().all(is_part) && name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic())
}

/// Returns whether it can stand in a comment of one line, as the name of an operation does.
fn is_of_one_line(name: &str) -> bool {
    !name.is_empty() && !name.ends_with('\\') && name.chars().all(|c| c.is_ascii_graphic() || c == ' ')
}

impl Operation {
    /// Returns the first name that emitted text cannot print: no identifier or, for the operation's own name, no single line.
    pub fn unprintable_name(&self) -> Option<&str> {
        let [acc, output] = [&self.acc, &self.output].map(names_of_record);
        let functions = [&self.map, &self.combine, &self.finish].into_iter().chain(&self.fold);
        let searches = self.searches.iter().map(|search| &search.best);
        let params = self.inputs.iter().chain(&self.params).map(|param| param.name.as_str());
        let plain = [self.index.as_str()].into_iter().chain(params).chain(acc).chain(output);
        let paths = functions.chain(searches).flat_map(names_of_function);
        let own = Some(self.name.as_str()).filter(|name| !is_of_one_line(name));
        own.or_else(|| plain.chain(paths).find(|name| !is_identifier(name)))
    }
}

/// Returns the names of the struct and its fields. The field of a bare scalar has no name.
fn names_of_record(record: &Record) -> impl Iterator<Item = &str> {
    let fields = record.fields.iter().map(|field| field.name.as_str());
    let is_bare = record.is_scalar();
    record.name.as_deref().into_iter().chain(fields.filter(move |name| !(is_bare && name.is_empty())))
}

/// Returns the names of its lets, and each part of its parameters, as `a` and `value` of `a.value`.
fn names_of_function(func: &Func) -> impl Iterator<Item = &str> {
    let params = func.params().iter().flat_map(|param| param.name.split('.'));
    params.chain(func.lines().iter().filter_map(|line| line.name.as_deref()))
}
