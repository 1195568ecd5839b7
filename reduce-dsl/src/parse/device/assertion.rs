//! `assert!`.

use super::Reader;
use crate::parse::diagnostic::Extent;
use crate::parse::tree::{Ex, Kind};
use crate::parse::types::UNIT;
use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, Macro, Token};

impl Reader<'_> {
    /// Reads `assert!(condition)`, which may have a message.
    pub(super) fn assertion(&mut self, call: &Macro, depth: usize) -> Ex {
        let parser = |input: ParseStream| {
            let condition: Expr = input.parse()?;
            if input.parse::<Option<Token![,]>>()?.is_some() {
                input.parse::<TokenStream>()?;
            }
            Ok(condition)
        };
        let Ok(condition) = parser.parse2(call.tokens.clone()) else {
            let help = "write it as in `assert!(x >= 0.0)`";
            return self.error_with_help(Extent::of(&call.path), "`assert!` takes a condition", help);
        };
        let condition = self.condition(&condition, depth + 1);
        Ex { kind: Kind::Assert(Box::new(condition)), ty: UNIT, place: Extent::of(call) }
    }
}
