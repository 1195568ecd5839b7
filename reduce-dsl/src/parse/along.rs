//! Positions along axes: the name of an axis in `map` and `fold`.
//!
//! A closure takes the name as a `u64`, like a param. Its function computes the position, from the number of the group for a
//! kept axis, and from the position in the group for a reduced one.

use super::hygiene::Name;
use proc_macro2::Ident;
use reduce_ir::axes::{Cut, Kept};
use reduce_ir::func::{Func, FuncBuilder, Id, Param};
use reduce_ir::operation::{Measure, Measures, Operation};
use reduce_ir::ops::{Bin, TypeError};
use reduce_ir::{Axes, Scalar};

/// The axes that closures may name.
#[derive(Default)]
pub(super) struct Along {
    axes: Vec<Named>,
    /// The name of the number of the group.
    group: String,
    /// The name of the position in the group.
    index: String,
}

/// An axis with a name, its place among the axes, and how its position is computed.
struct Named {
    ident: Ident,
    place: usize,
    is_kept: bool,
    /// Axes of the same kind come before it, or after it.
    has: [bool; 2],
    /// The params of its length, and of the steps between its positions.
    length: Param,
    inner: Param,
}

impl Along {
    /// The axes whose names are new. `written` are their names as written, and `taken` those of inputs, params and the position.
    pub(super) fn of(axes: &Axes, written: &[Ident], taken: &[String], index: Option<&Ident>) -> Along {
        let mut used = [taken, &written.iter().map(Ident::to_string).collect::<Vec<_>>()].concat();
        let mut free = |name: String| {
            let mut name = name;
            while used.contains(&name) {
                name.push('_');
            }
            used.push(name.clone());
            name
        };
        let group = free("group".to_owned());
        let [kept, reduced] = order(axes);
        let mut all = Vec::new();
        for ident in written.iter().filter(|ident| !taken.contains(&ident.to_string())) {
            let of = |axis: &&reduce_ir::axes::Axis| axis.name.as_ref().is_some_and(|name| ident == name);
            let Some(place) = axes.axes.iter().position(|axis| of(&axis)) else { continue };
            let is_kept = kept.contains(&Some(place));
            let side = if is_kept { &kept } else { &reduced };
            let at = side.iter().position(|it| *it == Some(place)).unwrap_or(0);
            let mut param = |what| Param::new(free(format!("{ident}_{what}")), Scalar::U64);
            let (length, inner) = (param("length"), param("inner"));
            all.push(Named {
                ident: ident.clone(),
                place,
                is_kept,
                // Segments come before the kept axes.
                has: [at > 0 || is_kept && axes.cut != Cut::Whole, at + 1 < side.len()],
                length,
                inner,
            });
        }
        let index = index.map_or_else(|| Operation::INDEX.to_owned(), Ident::to_string);
        Along { axes: all, group, index }
    }

    /// Returns the names, with the parameters that closures take for them.
    pub(super) fn free(&self) -> impl Iterator<Item = (Name, Param)> {
        self.axes.iter().map(|axis| (Name::of(&axis.ident), Param::new(axis.ident.to_string(), Scalar::U64)))
    }

    /// Returns the names, with their types.
    pub(super) fn idents(&self) -> impl Iterator<Item = (Ident, Scalar)> {
        self.axes.iter().map(|axis| (axis.ident.clone(), Scalar::U64))
    }

    /// Returns the params that the positions may be computed from.
    pub(super) fn params(&self) -> impl Iterator<Item = Param> {
        self.axes.iter().flat_map(|axis| [axis.length.clone(), axis.inner.clone()])
    }

    /// Returns what these params are.
    pub(super) fn measures(&self) -> Measures {
        let params =
            self.axes.iter().flat_map(|axis| [Measure::Length(axis.place), Measure::Inner(axis.place)]);
        Measures { group: self.group.clone(), params: params.collect() }
    }

    /// Computes the positions in a function, whose parameters after the first `own` are names.
    ///
    /// # Errors
    /// None: positions are `u64`.
    pub(super) fn computed(&self, func: Func, own: usize) -> Result<Func, TypeError> {
        let axis_of = |param: &Param| self.axes.iter().find(|axis| axis.ident == param.name);
        let named = &func.params()[own..];
        if !named.iter().any(|param| axis_of(param).is_some()) {
            return Ok(func);
        }
        let mut params: Vec<Param> = func.params()[..own].to_vec();
        let mut add = |param: Param| {
            if !params[own..].contains(&param) {
                params.push(param);
            }
        };
        for param in named {
            match axis_of(param) {
                Some(axis) => self.terms(axis).into_iter().for_each(&mut add),
                None => add(param.clone()),
            }
        }
        let mut f = FuncBuilder::new(params.clone());
        let ids = f.params();
        let id = |name: &str| {
            let at = params[own..].iter().position(|param| param.name == name).unwrap_or(0);
            ids[own + at]
        };
        let mut given = ids[..own].to_vec();
        for param in named {
            given.push(match axis_of(param) {
                Some(axis) => self.position(axis, &mut f, id)?,
                None => id(&param.name),
            });
        }
        let results = f.call(&func, &given)?;
        Ok(f.build(results))
    }

    /// Returns the parameters that the position along an axis is computed from.
    fn terms(&self, axis: &Named) -> Vec<Param> {
        let [before, after] = axis.has;
        let inner = after.then(|| axis.inner.clone());
        let length = before.then(|| axis.length.clone());
        [self.number(axis)].into_iter().chain(inner).chain(length).collect()
    }

    /// Returns the number that counts the positions along an axis and along those of the same kind.
    fn number(&self, axis: &Named) -> Param {
        Param::new(if axis.is_kept { &self.group } else { &self.index }, Scalar::U64)
    }

    /// Adds the position along an axis: `number / inner % length`.
    fn position(&self, axis: &Named, f: &mut FuncBuilder, id: impl Fn(&str) -> Id) -> Result<Id, TypeError> {
        let [before, after] = axis.has;
        let mut at = id(&self.number(axis).name);
        if after {
            at = f.bin(Bin::Div, at, id(&axis.inner.name))?;
        }
        if before {
            at = f.bin(Bin::Rem, at, id(&axis.length.name))?;
        }
        Ok(at)
    }
}

/// Returns the kept and the reduced axes, slowest first. `None`: those of `..`.
fn order(axes: &Axes) -> [Vec<Option<usize>>; 2] {
    let place = |kept: &Kept| match *kept {
        Kept::Axis(axis) => Some(Some(axis)),
        Kept::Leading => Some(None),
        Kept::One => None,
    };
    let kept: Vec<_> = axes.result.iter().filter_map(place).collect();
    let reduced = axes.reduced().collect();
    [kept, reduced]
}
