//! The common part of `bitmask`, `strided_index` and `sequential`, which choose the addressing of the tree in memory.

use crate::combines_mut;
use reduce_ir::program::{Addressing, Medium, Program};

/// Replaces modulo addressing in the trees in memory.
pub(super) fn readdress(mut program: Program, to: Addressing, word: &str) -> Result<Program, String> {
    let mut found = false;
    for combine in program.kernels.iter_mut().flat_map(combines_mut) {
        let (Medium::Shared(addressing) | Medium::Global(addressing)) = &mut combine.medium else { continue };
        if *addressing != Addressing::Modulo {
            return Err(format!("a tree has one addressing, and this has {addressing}; leave `{word}` out"));
        }
        *addressing = to;
        combine.tree = to.tree();
        found = true;
    }
    let reason = || {
        format!(
            "no tree goes through memory any more; leave `{word}` out, or write `{word}` before `shuffle`, which replaces that tree"
        )
    };
    if found { Ok(program) } else { Err(reason()) }
}
