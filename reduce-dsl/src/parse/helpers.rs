//! Helper functions: `fn sq(x: f32) -> f32 { x * x }` among the fields. Closures inline them.
#![allow(clippy::wildcard_enum_match_arm, reason = "the enums of syn are not ours, and grow")]

use super::constants::Constants;
use super::device::Reader;
use super::diagnostic::{Errors, Extent};
use super::form::Form;
use super::forms;
use super::hygiene::Name;
use super::keywords;
use super::role::{Dialect, Hidden, Role};
use proc_macro2::Ident;
use reduce_ir::Scalar;
use std::cell::Cell;
use std::rc::Rc;
use syn::{Block, FnArg, ItemFn, Pat, ReturnType, Signature};

/// A helper function.
pub(super) struct Helper {
    pub(super) name: Ident,
    pub(super) params: Vec<Given>,
    pub(super) result: Form,
    pub(super) body: Block,
    /// Whether its body is right; `None` until it has been read.
    pub(super) is_right: Cell<Option<bool>>,
}

/// A parameter of a helper function.
pub(super) struct Given {
    /// The name; `None` for `_`.
    pub(super) name: Option<Name>,
    pub(super) is_mutable: bool,
    pub(super) form: Form,
}

/// The helper functions of a specification.
pub(super) type Helpers = Rc<Vec<Helper>>;

/// Reads the helper functions, and checks their bodies. `acc` is the struct that they may name, and `names` are those that only
/// closures see.
pub(super) fn read(
    written: &[ItemFn],
    (dialect, constants): (Dialect, &Rc<Constants>),
    acc: Option<&Form>,
    names: Vec<String>,
    errors: &mut Errors,
) -> Helpers {
    let mut helpers: Vec<Helper> = Vec::new();
    for item in written {
        if helpers.iter().any(|helper| helper.name == item.sig.ident) {
            errors.add(item.sig.ident.span(), format!("two functions are named `{}`", item.sig.ident));
            continue;
        }
        helpers.push(helper(item, dialect, acc, errors).unwrap_or_else(|| wrong(item)));
    }
    let helpers = Rc::new(helpers);
    let hidden =
        names.into_iter().map(|name| Hidden { name, help: "give it to the function as a parameter" });
    let role = Role {
        name: "fn",
        dialect,
        constants: Rc::clone(constants),
        params: Vec::new(),
        optional: 0,
        free: Vec::new(),
        has_index: false,
        lacks_names: false,
        hidden: hidden.collect(),
        records: acc.into_iter().map(Form::record).collect(),
        forms: acc.into_iter().cloned().collect(),
        helpers: Rc::clone(&helpers),
        lenient: false,
        defines: None,
        result: None,
        number: Scalar::F32,
    };
    (0..helpers.len()).for_each(|at| Reader::new(&role, errors).check_helper(at));
    helpers
}

fn helper(item: &ItemFn, dialect: Dialect, acc: Option<&Form>, errors: &mut Errors) -> Option<Helper> {
    plain(item, errors)?;
    let Signature { ident, inputs, output, .. } = &item.sig;
    let known = |name: &str| acc.filter(|form| form.name() == name).cloned();
    let params: Vec<_> = inputs.iter().map(|input| given(input, dialect, &known, errors)).collect();
    let result = match output {
        ReturnType::Type(_, ty) => forms::read(ty, dialect, &known, errors),
        ReturnType::Default => {
            errors
                .add(ident.span(), format!("`{ident}` gives no value"))
                .help(format!("write the type of its result, as in `fn {ident}(x: f32) -> f32 {{ … }}`"));
            None
        }
    };
    let params = params.into_iter().collect::<Option<_>>()?;
    let body = item.block.clone();
    Some(Helper { name: ident.clone(), params, result: result?, body: *body, is_right: Cell::new(None) })
}

/// Returns a function whose error has been reported, so that its calls are no errors.
fn wrong(item: &ItemFn) -> Helper {
    let result = Form::Scalar(Scalar::F32);
    let (name, body, is_right) = (item.sig.ident.clone(), (*item.block).clone(), Cell::new(Some(false)));
    Helper { name, params: Vec::new(), result, body, is_right }
}

/// Reports every part of a function other than a plain `fn name(x: f32) -> f32 { … }`.
fn plain(item: &ItemFn, errors: &mut Errors) -> Option<()> {
    let sig = &item.sig;
    let extra = [
        item.attrs.first().map(Extent::of),
        (!matches!(item.vis, syn::Visibility::Inherited)).then(|| Extent::of(&item.vis)),
        sig.constness.as_ref().map(Extent::of),
        sig.asyncness.as_ref().map(Extent::of),
        sig.abi.as_ref().map(Extent::of),
        (!sig.generics.params.is_empty()).then(|| Extent::of(&sig.generics)),
        sig.generics.where_clause.as_ref().map(Extent::of),
        sig.variadic.as_ref().map(Extent::of),
    ];
    if let Some(&at) = extra.iter().flatten().next() {
        errors.add(at, "a function here is plain, as in `fn sq(x: f32) -> f32 { x * x }`; leave this out");
        return None;
    }
    Some(())
}

fn given(
    input: &FnArg,
    dialect: Dialect,
    known: &dyn Fn(&str) -> Option<Form>,
    errors: &mut Errors,
) -> Option<Given> {
    let FnArg::Typed(typed) = input else {
        errors.add(Extent::of(input), "a function here has no `self`");
        return None;
    };
    let form = forms::read(&typed.ty, dialect, known, errors);
    let (name, is_mutable) = match &*typed.pat {
        Pat::Wild(_) => (None, false),
        Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
            let word = name.ident.to_string();
            if keywords::is_keyword(&word) {
                errors.add(name.ident.span(), keywords::keyword(&word));
                return None;
            }
            (Some(Name::of(&name.ident)), name.mutability.is_some())
        }
        pat => {
            errors.add(Extent::of(pat), "a parameter is a plain name, as in `x: f32`");
            return None;
        }
    };
    Some(Given { name, is_mutable, form: form? })
}
