//! The comment at the head of emitted kernels over segments.

use super::header::params;
use super::{NVRTC_FLAGS, types};
use crate::segments::Segmented;

/// Returns the comment: everything needed to compile and launch the kernels.
pub(crate) fn header(program: &Segmented) -> String {
    let operation = &program.operation;
    let inputs: Vec<_> = operation.inputs.iter().map(|it| it.name.as_str()).collect();
    let types: Vec<_> = operation.inputs.iter().map(|it| it.ty.name()).collect();
    let stored = operation.stored();
    let [acc, output] = [&operation.acc, &stored].map(types::record);
    let [search, main, long, combine] = Segmented::KERNELS;
    let (block, params) = (Segmented::BLOCK, params(operation));
    let overlap = match program.dependent {
        true => {
            "//            may be launched with programmaticStreamSerializationAllowed: every thread waits first\n"
        }
        false => "",
    };
    let longest =
        program.longest().map_or(String::new(), |most| format!(", with at most {most} elements each"));
    format!(
        "\
// {name} of {types}, for each segment, emitted by reducegen
//
// segments   groups + 1 ascending offsets of {offsets} cut the n elements{longest}
// compile    nvrtc or nvcc for sm_{oldest} or newer, {flags}
//            (the other defaults of nvcc give the same bits)
// launch     {search}<<<tiles / {block} + 1, {block}>>>(offsets, tiles, n, groups)
//            {main}<<<tiles, {block}>>>({inputs}, result, offsets, tiles, waiting, n, groups, fault{params})
//            {long}<<<(tiles - 1) / {of_block} + 1, {block}>>>({inputs}, partials, result, offsets, tiles, long_segments, waiting, n, groups{params})
//            {combine}<<<(tiles - 1) / {block} + 1, {block}>>>(partials, result, offsets, long_segments, n, groups{params})
//                with tiles = (n + groups) / {tile} + 1; the last one is needed only if a segment has more than {one_tile} elements
{overlap}// workspace  tiles + 1 words in tiles, tiles words in long_segments, {waiting} * tiles half words in waiting,
//            2 * (n / {slot} + 1) {acc} in partials; a word has 64 bits
//            fault is 2^64 - 1 before, and afterwards the first segment whose offsets descend or leave the data, if there is one
// result     one {output} for each segment
",
        name = operation.name,
        types = types.join(" and "),
        offsets = program.offsets,
        oldest = program.capability(),
        flags = NVRTC_FLAGS.join(" "),
        inputs = inputs.join(", "),
        tile = program.tile(),
        one_tile = program.longest_tile(),
        slot = program.slot(),
        waiting = program.waiting(),
        of_block = Segmented::TILES,
    )
}
