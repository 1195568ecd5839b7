//! The comment at the head of an emitted file: everything needed to compile and launch it without reducegen.

use super::expr::step;
use super::{NVRTC_FLAGS, atomic, types};
use reduce_ir::operation::Operation;
use reduce_ir::program::{Kernel, Program, Reads, Size, Step, Team};
use reduce_ir::spec::Listed;
use reduce_ir::{Access, Domain};

pub(super) fn header(program: &Program) -> String {
    let operation = &program.operation;
    let stored = operation.stored();
    let inputs: Vec<_> = operation.inputs.iter().map(|it| argument(program.domain, &it.name)).collect();
    let types: Vec<_> = operation.inputs.iter().map(|it| it.ty.name()).collect();
    format!(
        "\
// {name} of {types}, emitted by reducegen
//
// passes     {passes}
// map        {map}
{layout}{groups}// compile    nvrtc or nvcc for sm_{oldest} or newer, {flags}
//            (the other defaults of nvcc give the same bits){registers}
{order}{launches}{overlap}{workspace}// result     one {output}{each}, written by {writer}
",
        name = operation.name,
        types = types.join(" and "),
        passes = Listed(&program.passes),
        map = operation.map,
        registers = registers(program.block),
        layout = layout(program),
        groups = groups(program),
        each = if program.domain.is_grouped() { " for each group" } else { "" },
        oldest = program.capability(),
        flags = NVRTC_FLAGS.join(" "),
        order = order(program),
        launches = launches(program, &inputs.join(", ")),
        overlap = overlap(program),
        workspace = workspace(program),
        writer = writer(program),
        output = types::record(&stored),
    )
}

/// Returns the line about the order of the elements: for an operator outside the table, for one that does not commute,
/// and if the order differs from run to run.
fn order(program: &Program) -> &'static str {
    let operation = &program.operation;
    let any = program.kernel(Reads::Inputs).is_atomic() && !operation.exact;
    match (any, operation.commutative, operation.named) {
        (true, _, _) if atomic::flushes(operation) => {
            "// order      any: bits may differ between runs; an atomic sum of floats flushes subnormals to 0\n"
        }
        (true, _, _) => "// order      any: bits may differ between runs\n",
        (false, false, _) => "// order      that of the elements: the operator does not commute\n",
        (false, true, false) => "// order      may differ from that of the elements: the operator commutes\n",
        (false, true, true) => "",
    }
}

/// Returns the launches, in order.
fn launches(program: &Program, inputs: &str) -> String {
    let [first, second] = [Reads::Inputs, Reads::Partials].map(|reads| program.kernel(reads).name);
    let [of_first, of_second] = [Reads::Inputs, Reads::Partials].map(|reads| program.threads(reads));
    let params = params(&program.operation);
    let groups = if program.domain.is_grouped() { ", groups" } else { "" };
    let sizes: String = program.domain.sizes().map(|axis| format!(", size_{axis}")).collect();
    let ticket = if takes_tickets(program) { ", ticket" } else { "" };
    let mut text = format!(
        "// launch     {first}<<<blocks, {of_first}>>>({inputs}, partials, result, n{groups}{sizes}{ticket}{params})\n\
         //                with {}{}\n",
        blocks(program, Reads::Inputs),
        range(program)
    );
    if program.has_one_launch() {
        return text;
    }
    for when in again(program) {
        text += &format!("//            {when}\n");
    }
    let counts = program.operation.counts();
    let (elements, of_all) = if counts {
        (", elements", ";\n//                elements is the n of the first launch")
    } else {
        ("", "")
    };
    text += &format!(
        "//            {second}<<<blocks, {of_second}>>>(items, partials, result, n{groups}{elements}{params})\n\
         //                with {}, and items are the partials of the previous launch{of_all}\n",
        blocks(program, Reads::Partials)
    );
    text
}

/// Returns how launches may overlap the launches before and after them.
fn overlap(program: &Program) -> String {
    let Kernel { dependent, trigger, .. } = program.kernel(Reads::Inputs);
    let waits = "//            may be launched with programmaticStreamSerializationAllowed: every thread waits first\n";
    let triggers =
        "//            lets the next launch with that attribute begin early; that launch must wait as well\n";
    let says = |says: &bool, text| if *says { text } else { "" };
    [says(dependent, waits), says(trigger, triggers)].concat()
}

/// Returns whether the first launch takes tickets.
fn takes_tickets(program: &Program) -> bool {
    program.kernel(Reads::Inputs).has_ticket()
}

/// Returns the limits of the number of elements.
fn range(program: &Program) -> String {
    // A fill for absent elements is not always the result of no elements.
    let least = if program.operation.has_result_of_nothing() { "" } else { "; n is at least 1" };
    let most = program.up_to.map_or(String::new(), |n| format!("; n is at most {n}"));
    format!("{least}{most}")
}

/// Returns the number of blocks as a formula of n and the number of groups.
fn blocks(program: &Program, reads: Reads) -> String {
    let tile = program.tile(reads);
    if program.domain.is_grouped() {
        return blocks_of_groups(program, reads);
    }
    let cluster = program.kernel(reads).cluster();
    if !program.kernel(Reads::Inputs).team.is_grid() {
        return format!("blocks = {cluster}{}", attribute(cluster));
    }
    if cluster > 1 {
        let all = tile * u64::from(cluster);
        let attribute = attribute(cluster);
        return format!(
            "blocks = {cluster} * max(1, ceil(n / {all})), which must not exceed 2147483647,\n\
             //                in clusters of {cluster}{attribute}"
        );
    }
    match program.kernel(reads).team.size {
        Size::Grid { most: None } if reads == Reads::Inputs => {
            format!("blocks = max(1, ceil(n / {tile})), which must not exceed 2147483647")
        }
        Size::Grid { most: None } => format!("blocks = max(1, ceil(n / {tile}))"),
        Size::Grid { most: Some(most) } => {
            format!("exactly min({most}, max(1, ceil(n / {tile}))) blocks, as STRIDE assumes")
        }
        Size::Thread | Size::Lanes(_) | Size::Warp | Size::Block | Size::Cluster => "blocks = 1".to_owned(),
    }
}

/// Returns the number of blocks for several groups, which share a block or have blocks of their own.
fn blocks_of_groups(program: &Program, reads: Reads) -> String {
    let (tile, shared) = (program.tile(reads), program.groups_of_block(reads));
    let all = if shared == 1 { "groups".to_owned() } else { format!("ceil(groups / {shared})") };
    let each = match program.kernel(reads).team.size {
        Size::Grid { most: None } => format!(" * max(1, ceil(n / {tile}))"),
        Size::Grid { most: Some(most) } => format!(" * min({most}, max(1, ceil(n / {tile})))"),
        Size::Thread | Size::Lanes(_) | Size::Warp | Size::Block | Size::Cluster => String::new(),
    };
    format!("blocks = {all}{each}, which must not exceed 2147483647")
}

/// Returns the line about the places of groups.
fn groups(program: &Program) -> String {
    let Domain { kept, access } = program.domain;
    let several = "// groups     of n elements; result[i] is the result of group i\n".to_owned();
    match (kept, access) {
        (0, _) => String::new(),
        (_, Access::Contiguous) => {
            "// groups     rows of n elements, one after the other; result[i] is the result of row i\n"
                .to_owned()
        }
        (1, _) => several,
        (kept, _) => {
            let sizes: Vec<_> = (1..kept).map(|axis| format!("size_{axis}")).collect();
            format!(
                "{several}//            along {kept} axes; the lengths of the faster ones are {}\n",
                sizes.join(", ")
            )
        }
    }
}

/// Returns the attribute that a kernel needs for clusters with more blocks than every architecture supports (CUDA C++
/// Programming Guide, thread block clusters).
fn attribute(cluster: u32) -> &'static str {
    if cluster > 8 { ", which cudaFuncAttributeNonPortableClusterSizeAllowed allows" } else { "" }
}

/// Returns the unit that leaves a partial, or the result if it is the only one.
fn whole(program: &Program) -> &'static str {
    if program.kernel(Reads::Inputs).cluster() > 1 { "cluster" } else { "block" }
}

/// Returns when the second kernel is launched, and on how many items.
fn again(program: &Program) -> Vec<&'static str> {
    let first = program.kernel(Reads::Inputs);
    let clusters = first.cluster() > 1;
    if first.is_atomic() {
        vec!["then once, with 1 as n,"]
    } else if first.steps.contains(&Step::Keep) {
        vec![
            "then once with the same n, and again, as long as that launch had more than one block, with their",
            "number as n,",
        ]
    } else if program.domain.is_grouped() {
        let once = program.kernel(Reads::Partials).team == Team::BLOCK;
        vec![if once {
            "then once, if that launch had more than one block for each row, and with their number as n,"
        } else {
            "then, while the previous launch had more than one block for each row, and with their number as n,"
        }]
    } else if program.kernel(Reads::Partials).team == Team::BLOCK {
        vec![match clusters {
            true => "then once, if that launch had more than one cluster, and with their number as n,",
            false => "then once, if that launch had more than one block, and with their number as n,",
        }]
    } else if clusters {
        vec![
            "then, if that launch had more than one cluster, with their number as n, and again, while the previous",
            "launch had more than one block, with their number as n,",
        ]
    } else {
        vec!["then, while the previous launch had more than one block, and with their number as n,"]
    }
}

/// The lines about the ticket, and about launches that must not share it or the workspace.
const TICKET: &str = "\
// ticket     one unsigned int, which must be 0 before the first reduction, and is 0 after each
//            (concurrent launches need a workspace and a ticket each)
";

fn workspace(program: &Program) -> String {
    let (first, partial) = (program.kernel(Reads::Inputs), &program.operation.acc);
    let size = bytes(partial.size());
    if takes_tickets(program) && first.has_flags() {
        let size = bytes(8 * partial.words());
        return format!(
            "// workspace  {size} for each {}: its partial, with flags; all of them must be 0 before the first\n\
             //            reduction, and are 0 after each\n\
             {TICKET}",
            whole(program)
        );
    }
    if takes_tickets(program) {
        return format!(
            "// workspace  one partial of {size} for each {}\n\
             {TICKET}",
            whole(program)
        );
    }
    if program.has_one_launch() {
        return "// workspace  none: partials is not used, and may be null\n".to_owned();
    }
    if let (true, Some([fill, ..])) = (first.is_atomic(), program.operation.fill.as_deref()) {
        let hex = fill.hex();
        return format!(
            "// workspace  one partial of {size}, which must hold {fill} (0x{hex}) before every reduction\n"
        );
    }
    let whole = whole(program);
    let each = if first.steps.contains(&Step::Keep) { "element, and for each " } else { "" };
    format!(
        "// workspace  one partial of {size} for each {each}{whole}, in two arrays that the launches write in turn\n"
    )
}

fn bytes(size: usize) -> String {
    if size == 1 { "1 byte".to_owned() } else { format!("{size} bytes") }
}

fn writer(program: &Program) -> String {
    let first = program.kernel(Reads::Inputs);
    if takes_tickets(program) {
        let last = if first.has_flags() { "starts" } else { "finishes" };
        return format!("the block that {last} last");
    }
    if first.is_atomic() || first.steps.contains(&Step::Keep) {
        return format!("the launch of {} that has one block", program.kernel(Reads::Partials).name);
    }
    match (program.has_one_launch(), whole(program)) {
        (true, _) => "that launch".to_owned(),
        (false, "block") => "the launch that has one block".to_owned(),
        (false, whole) => format!("the launch that has one {whole}, or one block"),
    }
}

/// Returns the last arguments of every kernel.
pub(super) fn params(operation: &Operation) -> String {
    operation.params.iter().map(|param| format!(", {}", param.name)).collect()
}

/// Returns the arguments of the kernel over inputs for one input.
fn argument(domain: Domain, name: &str) -> String {
    let steps = (0..domain.steps()).map(|axis| step(name, axis));
    std::iter::once(name.to_owned()).chain(steps).collect::<Vec<_>>().join(", ")
}

/// Lists the steps of an input along axes.
fn steps(input: &str, axes: std::ops::Range<usize>) -> String {
    axes.map(|axis| step(input, axis)).collect::<Vec<_>>().join(", ")
}

/// Returns the line about the places of strided elements.
fn layout(Program { operation, domain, .. }: &Program) -> String {
    let [first, others @ ..] = operation.inputs.as_slice() else { return String::new() };
    let (name, likewise) = (&first.name, if others.is_empty() { "" } else { ", of the others likewise" });
    let kept = usize::from(domain.kept);
    match *domain {
        Domain { access: Access::Contiguous, .. } => String::new(),
        Domain::STRIDED => format!(
            "// layout     strided: element i of {name} is {name}[i * {name}_step]{likewise}; add an offset to the pointer\n"
        ),
        Domain { access: Access::Adjacent, .. } => {
            format!(
                "// layout     elements of a group side by side; groups are {} apart{likewise}\n",
                steps(name, 0..kept)
            )
        }
        Domain { access: Access::Strided { .. }, .. } => {
            let (groups, elements) = (steps(name, 0..kept), steps(name, kept..domain.steps()));
            let groups = if kept == 0 { String::new() } else { format!("groups are {groups} apart, and ") };
            let sizes: Vec<_> =
                domain.sizes().filter(|&axis| axis > kept).map(|axis| format!("size_{axis}")).collect();
            let of = if sizes.is_empty() {
                String::new()
            } else {
                format!("; the lengths of the faster axes are {}", sizes.join(", "))
            };
            format!("// layout     {groups}elements {elements}{likewise}{of}\n")
        }
    }
}

/// Returns the flag for large blocks whose kernels take more registers than exist. The runtime adds it by itself.
fn registers(block: u32) -> String {
    let most = super::most_registers(block);
    if most >= 255 {
        return String::new();
    }
    format!("\n//            and --maxrregcount={most}, if a kernel would otherwise use more registers")
}
