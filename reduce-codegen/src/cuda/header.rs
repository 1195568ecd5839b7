//! The comment at the head of an emitted file: everything needed to compile and launch it without reducegen.

use super::{NVRTC_FLAGS, types};
use reduce_dsl::program::{Program, Reads};
use reduce_dsl::spec::Listed;

pub(super) fn header(program: &Program) -> String {
    let operation = &program.operation;
    let inputs: Vec<_> = operation.inputs.iter().map(|it| it.name.as_str()).collect();
    let types: Vec<_> = operation.inputs.iter().map(|it| it.ty.name()).collect();
    let [tile, partial_tile] = [Reads::Inputs, Reads::Partials].map(|reads| program.tile(reads));
    format!(
        "\
// {name} of {types}, emitted by reducegen
//
// passes     {passes}
// map        {map}
// compile    nvrtc or nvcc for sm_75 or newer, {flags}
//            (the other defaults of nvcc give the same bits){registers}
// launch     reduce_inputs<<<blocks, {block}>>>({inputs}, partials, result, n)
//                with blocks = max(1, ceil(n / {tile})), at most 2147483647{least}
//            then, as long as the launch before had more than one block, and with their number as n,
//            reduce_partials<<<blocks, {block}>>>(items, partials, result, n)
//                with blocks = ceil(n / {partial_tile}), and items the partials of the launch before
// workspace  one partial of {size} bytes for each block, in two arrays that the launches write in turn
// result     one {output}, written by the launch that has one block
",
        name = operation.name,
        types = types.join(" and "),
        passes = Listed(&program.passes),
        map = operation.map,
        registers = registers(program.block),
        least = if operation.identity.is_some() { "" } else { "; n is at least 1" },
        flags = NVRTC_FLAGS.join(" "),
        block = program.block,
        inputs = inputs.join(", "),
        size = operation.acc.size(),
        output = types::record(&operation.output),
    )
}

/// What to do where a large block asks for more registers than there are; the runtime does so by itself.
fn registers(block: u32) -> String {
    let most = 65536 / block;
    if most >= 255 {
        return String::new();
    }
    format!(
        "\n//            and --maxrregcount={most}, should a kernel otherwise take more registers than that"
    )
}
