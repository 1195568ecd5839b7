//! Checks that kernels combine positions as the association states.

use super::operations::Subject;
use reduce_interpreter::{Acc, Input, Kind, Options, Provenance, Report, Schedule, run};
use reduce_ir::Value;
use reduce_ir::program::Program;
use reduce_ir::statements::Lowered;

/// Returns the alignments that the program distinguishes.
pub fn alignments(program: &Program) -> &'static [bool] {
    if program.kernels[0].fold().width > 1 { &[true, false] } else { &[true] }
}

/// Calls [`check`] on aligned data and, if the program distinguishes it, on misaligned data.
pub fn check_provenance(
    program: &Program,
    lowered: &Lowered,
    n: u64,
    params: &[Value],
    schedules: &[Schedule],
) {
    for &aligned in alignments(program) {
        let inputs = Provenance::inputs(&program.operation, n, aligned);
        check(program, lowered, n, &inputs, params, schedules);
    }
}

/// Checks under each schedule that the kernels compute the tree of the association, and that nothing is reported. Without
/// elements and fill there is no tree, and the store of the result is reported. If order matters, the tree has the
/// positions in order.
pub fn check(
    program: &Program,
    lowered: &Lowered,
    n: u64,
    inputs: &[Input],
    params: &[Value],
    schedules: &[Schedule],
) {
    let mut domain = Provenance::new(&program.operation);
    let leaves: Vec<_> = (0..n).map(|position| domain.leaf(position)).collect();
    let wanted = program.association().reduce(leaves, |a, b| domain.pair(a, b));
    let wanted = wanted.or_else(|| program.operation.fill.as_ref().map(|_| domain.identity()));
    for &schedule in schedules {
        let options = Options::under(schedule).with(params);
        let found = run(program, lowered, &mut domain, inputs, n, options);
        let expected = |it: &Report| it.kind == Kind::Undefined && wanted.is_none();
        if let Some(report) = found.reports.iter().find(|it| !expected(it)) {
            panic!("{report}\n{schedule:?}, n = {n}\n{program}");
        }
        let text = |tree: Option<Acc>| tree.map_or("nothing".to_owned(), |tree| domain.text(tree));
        let trees = || format!("{}\n{}", text(found.acc()), text(wanted));
        assert_eq!(found.acc(), wanted, "{schedule:?}, n = {n}\n{program}\n{}", trees());
    }
    if let Some(tree) = wanted.filter(|_| !program.operation.commutative) {
        assert!(domain.leaves(tree).into_iter().eq(0..n), "n = {n}\n{program}\n{}", domain.text(tree));
    }
}

/// Checks every program of a subject, at the boundaries of the program.
pub fn check_subject(subject: &Subject, programs: &[Program], sizes: impl Fn(&Program) -> Vec<u64>) {
    for program in programs {
        let lowered = reduce_codegen::lower(program).unwrap();
        for n in sizes(program) {
            check_provenance(program, &lowered, n, &subject.params, &[Schedule::FORWARD]);
        }
    }
}
