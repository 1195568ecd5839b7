//! Constants for parameters.

use super::{Func, FuncBuilder, Line};
use crate::Value;

impl Func {
    /// Returns the function with these values in the place of the parameters of those names.
    #[must_use]
    pub fn with_constants(&self, constants: &[(&str, Value)]) -> Func {
        let value = |name: &str| constants.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        let left = self.params().iter().filter(|param| value(&param.name).is_none());
        let mut f = FuncBuilder::new(left.cloned().collect());
        let mut own = f.params().into_iter();
        let mut ids = Vec::new();
        for param in self.params() {
            let id = match value(&param.name) {
                Some(value) => f.constant(value),
                None => own.next().unwrap_or(super::Id(0)),
            };
            ids.push(id);
        }
        for Line { node, ty, name } in self.lines() {
            let id = f.again(node.map(|id| ids[id.0 as usize]), *ty);
            name.iter().for_each(|name| f.name(id, name));
            ids.push(id);
        }
        f.build(self.results().iter().map(|id| ids[id.0 as usize]).collect())
    }
}
