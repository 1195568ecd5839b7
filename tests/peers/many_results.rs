//! The shapes of the benchmark: their cases, goals, checks, table and plot.

use super::cases::{CASES, Case, Group};
use super::shapes::{RESULTS, SHAPES, Shape};
use super::stats::Spread;
use super::table::{Check, Machine, Mode, Peer, Row, Table, Tolerance};
use super::{functions_of_cub, goals, markdown, shape_plot, shape_table};
use reduce_ir::axes::{Nest, Shape as Lengths};
use reduce_ir::{Access, Scalar};
use reduce_lanes::Lanes;
use reduce_runtime::{Device, Reducer, View};
use regex::Regex;

const GIB: f64 = (1u64 << 30) as f64;

fn shape_of(case: &Case) -> Shape {
    case.shape.unwrap_or_else(|| panic!("{} has no shape", case.name))
}

/// Returns the loops over the elements of a case.
fn nest(case: &Case) -> Nest {
    let lengths: Vec<_> = shape_of(case).lengths.iter().map(|&length| length as u64).collect();
    let axes = case.parsed(case.spec).unwrap().axes.unwrap();
    axes.nest(&[("x", Lengths::row_major(&lengths).unwrap())]).unwrap()
}

#[test]
fn every_shape_has_the_results_that_its_specification_gives() {
    for case in SHAPES {
        let (shape, spec, extent) =
            (shape_of(case), case.parsed(case.spec).unwrap(), nest(case).merged().extent());
        assert_eq!(extent.groups, shape.outputs as u64, "{}", case.name);
        assert_eq!(extent.elements(), shape.elements() as u64, "{}", case.name);
        assert_eq!(spec.operation.stored().types(), [shape.result], "{}", case.name);
        assert_eq!((case.inputs(), case.offset, case.beside), (1, 0, None), "{}", case.name);
        let bytes = (shape.elements() * case.ty.size()) as f64;
        if case.group == Group::Small {
            assert!(bytes < 16e6, "{}", case.name);
        } else if matches!(case.group, Group::Nhwc | Group::Rgb) {
            assert!(bytes > 150e6, "{}", case.name);
        } else {
            assert!(bytes > 0.999 * GIB && bytes <= GIB, "{}: {bytes}", case.name);
        }
        let layouts = case.cub.iter().map(|(_, layout)| layout.size());
        let most = layouts.chain([shape.result.size()]).max().unwrap();
        assert!(most * shape.outputs <= RESULTS, "{}", case.name);
    }
}

#[test]
fn cub_has_the_contiguous_rows_and_pytorch_every_shape() {
    let functions = functions_of_cub();
    for case in SHAPES {
        let is_rows = nest(case).merged().domain().access == Access::Contiguous;
        assert_eq!(case.cub.len(), usize::from(is_rows), "{}", case.name);
        for (function, _) in case.cub {
            assert!(functions.iter().any(|it| it == function), "{function} is not among {functions:?}");
        }
        assert!(case.torch.iter().all(|python| python.contains('x')), "{}", case.name);
        let same = SHAPES.iter().chain(CASES).filter(|other| other.name == case.name);
        assert_eq!(same.count(), 1, "{}", case.name);
    }
}

#[test]
fn sums_in_another_order_are_within_the_tolerance_and_other_sums_are_not() {
    let elements: Vec<f32> = (0..64 * 100).map(|at: u32| (at * 7919 % 2003) as f32 / 1001.5 - 0.5).collect();
    let case = SHAPES.iter().find(|case| case.name == "rows of 100").unwrap();
    let reducer = Reducer::new(&case.parsed(case.spec).unwrap(), &Device::host()).unwrap();
    let ours = reducer.reduce_groups(&[View::new(elements.as_slice().into(), [64, 100])], &[]).unwrap();
    let Lanes::F32(ours) = &ours.fields[0] else { panic!("sums of f32 are f32") };
    let ours: Vec<_> = ours.iter().copied().map(f64::from).collect();
    let serial: Vec<_> = elements.chunks(100).map(|row| f64::from(row.iter().sum::<f32>())).collect();
    assert_ne!(ours, serial);
    assert_eq!(Check::of(&serial, &ours, case.tolerance), Check::Right);
    // Of each row, an element near 0.002 is missing.
    let short: Vec<_> = serial.iter().map(|sum| sum - 0.002).collect();
    let Check::Wrong(what) = Check::of(&short, &ours, case.tolerance) else { panic!("0.002 is too much") };
    assert!(what.starts_with("result 0 is ") && what.ends_with("; 64 of 64 differ"), "{what}");
}

#[test]
fn of_many_results_the_first_that_differs_is_named() {
    let ours: Vec<_> = (0..1000).map(f64::from).collect();
    let mut found = ours.clone();
    (found[3], found[500]) = (3.25, f64::NAN);
    let exact = Check::of(&found, &ours, Tolerance::EXACT);
    assert_eq!(exact, Check::Wrong("result 3 is 3.25 instead of 3; 2 of 1000 differ".to_owned()));
    let near = Check::of(&found, &ours, Tolerance { relative: 0.0, absolute: 0.5 });
    assert_eq!(near, Check::Wrong("result 500 is NaN instead of 500; 1 of 1000 differ".to_owned()));
    let fewer = Check::of(&ours[1..], &ours, Tolerance { relative: 1.0, absolute: 1e9 });
    assert_eq!(fewer, Check::Wrong("999 results instead of 1000 results".to_owned()));
}

#[test]
fn goals_of_shapes_are_fractions_of_a_read_and_of_the_best_peer() {
    let of = |name: &str, peer| {
        let case = SHAPES.iter().find(|case| case.name == name).unwrap();
        goals::least_of_shapes(case.group, peer)
    };
    for (name, goal) in [
        ("rows of 4", 0.90),
        ("rows of 32", 0.90),
        ("rows of 64", 0.93),
        ("rows of 100", 0.93),
        ("rows of 128", 0.96),
        ("rows of 32768", 0.96),
        ("rows of 1024, i8", 0.96),
        ("rows of 1024, argmax", 0.95),
        ("rows of 1024, var", 0.90),
        ("rows of 1024, logsumexp", 0.93),
        ("columns 256x2^20", 0.93),
        ("NHWC 64x56x56x256 over HW", 0.90),
        ("RGB 2^24x3, mean", 0.80),
    ] {
        assert_eq!(of(name, Peer::Read), Some(goal), "{name}");
        assert_eq!(of(name, Peer::Cub), Some(0.98), "{name}");
    }
    assert_eq!(of("small rows 132x8192", Peer::Read), None);
    assert_eq!(of("small rows 132x8192", Peer::Compiled), Some(0.98));
}

/// Returns a row of a made-up table. `ratio` is the time of the peer divided by ours.
fn row(case: &Case, mode: Mode, peer: Peer, ours: f64, ratio: f64) -> Row {
    let spread = |median: f64| Spread { median, lower: median, upper: median };
    let shape = shape_of(case);
    Row {
        case: case.name.to_owned(),
        n: shape.elements() as u64,
        outputs: shape.outputs as u64,
        bytes: (shape.elements() * case.ty.size() + shape.result_bytes()) as u64,
        mode,
        peer,
        time: spread(ours * ratio),
        ratio: (peer != Peer::Ours).then(|| spread(ratio)),
        goal: goals::least_of_shapes(case.group, peer),
        check: Check::Right,
    }
}

/// Returns a table of all shapes, in which our time is a read / 0.95, CUB and PyTorch take twice that, and torch.compile 1 % less.
fn table() -> Table {
    let mut rows = Vec::new();
    for case in SHAPES {
        let modes: &[Mode] = if case.group == Group::Small { &Mode::ALL } else { &[Mode::Graph] };
        for &mode in modes {
            let ours = nest(case).extent().elements() as f64 * case.ty.size() as f64 / 3.2e6;
            let mut add = |peer, ratio| rows.push(row(case, mode, peer, ours, ratio));
            add(Peer::Ours, 1.0);
            if !case.cub.is_empty() {
                add(Peer::Cub, 2.0);
            }
            add(Peer::Eager, 2.0);
            add(Peer::Compiled, 0.99);
            add(Peer::Read, 0.95);
        }
    }
    let machine = Machine { gpu: "NVIDIA <H100>".to_owned(), driver: "580".to_owned(), ..Machine::default() };
    Table { machine, rows, missing: Vec::new() }
}

#[test]
fn the_table_has_every_shape_with_a_dash_for_a_missing_peer() {
    let table = table();
    let text = shape_table::shapes(&table);
    assert_eq!(text.lines().filter(|line| line.starts_with("| ")).count(), 1 + SHAPES.len() + 6, "{text}");
    assert!(text.contains("| rows of 4 | 335.5 | 4000 | 0.95 | 2.00 | 2.00 | 0.99 |\n"), "{text}");
    assert!(
        text.contains("| rows of 512 | 335.5 | 3206 | **0.950** < 0.96 | 2.00 | 2.00 | 0.99 |\n"),
        "{text}"
    );
    assert!(text.contains("| columns 2^26x4 | 335.5 | 3200 | 0.95 | – | 2.00 | 0.99 |\n"), "{text}");
    assert!(
        text.contains("| small rows 4096x32, stream | 0.16 | 3300 | 0.95 | 2.00 | 2.00 | 0.99 |\n"),
        "{text}"
    );
    // Both pages have the table, and no table of sizes.
    for page in [markdown::full(&table), markdown::short(&table)] {
        assert!(page.contains(&text) && !page.contains("2^28"), "{page}");
    }
}

#[test]
fn missed_goals_and_wrong_results_of_shapes_are_named_without_a_size() {
    let mut table = table();
    let cub = table.rows.iter_mut().find(|row| row.case == "rows of 13" && row.peer == Peer::Cub).unwrap();
    *cub = Row { check: Check::Wrong("1 instead of 2".to_owned()), ..cub.clone() };
    cub.ratio = Some(Spread { median: 0.97, lower: 0.97, upper: 0.97 });
    let summary = markdown::summary(&table);
    assert!(summary.contains("- rows of 13, graph, CUB: 0.970, goal 0.98\n"), "{summary}");
    assert!(summary.contains("- rows of 1024, f16, graph, read: 0.950, goal 0.96\n"), "{summary}");
    assert!(summary.contains("- WRONG: rows of 13, CUB: 1 instead of 2\n"), "{summary}");
}

#[test]
fn tables_with_and_without_shapes_read_back() {
    let table = table();
    let json = serde_json::to_value(&table).unwrap();
    assert_eq!(serde_json::from_value::<Table>(json.clone()).unwrap(), table);
    // A run before there were shapes.
    let mut old = json["rows"][0].clone();
    old.as_object_mut().unwrap().remove("outputs").unwrap();
    assert!(!serde_json::from_value::<Row>(old).unwrap().is_shape());
    assert!(table.rows.iter().all(Row::is_shape));
    let none = Table { rows: Vec::new(), ..table };
    assert_eq!(shape_table::shapes(&none), "");
}

/// `REDUCEGEN_PLOT=FILE` keeps the picture.
#[test]
fn the_plot_has_a_line_for_each_shape_and_a_marker_for_each_contestant() {
    let table = table();
    let svg = shape_plot::fractions(&table);
    if let Some(file) = std::env::var_os("REDUCEGEN_PLOT") {
        std::fs::write(file, &svg).unwrap();
    }
    let with_cub = SHAPES.iter().filter(|case| !case.cub.is_empty()).count();
    // The legend has one more of each.
    assert_eq!(svg.matches("<circle").count(), SHAPES.len() + 1);
    let of_colour = |colour: &str| svg.matches(&format!("fill=\"{colour}\"")).count();
    assert_eq!(of_colour("#e69f00"), with_cub + 1);
    assert_eq!((of_colour("#009e73"), of_colour("#cc79a7")), (SHAPES.len() + 1, SHAPES.len() + 1));
    let has_goal = |case: &&Case| goals::least_of_shapes(case.group, Peer::Read).is_some();
    assert_eq!(svg.matches("class=\"goal\"").count(), SHAPES.iter().filter(has_goal).count() + 1);
    // 0.95 of the 550 pixels from 0 to 1, and 0.475.
    assert!(svg.contains("<circle cx=\"748.5\" cy=\"88\""), "{svg}");
    assert!(svg.contains("M487.2 88"), "{svg}");
    for case in SHAPES {
        assert!(svg.contains(&format!(">{}</text>", case.name)), "{}", case.name);
        // At most 8 pixels for each of its characters, left of the plot.
        assert!(case.name.len() <= 27, "{}", case.name);
    }
    assert!(svg.contains("NVIDIA &lt;H100>") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    let none = Table { rows: Vec::new(), ..table };
    assert!(shape_plot::fractions(&none).ends_with("</svg>\n"));
}

#[test]
fn every_type_that_pytorch_names_is_known() {
    let script = std::fs::read_to_string(super::peers().join("torch_peer.py")).unwrap();
    let names = Regex::new(r#""(\w+)": torch\.[a-z]"#).unwrap();
    let names: Vec<_> = names.captures_iter(&script).map(|found| found[1].to_owned()).collect();
    assert!(names.len() >= 8 && names.iter().all(|name| Scalar::from_name(name).is_some()), "{names:?}");
    assert!(SHAPES.iter().all(|case| names.iter().any(|name| name == case.ty.name())), "{names:?}");
}
