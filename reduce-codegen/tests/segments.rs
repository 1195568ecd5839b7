//! Every segment has the tree that its elements have alone, whatever the lengths of its neighbours are.

use crate::support::rotation::sample;
use reduce_codegen::segments::Segmented;
use reduce_codegen::{Programs, Tuning};
use reduce_dsl::operators::OPERATORS;
use reduce_dsl::parse::text;
use reduce_interpreter::{Cut, Input, Kind, Options, Provenance, Schedule, run_segments};
use reduce_ir::keywords::is_taken;
use reduce_ir::statements::{Lowered, LoweredKernel};
use reduce_ir::{Domain, Scalar, Spec};
use reduce_lanes::Lanes;

/// With fill, without fill, with several inputs' widths, and one that keeps the order.
const OPERATIONS: [&str; 6] = [
    "ty: f32, op: sum",
    "ty: u8, op: max",
    "ty: f32, op: argmax",
    "ty: f64, op: var",
    "ty: f32, identity: none, acc: A { v: f32 }, map: |x| A { v: x }, op: |a, b| A { v: a.v + b.v }",
    "ty: f32, identity: none, commutative: false, acc: At { v: f32, w: f32 }, map: |x| At { v: x, w: x }, \
     op: |a, b| if b.v >= a.v { b } else { a }",
];

/// Lengths of segments: short and long, many of one length, floods of empty ones, a giant.
fn distributions() -> Vec<(&'static str, Vec<u64>)> {
    let mixed = |count: u64, most: u64| {
        (0..count).map(|at| at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33).map(move |it| it % most).collect()
    };
    vec![
        ("none", vec![]),
        ("all empty", vec![0; 5000]),
        ("one", vec![1; 300]),
        ("short", mixed(500, 12)),
        ("up to a warp", mixed(150, 600)),
        ("every length", (0..140).collect()),
        ("borders", vec![8, 9, 128, 129, 512, 513, 1024, 1025, 2048, 2049, 4096, 4097, 0, 0, 7]),
        ("block", vec![8192, 8193, 1, 16384, 16385, 5000]),
        ("a giant first", [vec![40_000], mixed(200, 9)].concat()),
        ("a giant last", [mixed(200, 9), vec![0; 4100], vec![33_000]].concat()),
        ("two giants", vec![20_000, 20_001]),
    ]
}

fn cut<'a>(program: &Segmented, elements: u64, offsets: &'a [u64]) -> Cut<'a> {
    let groups = offsets.len() as u64 - 1;
    Cut {
        elements,
        offsets,
        number: None,
        grids: program.grids(elements, groups),
        tiles: program.tiles(elements, groups),
        partials: program.partials(elements),
    }
}

/// Checks the trees of segments of single elements, which begin at the element `lead`.
fn proved(source: &str, tuning: Tuning, offsets: Scalar, lead: u64, (name, lengths): &(&str, Vec<u64>)) {
    let spec = text(source, None).unwrap_or_else(|error| panic!("{source}: {error}")).spec;
    let program = Segmented::of(&spec, offsets, tuning, 1 << 20).unwrap();
    let lowered = program.lower().unwrap_or_else(|error| panic!("{source}: {error}"));
    let alone = Programs::of(&Spec { domain: Domain::WHOLE, ..spec }, Tuning::DEFAULT).unwrap();
    let mut places = vec![lead];
    lengths.iter().for_each(|length| places.push(places[places.len() - 1] + length));
    let elements = places[places.len() - 1] + 3;
    // Elements are their positions in memory, or in the segment if the operation takes the position in the segment.
    let indexed = program.operation.is_indexed();
    let mut values: Vec<_> = (0..elements).collect();
    for (from, length) in places.iter().zip(lengths).filter(|_| indexed) {
        (0..*length).for_each(|at| values[(from + at) as usize] = at);
    }
    let lanes = Lanes::U64(values.into());
    let inputs = vec![Input::new(lanes, lead == 0); program.operation.inputs.len()];
    let mut domain = Provenance::new(&program.operation);
    let cut = cut(&program, elements, &places);
    let (found, fault) = run_segments(
        &program.operation,
        &lowered,
        &mut domain,
        &inputs,
        cut,
        Options::under(Schedule::FORWARD),
    );
    assert_eq!(found.reports, [], "{source}, {name}\n{lowered}");
    assert_eq!(fault, None, "{source}, {name}");
    for (group, &length) in lengths.iter().enumerate().filter(|(_, length)| **length > 0) {
        let first = if indexed { 0 } else { places[group] };
        let leaves = (0..length).map(|at| domain.leaf(first + at)).collect();
        let wanted = alone.for_len(length).association().reduce(leaves, |a, b| domain.pair(a, b));
        if found.results[group] != wanted {
            let text = |it| domain.text(it);
            assert_eq!(
                found.results[group].map(text),
                wanted.map(text),
                "{source}, {name}: segment {group} of {length}"
            );
        }
    }
}

#[test]
fn every_segment_has_the_tree_that_it_has_alone() {
    for source in OPERATIONS {
        for (at, distribution) in distributions().iter().enumerate() {
            let offsets = [Scalar::U32, Scalar::U64][at % 2];
            let tuning = [Tuning::of(90), Tuning::DEFAULT][at % 2];
            proved(source, tuning, offsets, [0, 5][at / 2 % 2], distribution);
        }
    }
}

/// Each operator takes other widths and units for each type, and positions need not fit 32 bits.
#[test]
fn every_operator_and_type_is_lowered() {
    let rows = OPERATORS.iter().flat_map(|row| Scalar::ALL.map(|ty| (row, ty)));
    let taken = rows.filter(|(row, ty)| row.takes(*ty)).map(|(row, ty)| (row.name, row.inputs, ty));
    for (name, inputs, ty) in sample(taken, 8).chain([("argmax", 1, Scalar::I8)]) {
        let fields =
            if inputs == 2 { format!("inputs: {{ x: {ty}, y: {ty} }}") } else { format!("ty: {ty}") };
        let spec = text(&format!("op: {name}, {fields}, segments: u32"), None).unwrap().spec;
        for (most, tuning) in [(1 << 20, Tuning::of(90)), (u64::MAX, Tuning::DEFAULT)] {
            let program = Segmented::of(&spec, Scalar::U32, tuning, most).unwrap();
            program.lower().unwrap_or_else(|error| panic!("{name} of {ty}: {error}"));
            columns(&spec, Scalar::U64).lower().unwrap_or_else(|error| panic!("{name} of {ty}: {error}"));
        }
    }
}

/// Returns the program of columns of segments.
fn columns(spec: &Spec, offsets: Scalar) -> Segmented {
    let spec = Spec { domain: Segmented::COLUMNS, ..spec.clone() };
    Segmented::of(&spec, offsets, Tuning::of(90), 1 << 20).unwrap()
}

/// Checks the trees of the columns of segments of rows. The rows have a gap between them, and are the last axis if `is_transposed`.
fn proved_columns(
    source: &str,
    columns_of_row: u64,
    is_transposed: bool,
    (name, lengths): &(&str, Vec<u64>),
) {
    let spec = text(source, None).unwrap().spec;
    let program = columns(&spec, Scalar::U32);
    let lowered = program.lower().unwrap_or_else(|error| panic!("{source}: {error}"));
    let alone = Programs::of(&Spec { domain: Domain::WHOLE, ..spec }, Tuning::DEFAULT).unwrap();
    let mut places = vec![2];
    lengths.iter().for_each(|length| places.push(places[places.len() - 1] + length));
    let rows = places[places.len() - 1] + 1;
    let steps = if is_transposed { [rows + 1, 1] } else { [1, columns_of_row + 1] };
    let place = |row: u64, column: u64| 3 + row * steps[1] + column * steps[0];
    let mut values: Vec<_> = (0..place(rows, columns_of_row)).collect();
    // As in `proved`.
    let indexed = program.operation.is_indexed();
    for (from, length) in places.iter().zip(lengths).filter(|_| indexed) {
        for at in 0..*length {
            (0..columns_of_row).for_each(|column| values[place(from + at, column) as usize] = at);
        }
    }
    let steps = steps.map(|step| step as i64).into();
    let input = Input { elements: Lanes::U64(values.into()), offset: 0, first: 3, steps };
    let inputs = vec![input; program.operation.inputs.len()];
    let (elements, groups) = (rows * columns_of_row, lengths.len() as u64 * columns_of_row);
    let cut = Cut {
        elements,
        offsets: &places,
        number: None,
        grids: program.grids(elements, groups),
        tiles: program.tiles(elements, groups),
        partials: program.partials(elements),
    };
    let mut domain = Provenance::new(&program.operation);
    let sizes = [columns_of_row];
    let options = Options { sizes: &sizes, ..Options::under(Schedule::FORWARD) };
    let (found, fault) = run_segments(&program.operation, &lowered, &mut domain, &inputs, cut, options);
    assert_eq!(found.reports, [], "{source}, {name}\n{lowered}");
    assert_eq!(fault, None, "{source}, {name}");
    for group in (0..groups).filter(|group| lengths[(group / columns_of_row) as usize] > 0) {
        let (segment, column) = ((group / columns_of_row) as usize, group % columns_of_row);
        let leaf = |at| if indexed { at } else { place(places[segment] + at, column) };
        let leaves = (0..lengths[segment]).map(|at| domain.leaf(leaf(at))).collect();
        let association = alone.for_len(lengths[segment]).association();
        let wanted = association.reduce(leaves, |a, b| domain.pair(a, b));
        let result = found.results[group as usize];
        assert_eq!(
            result.map(|it| domain.text(it)),
            wanted.map(|it| domain.text(it)),
            "{source}, {name}: column {column} of segment {segment}"
        );
    }
}

#[test]
fn every_column_of_a_segment_has_the_tree_that_it_has_alone() {
    for (at, source) in OPERATIONS.into_iter().enumerate() {
        for (turn, distribution) in [
            ("none", vec![]),
            ("all empty", vec![0; 2000]),
            ("one", vec![1; 200]),
            ("every length", (0..60).collect()),
            ("borders", vec![8, 9, 128, 129, 512, 513, 0, 0, 1025]),
            ("a giant first", vec![9000, 3, 0, 5]),
            ("a giant last", vec![1, 0, 2, 700, 17_000]),
        ]
        .iter()
        .enumerate()
        {
            proved_columns(source, [1, 3, 16][(at + turn) % 3], (at + turn) % 2 == 1, distribution);
        }
    }
}

/// Inputs and params may have any name, so every other name is reserved.
#[test]
fn names_of_kernels_are_reserved() {
    for source in OPERATIONS {
        let spec = text(source, None).unwrap().spec;
        let lowered = Segmented::of(&spec, Scalar::U32, Tuning::of(90), 1 << 20).unwrap().lower().unwrap();
        let text = lowered.to_string() + &columns(&spec, Scalar::U32).lower().unwrap().to_string();
        for line in text.lines().map(str::trim_start).filter(|line| !line.starts_with("--")) {
            let declares = [
                "let ",
                "var ",
                "load ",
                "load unaligned ",
                "for ",
                "length ",
                "shuffle ",
                "list ",
                "shared ",
            ];
            let declared = declares.iter().rev().find_map(|word| line.strip_prefix(word));
            let Some((name, _)) = declared.and_then(|rest| rest.split_once(':')) else { continue };
            assert!(is_taken(name) || name.starts_with("x_"), "{name} is not reserved");
        }
    }
}

/// The text of the kernels is complete.
#[test]
fn statements_are_parsed_from_their_text() {
    for source in OPERATIONS {
        let spec = text(source, None).unwrap().spec;
        let lowered = Segmented::of(&spec, Scalar::U64, Tuning::of(90), 1 << 20).unwrap().lower().unwrap();
        let kernels = LoweredKernel::parse_all(&lowered.to_string())
            .unwrap_or_else(|error| panic!("{error}\n{lowered}"));
        assert_eq!(Lowered { kernels }.to_string(), lowered.to_string());
    }
}

/// Offsets that descend or leave the data are found, wherever they are, and nothing is read outside.
#[test]
fn wrong_offsets_are_found() {
    let spec = text("ty: f32, op: sum", None).unwrap().spec;
    let program = Segmented::of(&spec, Scalar::U32, Tuning::of(90), 1 << 20).unwrap();
    let lowered = program.lower().unwrap();
    let elements = 40_000;
    let right: Vec<u64> = (0..=500).map(|at| at * 80).collect();
    let inputs = [Input::new(Lanes::U64((0..elements).collect::<Vec<_>>().into()), true)];
    for (at, value) in
        [(0, 81), (1, u64::from(u32::MAX)), (250, 0), (250, 40_001), (499, 7), (500, 40_001), (500, 0)]
    {
        let mut wrong = right.clone();
        wrong[at] = value;
        let mut domain = Provenance::new(&program.operation);
        let cut = cut(&program, elements, &wrong);
        let options = Options::under(Schedule::FORWARD);
        let (found, fault) = run_segments(&program.operation, &lowered, &mut domain, &inputs, cut, options);
        // Values and partials of wrong segments mean nothing.
        let outside = found.reports.iter().find(|it| [Kind::OutOfBounds, Kind::Overflow].contains(&it.kind));
        assert_eq!(outside, None, "{at} {value}");
        let fault = fault.unwrap_or_else(|| panic!("{at} {value}")) as usize;
        assert!(fault == at || fault + 1 == at, "{at} {value}: {fault}");
    }
}
