//! Names of axes in closures: a `filter` by the positions along axes, and the same filter for one group, which computes the
//! positions from params that the test gives.

use super::names::{braced, mentions};
use crate::choices::Choices;
use reduce_ir::Scalar;

/// The param of the number of the group.
const GROUP: &str = "group_number";

/// The position in the group, if the specification does not name it.
const INDEX: &str = "index_in_group";

/// A filter by the positions along a kept and a reduced axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ByPosition {
    head: String,
    kept: Option<String>,
    reduced: Option<String>,
}

impl ByPosition {
    /// Chooses axes that no closure names otherwise. `None`: the specification has a filter, or no axis with such a name.
    pub(super) fn new(
        choices: &mut Choices<'_>,
        fields: &[String],
        inputs: &[String],
        axes: &str,
    ) -> Option<ByPosition> {
        if fields.iter().any(|field| field.starts_with("filter: ")) {
            return None;
        }
        let (from, to) = axes.strip_prefix("axes: ")?.split_once("->")?;
        let others = fields.join(" ");
        let words = from.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let is_name =
            |word: &&str| word.starts_with(|c: char| c.is_ascii_alphabetic()) && !mentions(&others, word);
        let (kept, reduced): (Vec<_>, Vec<_>) = words.filter(is_name).partition(|word| mentions(to, word));
        let mut one = |names: Vec<&str>| (!names.is_empty()).then(|| choices.pick(&names).to_owned());
        let by = ByPosition { head: inputs.join(", "), kept: one(kept), reduced: one(reduced) };
        (by.kept.is_some() || by.reduced.is_some()).then_some(by)
    }

    /// Returns the filter by the names of the axes.
    pub(super) fn named(&self) -> String {
        self.filter(str::to_owned, str::to_owned)
    }

    /// Returns the fields for one group: the others, and the same filter.
    pub(super) fn alone(&self, fields: &[String]) -> Vec<String> {
        let index = fields.iter().find_map(|field| field.strip_prefix("index: ")).unwrap_or(INDEX);
        let at =
            |number: &str, axis: &str| format!("({number} / {axis}_inner.max(1) % {axis}_length.max(1))");
        let filter = self.filter(|axis| at(GROUP, axis), |axis| at(index, axis));
        let axes = || self.kept.iter().chain(&self.reduced);
        let measures = axes().flat_map(|axis| [format!("{axis}_inner"), format!("{axis}_length")]);
        let group = self.kept.as_ref().map(|_| GROUP.to_owned());
        let params: Vec<_> = group.into_iter().chain(measures).map(|name| (name, Scalar::U64)).collect();
        let params = braced(&params);
        let mut all = fields.to_vec();
        match all.iter_mut().find(|field| field.starts_with("params: {")) {
            Some(declared) => {
                *declared =
                    format!("{}, {}", declared.trim_end_matches(" }"), params.trim_start_matches("{ "))
            }
            None => all.push(format!("params: {params}")),
        }
        if self.reduced.is_some() && index == INDEX {
            all.push(format!("index: {INDEX}"));
        }
        all.push(filter);
        all
    }

    fn filter(&self, kept: impl Fn(&str) -> String, reduced: impl Fn(&str) -> String) -> String {
        let kept = self.kept.as_deref().map(kept);
        let reduced = self.reduced.as_deref().map(|axis| format!("2 * {}", reduced(axis)));
        let sum: Vec<_> = kept.into_iter().chain(reduced).collect();
        format!("filter: |{}| ({}) % 3 != 0", self.head, sum.join(" + "))
    }
}
