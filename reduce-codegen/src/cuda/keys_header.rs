//! The comment at the head of emitted kernels over elements with keys.

use super::header::params;
use super::{NVRTC_FLAGS, types};
use crate::keys::{Keyed, Owner};
use crate::lower::keys::{CLEAR, KERNEL};
use reduce_ir::axes::Others;
use reduce_ir::program::Reads;

/// Returns the comment: everything needed to compile and launch the kernels.
pub(crate) fn header(program: &Keyed) -> String {
    let (operation, keys) = (&program.operation, program.keys);
    let inputs: Vec<_> = operation.inputs.iter().map(|it| it.name.as_str()).collect();
    let types: Vec<_> = operation.inputs.iter().map(|it| it.ty.name()).collect();
    let stored = operation.stored();
    let [acc, output] = [&operation.acc, &stored].map(types::record);
    let combine = program.partials.kernel(Reads::Partials).name;
    let block = program.partials.threads(Reads::Partials);
    let (fault, others) = match keys.others {
        Others::Error => (
            ", fault",
            "//            fault is 2^64 - 1 before, and afterwards the first element whose key is no group, if there is one\n",
        ),
        Others::Drop => ("", ""),
    };
    let (least, threads, params) = (program.tables.row(), program.tables.threads, params(operation));
    let (clear, tables, note) = if program.tables.of == Owner::Grid {
        let clear = format!("{CLEAR}<<<blocks, {threads}>>>(partials, n{params})\n//            ");
        (clear, program.shared_tables().to_string(), "any number of blocks".to_owned())
    } else {
        let note =
            format!("the number of blocks decides the association: each has whole rows of {least} elements");
        (String::new(), "blocks".to_owned(), note)
    };
    format!(
        "\
// {name} of {types}, for each of {groups} groups, emitted by reducegen
//
// compile    nvrtc or nvcc for sm_{oldest} or newer, {flags}
//            (the other defaults of nvcc give the same bits)
// launch     {clear}{KERNEL}<<<blocks, {threads}>>>({inputs}, partials, n{fault}{params})
//            {combine}<<<{groups}, {block}>>>(partials, null, result, {tables}, {groups}{params})
//                where {note}
// workspace  {groups} * {tables} {acc} in partials
{others}// result     one {output} for each group
",
        name = operation.name,
        types = types.join(" and "),
        groups = keys.groups,
        oldest = program.capability(),
        flags = NVRTC_FLAGS.join(" "),
        inputs = inputs.join(", "),
    )
}
