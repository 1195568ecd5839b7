//! Calls of helper functions, which are inlined.

use super::convert::converted;
use super::{Reader, Returns};
use crate::parse::diagnostic::Extent;
use crate::parse::tree::{Ex, Kind, Let, Step};
use std::rc::Rc;
use syn::Path;

/// The limit on helper functions that a closure inlines.
const CALLS: usize = 256;

impl Reader<'_> {
    /// Reads the body of a helper function, unless a call has read it before.
    pub(in crate::parse) fn check_helper(&mut self, at: usize) {
        let helpers = Rc::clone(&self.role.helpers);
        let Some(helper) = helpers.get(at).filter(|helper| helper.is_right.get().is_none()) else { return };
        let place = Extent::of(&helper.name);
        self.inline(at, Vec::new(), place, 0);
    }

    /// Returns the number of the helper function of that name.
    pub(super) fn helper(&self, path: &Path) -> Option<usize> {
        let name = path.get_ident()?;
        self.role.helpers.iter().position(|helper| helper.name == *name)
    }

    /// Calls a helper function with arguments that have been read.
    pub(super) fn call_helper(
        &mut self,
        at: usize,
        args: Vec<Ex>,
        path: &Path,
        place: Extent,
        depth: usize,
    ) -> Ex {
        let helpers = Rc::clone(&self.role.helpers);
        let helper = &helpers[at];
        let name = &helper.name;
        if self.open.iter().any(|open| name == open) {
            let message = format!("`{name}` calls itself, which a closure cannot inline");
            return self.error_with_help(Extent::of(path), message, "write a loop with constant bounds");
        }
        if helper.is_right.get() == Some(false) {
            return Ex::wrong(place);
        }
        if args.len() != helper.params.len() {
            let (takes, given) = (counted(helper.params.len()), args.len());
            return self.error(Extent::of(path), format!("`{name}` takes {takes}, not {given}"));
        }
        for (arg, given) in args.iter().zip(&helper.params) {
            let ty = self.types.of_form(&given.form);
            self.expect(arg, ty, |found, wanted| {
                (format!("`{name}` takes {wanted} here, and this is {found}"), converted(found, wanted))
            });
        }
        self.calls += 1;
        if self.calls > CALLS {
            let message = format!("a closure calls helper functions at most {CALLS} times");
            return self.error(Extent::of(path), message);
        }
        self.inline(at, args, place, depth)
    }

    /// Reads the body of a function, with its parameters as `let`s.
    fn inline(&mut self, at: usize, args: Vec<Ex>, place: Extent, depth: usize) -> Ex {
        let helpers = Rc::clone(&self.role.helpers);
        let helper = &helpers[at];
        let result = self.types.of_form(&helper.result);
        let before = self.errors.count();
        let (names, loops) = (std::mem::take(&mut self.names), std::mem::take(&mut self.loops));
        let mut args = args.into_iter();
        let mut steps = Vec::new();
        for given in &helper.params {
            let ty = self.types.of_form(&given.form);
            let local = self.bind_as(given.name.clone(), ty, given.is_mutable);
            steps.extend(args.next().map(|value| Step::Let(Let { local, value: Ex { ty, ..value } })));
        }
        self.returns.push(Returns { ty: Some(result), what: format!("`{}` gives ", helper.name) });
        self.open.push(helper.name.to_string());
        let body = self.block(&helper.body, None, depth + 1);
        let body = self.returned(body);
        self.open.pop();
        self.returns.pop();
        (self.names, self.loops) = (names, loops);
        let is_right = self.errors.count() == before;
        helper.is_right.set(Some(is_right));
        if !is_right {
            return Ex::wrong(place);
        }
        Ex { kind: Kind::Function(steps, Box::new(body)), ty: result, place }
    }
}

fn counted(count: usize) -> String {
    match count {
        0 => "no argument".to_owned(),
        1 => "one argument".to_owned(),
        count => format!("{count} arguments"),
    }
}
