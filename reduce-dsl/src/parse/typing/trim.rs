//! Removes unused parameters of a function, and names operations that are nested too deeply for one line.

use reduce_ir::func::{Func, FuncBuilder, Id, Line};

/// The nesting depth of an expression on one line; a deeper operation gets a name.
const DEPTH: usize = 24;

/// Removes the unused parameters after the first `needed`, and names operations that are nested too deeply.
pub(super) fn trimmed(func: &Func, needed: usize) -> Func {
    let is_kept = |position: usize| position < needed || func.uses(Id(position as u32));
    let params = func.params().iter().enumerate();
    let params: Vec<_> =
        params.filter(|(position, _)| is_kept(*position)).map(|(_, it)| it.clone()).collect();
    let mut f = FuncBuilder::new(params);
    let mut kept = f.params().into_iter();
    let mut ids: Vec<Id> = (0..func.params().len())
        .map(|position| if is_kept(position) { kept.next().unwrap_or(Id(0)) } else { Id(0) })
        .collect();
    let mut depths = vec![0; ids.len()];
    for Line { node, ty, name } in func.lines() {
        let depth = 1 + node.operands().map(|Id(id)| depths[id as usize]).max().unwrap_or(0);
        let id = f.again(node.map(|Id(id)| ids[id as usize]), *ty);
        let is_deep = depth >= DEPTH;
        match name {
            Some(name) => f.name(id, name),
            None if is_deep => f.name(id, "part"),
            None => {}
        }
        depths.push(if name.is_some() || is_deep { 0 } else { depth });
        ids.push(id);
    }
    if let Some(Id(asserted)) = func.asserted() {
        // It is a condition in `func`.
        let _ = f.assert(ids[asserted as usize]);
    }
    f.build(func.results().iter().map(|Id(id)| ids[*id as usize]).collect())
}
