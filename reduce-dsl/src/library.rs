//! Functions that are built of exact operations, so that they have the same bits everywhere: `exp` and `ln`.
//!
//! Hosts and GPUs bring functions of these names, and no two of them agree. Here each is one [`Func`]: the evaluator
//! [writes it out](written_out), and CUDA has a device function that is printed from it.

use crate::Scalar;
use crate::func::{Func, FuncBuilder, Node};
use crate::ops::Un;

/// The function that an operation stands for, if it is one of the library.
pub fn definition(_: Un, _: Scalar) -> Option<Func> {
    None
}

/// The function with every call of the library in its place.
pub fn written_out(func: &Func) -> Func {
    let mut f = FuncBuilder::new(func.params().to_vec());
    let mut ids = f.params();
    for line in func.lines() {
        let node = line.node.map(|id| ids[id.0 as usize]);
        let written = match node {
            Node::Un(op, a) => {
                definition(op, f.ty(a)).and_then(|it| f.call(&it, &[a]).ok()?.first().copied())
            }
            Node::Const(_) | Node::Bin(..) | Node::Cmp(..) => None,
            Node::Select(..) | Node::Cast(..) | Node::MulAdd(..) => None,
        };
        ids.push(written.unwrap_or_else(|| f.again(node, line.ty)));
    }
    f.build(func.results().iter().map(|id| ids[id.0 as usize]).collect())
}
