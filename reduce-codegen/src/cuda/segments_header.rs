//! The comment at the head of emitted kernels over segments.

use super::header::params;
use super::{NVRTC_FLAGS, expr, types};
use crate::segments::Segmented;

/// Returns the comment: everything needed to compile and launch the kernels.
pub(crate) fn header(program: &Segmented) -> String {
    let operation = &program.operation;
    let has_columns = program.has_columns();
    let steps = if has_columns { 0..program.domain.steps() } else { 0..0 };
    let with_steps = |name: &String| {
        let steps = steps.clone().map(|axis| expr::step(name, axis));
        std::iter::once(name.clone()).chain(steps).collect::<Vec<_>>()
    };
    let inputs: Vec<_> = operation.inputs.iter().flat_map(|it| with_steps(&it.name)).collect();
    let sizes = if has_columns { "n, groups, size_0" } else { "n, groups" };
    let cut = match has_columns {
        true => "groups / size_0 + 1 ascending offsets of {} cut the n / size_0 rows",
        false => "groups + 1 ascending offsets of {} cut the n elements",
    };
    let cut = cut.replace("{}", program.offsets.name());
    let of_group = match has_columns {
        true => "column of a segment: column g % size_0 of segment g / size_0 is the g-th",
        false => "segment",
    };
    let types: Vec<_> = operation.inputs.iter().map(|it| it.ty.name()).collect();
    let stored = operation.stored();
    let [acc, output] = [&operation.acc, &stored].map(types::record);
    let [search, main, combine] = Segmented::KERNELS;
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
// {name} of {types}, for each {group}, emitted by reducegen
//
// segments   {cut}{longest}
// compile    nvrtc or nvcc for sm_{oldest} or newer, {flags}
//            (the other defaults of nvcc give the same bits)
// launch     {search}<<<tiles / {block} + 1, {block}>>>(offsets, tiles, {sizes})
//            {main}<<<tiles, {block}>>>({inputs}, partials, result, offsets, tiles, long_segments, {sizes}, fault{params})
//            {combine}<<<(tiles - 1) / {block} + 1, {block}>>>(partials, result, offsets, long_segments, {sizes}{params})
//                with tiles = (n + groups) / {tile} + 1; the last one is needed only if a segment has more than {one_tile} elements
{overlap}// workspace  tiles + 1 words in tiles, tiles words in long_segments,
//            2 * (n / {slot} + 1) {acc} in partials; a word has 64 bits
//            fault is 2^64 - 1 before, and afterwards the first segment whose offsets descend or leave the data, if there is one
// result     one {output} for each {of_group}
",
        name = operation.name,
        types = types.join(" and "),
        group = if has_columns { "column of each segment" } else { "segment" },
        oldest = program.capability(),
        flags = NVRTC_FLAGS.join(" "),
        inputs = inputs.join(", "),
        tile = program.tile(),
        one_tile = program.longest_tile(),
        slot = program.slot(),
    )
}
