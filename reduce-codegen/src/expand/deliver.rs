//! What becomes of a block's accumulator: a partial for the next launch, or the result.

use super::Expansion;
use reduce_dsl::Scalar;
use reduce_dsl::expanded::{Buffer, Expr, Local, Part, Stmt, Ty};
use reduce_dsl::program::{GridMedium, Step};

impl Expansion<'_> {
    /// Thread 0 writes the block's partial, or the result where the block is the only one.
    pub(super) fn deliver(&mut self, medium: GridMedium) {
        self.note(Part::Deliver, &Step::Grid(medium), Vec::new());
        let (mut body, acc) = match self.lanes.first() {
            Some(acc) => (Vec::new(), acc.get()),
            None => self.root_of_tree(),
        };
        let result = Stmt::Store(Buffer::Result.at(zero()), Expr::Finish(Box::new(acc.clone())));
        let partial = Stmt::Store(Buffer::Partials.at(Expr::Block.cast(Scalar::U64)), acc);
        body.push(Stmt::If(Expr::Grid.equals(1), vec![result], vec![partial]));
        self.body.push(Stmt::when(Expr::Thread.equals(0), body));
    }

    fn root_of_tree(&self) -> (Vec<Stmt>, Expr) {
        let total = Local::new("total", Ty::Acc);
        let root = Buffer::Shared("tree").at(Expr::from(0));
        (vec![Stmt::Load(total.clone(), root)], total.get())
    }
}

fn zero() -> Expr {
    Expr::Const(reduce_dsl::Value::of(0u64))
}
