//! The benchmark of peers, without a GPU: its numbers, its table, its plot, and its protocol with PyTorch.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "the rest of the modules is for a GPU")]

#[path = "../benches/peers/cases.rs"]
mod cases;
#[path = "../benches/peers/chart.rs"]
mod chart;
#[path = "../benches/peers/goals.rs"]
mod goals;
#[path = "../benches/peers/lines.rs"]
mod lines;
#[path = "peers/many_results.rs"]
mod many_results;
#[path = "../benches/peers/markdown.rs"]
mod markdown;
#[path = "../benches/peers/outputs.rs"]
mod outputs;
#[path = "../benches/peers/plot.rs"]
mod plot;
#[path = "../benches/peers/shape_plot.rs"]
mod shape_plot;
#[path = "../benches/peers/shape_table.rs"]
mod shape_table;
#[path = "../benches/peers/shapes.rs"]
mod shapes;
#[path = "support/skip.rs"]
mod skip;
#[path = "../benches/peers/slots.rs"]
mod slots;
#[path = "../benches/peers/stats.rs"]
mod stats;
#[path = "../benches/peers/table.rs"]
mod table;

use cases::{CASES, Group};
use lines::Lines;
use outputs::Layout;
use reduce_ir::{Scalar, Value};
use reduce_runtime::{Device, Reducer};
use regex::Regex;
use serde_json::json;
use skip::skipped;
use slots::Slots;
use stats::Spread;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use table::{Check, Machine, Mode, Peer, Row, Table, Tolerance};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn peers() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers")
}

#[test]
fn spreads_are_quartiles() {
    assert_eq!(Spread::of(&[]), None);
    assert_eq!(Spread::of(&[3.0]), Some(Spread { median: 3.0, lower: 3.0, upper: 3.0 }));
    let of_five = Spread::of(&[5.0, 1.0, 4.0, 2.0, 3.0]);
    assert_eq!(of_five, Some(Spread { median: 3.0, lower: 2.0, upper: 4.0 }));
    assert_eq!(Spread::of(&[1.0, 2.0]).unwrap().median, 1.5);
    // The median of the ratios of each round, not the ratio of the medians.
    let ratios = Spread::of_ratios(&[2.0, 30.0, 8.0], &[1.0, 10.0, 2.0]).unwrap();
    assert_eq!((ratios.lower, ratios.median, ratios.upper), (2.5, 3.0, 3.5));
}

#[test]
fn medians_that_chance_may_decide_are_near_their_goal() {
    let spread = Spread { median: 1.02, lower: 0.96, upper: 1.06 };
    // Standard errors 0.031 and 0.0093.
    assert!(spread.is_near(1.0, 9) && !spread.is_near(1.0, 100));
    assert!(spread.is_near(1.08, 9) && !spread.is_near(1.09, 9));
    assert!(!Spread { median: 1.02, lower: 1.02, upper: 1.02 }.is_near(1.01, 9));
}

#[test]
fn goals_are_those_of_the_sizes() {
    let least = |group, n: u64, peer, mode| goals::least(group, n, peer, mode);
    let flat = |size: u32, mode| least(Group::Flat, 1 << size, Peer::Cub, mode);
    assert_eq!(flat(28, Mode::Graph), Some(1.01));
    assert_eq!((flat(24, Mode::Graph), flat(24, Mode::Stream)), (Some(1.0), Some(1.02)));
    assert_eq!((flat(19, Mode::Graph), flat(19, Mode::Stream)), (Some(0.98), Some(1.2)));
    assert_eq!((flat(13, Mode::Graph), flat(17, Mode::Stream)), (Some(1.15), Some(1.8)));
    assert_eq!(flat(12, Mode::Stream), Some(1.0));
    assert_eq!(least(Group::Position, 1 << 30, Peer::Read, Mode::Graph), Some(0.95));
    assert_eq!(least(Group::Position, 1 << 20, Peer::Read, Mode::Graph), None);
    assert_eq!(least(Group::Describe, 1 << 28, Peer::Compiled, Mode::Stream), Some(1.0));
    assert_eq!(least(Group::MisalignedNarrow, 1 << 29, Peer::Beside, Mode::Graph), Some(0.85));
    assert_eq!(least(Group::Misaligned, 1 << 28, Peer::Cub, Mode::Graph), None);
}

#[test]
fn every_case_compiles_and_names_functions_that_are_there() {
    let functions = functions_of_cub();
    for case in CASES {
        let others = case.beside.iter().map(|(text, _)| *text);
        for text in others.chain([case.spec]) {
            let spec = case.parsed(text).unwrap_or_else(|error| panic!("{}: {error}", case.name));
            assert_eq!(spec.operation.inputs.len(), case.inputs(), "{}", case.name);
            Reducer::new(&spec, &Device::host()).unwrap();
        }
        for (function, _) in case.cub {
            assert!(functions.iter().any(|it| it == function), "{function} is not among {functions:?}");
        }
    }
}

/// Returns the names in `PEER(name)` or `ROWS(name)`, and the names that each use of a macro with `PEER(prefix_##name)` or
/// `ROWS(prefix_##name)` creates.
fn functions_of_cub() -> Vec<String> {
    let files = fs::read_dir(peers().join("cub")).unwrap();
    let text: String = files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap()).collect();
    let captures = |pattern: &str| -> Vec<Vec<String>> {
        let pattern = Regex::new(pattern).unwrap();
        let groups = |found: regex::Captures<'_>| {
            found.iter().skip(1).map(|it| it.map_or(String::new(), |it| it.as_str().into())).collect()
        };
        pattern.captures_iter(&text).map(groups).collect()
    };
    let mut functions: Vec<String> = captures(r"(?m)^(?:PEER|ROWS)\((\w+)\)$").concat();
    for found in captures(r"#define (\w+)\(name,[^\n]*\\\n *(?:PEER|ROWS)\((?:(\w+)##)?name\)") {
        let uses = captures(&format!(r"(?m)^{}\((\w+),", found[0]));
        functions.extend(uses.concat().iter().map(|name| format!("{}{name}", found[1])));
    }
    functions
}

#[test]
fn closures_take_the_path_that_their_group_says() {
    let operator = |text: &str, case: &cases::Case| case.parsed(text).unwrap().operation.name;
    for case in CASES.iter().filter(|case| case.group == Group::Named) {
        assert_eq!(operator(case.spec, case), operator(case.beside.unwrap().0, case), "{}", case.name);
    }
    for case in CASES.iter().filter(|case| case.group == Group::Closure) {
        let known = reducegen::OPERATORS.iter().any(|row| row.name == operator(case.spec, case));
        assert!(!known, "{}", case.name);
    }
}

#[test]
fn inputs_rotate_and_do_not_overlap() {
    let slots = Slots::of(4096, 10_000, Scalar::F32, 300, 2).unwrap().shifted(4);
    assert_eq!((slots.stride, slots.copies), (1536, 3));
    let pointers: Vec<_> = (0..4).map(|turn| [slots.pointer(turn, 0), slots.pointer(turn, 1)]).collect();
    assert_eq!(pointers[0], [4100, 4100 + 1536]);
    assert_eq!((pointers[1][0], pointers[3]), (4100 + 2 * 1536, pointers[0]));
    assert!(slots.pointer(2, 1) + 1200 <= 4096 + 10_000);
    assert!(Slots::of(0, 1000, Scalar::F32, 300, 1).is_none());
}

#[test]
fn results_of_cub_are_the_numbers_of_ours() {
    let bytes = |parts: &[&[u8]]| {
        let mut all: Vec<u8> = parts.concat();
        all.resize(64, 0xee);
        all
    };
    let (two, half) = (2.0f32.to_le_bytes(), 0.5f32.to_le_bytes());
    assert_eq!(Layout::Scalar(Scalar::F32).numbers(&bytes(&[&two])), [2.0]);
    assert_eq!(Layout::Pair(Scalar::F32).numbers(&bytes(&[&half, &two])), [0.5, 2.0]);
    assert_eq!(Layout::Position.numbers(&bytes(&[&77i64.to_le_bytes(), &two])), [77.0]);
    assert_eq!(Layout::Count.numbers(&bytes(&[&9u32.to_le_bytes()])), [9.0]);
    let moments = bytes(&[&half, &two, &4u32.to_le_bytes()]);
    assert_eq!(Layout::Variance.numbers(&moments), [0.5]);
    assert_eq!(Layout::Moments.numbers(&moments), [0.5, 2.0]);
    assert_eq!(Layout::RowPosition.numbers(&bytes(&[&7i32.to_le_bytes(), &two])), [7.0]);
    assert_eq!(Layout::LargestAndSum.numbers(&bytes(&[&half, &1.0f32.to_le_bytes()])), [0.5]);
    assert_eq!(outputs::as_f64(Value::of(-3i8)), -3.0);
}

#[test]
fn results_are_right_within_the_tolerance_only() {
    let relative = |relative| Tolerance { relative, absolute: 0.0 };
    assert_eq!(Check::of(&[1.0], &[1.0], Tolerance::EXACT), Check::Right);
    assert_eq!(Check::of(&[f64::INFINITY], &[f64::INFINITY], Tolerance::EXACT), Check::Right);
    assert_eq!(Check::of(&[-100.001], &[-100.0], relative(1e-4)), Check::Right);
    for (found, tolerance) in
        [(vec![1.001], 1e-4), (vec![], 1.0), (vec![f64::NAN], 1.0), (vec![1.0, 1.0], 1.0)]
    {
        assert!(matches!(Check::of(&found, &[1.0], relative(tolerance)), Check::Wrong(_)), "{found:?}");
    }
}

/// Returns a table of one case with two sizes, in which one goal is missed.
fn table() -> Table {
    let spread = |median: f64| Spread { median, lower: median * 0.99, upper: median * 1.01 };
    let row = |n: u64, mode, peer, time, ratio: Option<f64>| Row {
        case: "sum f32".to_owned(),
        n,
        outputs: 1,
        bytes: 4 * n,
        mode,
        peer,
        time: spread(time),
        ratio: ratio.map(spread),
        goal: ratio.and_then(|_| goals::least(Group::Flat, n, peer, mode)),
        check: Check::Right,
    };
    let mut rows = Vec::new();
    for (n, ours, cub) in [(1 << 28, 233.0, 238.0), (1 << 20, 4.0, 3.6)] {
        for mode in Mode::ALL {
            rows.push(row(n, mode, Peer::Ours, ours, None));
            rows.push(row(n, mode, Peer::Cub, cub, Some(cub / ours)));
        }
    }
    let machine = Machine { gpu: "NVIDIA <H200>".to_owned(), driver: "580".to_owned(), ..Machine::default() };
    Table { machine, rows, missing: vec!["PyTorch: no module".to_owned()] }
}

#[test]
fn a_table_reads_back_and_says_what_is_missed() {
    let table = table();
    let read: Table = serde_json::from_str(&serde_json::to_string(&table).unwrap()).unwrap();
    assert_eq!(read, table);
    let summary = markdown::summary(&table);
    assert!(summary.contains("2 of 4 goals are met."), "{summary}");
    assert!(summary.contains("- sum f32, 2^20, graph, CUB: 0.900, goal 0.98\n"), "{summary}");
    assert!(summary.contains("- not measured: PyTorch: no module\n"), "{summary}");
    let full = markdown::full(&table);
    assert!(
        full.contains("| 2^20 | stream | 4.00 (3.96–4.04) | 1049 | **0.900** < 1.20 (0.89–0.91) |"),
        "{full}"
    );
    assert!(markdown::short(&table).contains("| sum f32 | 1.02 · 1.02 | 0.90 · 0.90 |"), "{full}");
}

#[test]
fn a_wrong_result_is_in_the_summary() {
    let mut table = table();
    table.rows[1].check = Check::of(&[1.0], &[2.0], Tolerance::EXACT);
    let summary = markdown::summary(&table);
    assert!(summary.contains("- WRONG: sum f32, 2^28, CUB: 1 instead of 2\n"), "{summary}");
}

#[test]
fn the_plot_is_a_picture_with_a_line_for_each_case() {
    let svg = plot::ratios(&table(), Mode::Graph);
    assert_eq!(svg.matches("<polyline class=\"line\"").count(), 1);
    assert_eq!(svg.matches("<circle").count(), 2);
    assert!(svg.contains("NVIDIA &lt;H200>") && svg.contains(">goal<") && !svg.contains("NaN"), "{svg}");
    let nothing = Table { rows: Vec::new(), ..table() };
    assert!(plot::ratios(&nothing, Mode::Stream).ends_with("</svg>\n"));
}

#[test]
fn another_process_answers_or_gives_its_error() {
    let answers = "{\"microseconds\": 2.5}\n{\"error\": \"RuntimeError: no\"}\nnoise\n";
    let mut sent = Vec::new();
    let mut lines = Lines::new(&mut sent, answers.as_bytes());
    assert_eq!(lines.ask_number(&json!({ "do": "sample" }), "microseconds").unwrap(), 2.5);
    assert_eq!(lines.ask(&json!({ "do": "case" })).unwrap_err().to_string(), "RuntimeError: no");
    assert!(lines.receive().is_err());
    assert_eq!(lines.receive().unwrap_err().to_string(), "the process has ended");
    assert_eq!(String::from_utf8(sent).unwrap(), "{\"do\":\"sample\"}\n{\"do\":\"case\"}\n");
}

/// A module `torch` with the parts that the commands below use.
const FAKE_TORCH: &str = "import types, sys\n\
    torch = types.ModuleType('torch')\n\
    class Type(str): itemsize = 4\n\
    for name in 'float16 bfloat16 float32 float64 int8 uint8 int32 int64'.split(): setattr(torch, name, Type(name))\n\
    class Tensor:\n    \
    def __init__(self, shape, dtype=torch.uint8): self.shape, self.dtype = list(shape), dtype\n    \
    def __getitem__(self, at): return Tensor([at.stop - at.start])\n    \
    def view(self, to): return Tensor([self.shape[0] // 4], to) if isinstance(to, str) else Tensor(to, self.dtype)\n    \
    def sum(self, axis): return Tensor(self.shape[:axis] + self.shape[axis + 1:], self.dtype)\n    \
    def contiguous(self): return self\n    \
    def flatten(self): return self\n    \
    def numel(self): return self.shape[0]\n\
    torch.randint = lambda low, high, shape, dtype, device: Tensor(shape)\n\
    class no_grad:\n    def __enter__(self): pass\n    def __exit__(self, *_): pass\n\
    torch.no_grad = no_grad\n\
    sys.modules['torch'] = torch\n";

#[test]
fn the_script_of_pytorch_speaks_json_and_survives_its_errors() {
    let script = fs::read_to_string(peers().join("torch_peer.py")).unwrap();
    let mut command = Command::new("python3");
    command.args(["-c", &(FAKE_TORCH.to_owned() + &script)]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            let test = "the_script_of_pytorch_speaks_json_and_survives_its_errors";
            return skipped(test, format!("there is no python3: {error}"));
        }
    };
    let answers = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut lines = Lines::new(child.stdin.take().unwrap(), answers);
    let error = lines.ask(&json!({ "do": "nonsense" })).unwrap_err().to_string();
    assert!(error.starts_with("AttributeError"), "{error}");
    let error = lines.ask(&json!({ "do": "prepare", "name": "eager" })).unwrap_err().to_string();
    assert!(error.starts_with("KeyError"), "{error}");
    // Without a GPU there is no memory to open.
    let open = json!({ "do": "open", "handle": "00".repeat(64), "bytes": 4096, "results": 256 });
    assert_eq!(lines.ask(&open).unwrap()["shared"], false);
    let case = json!({
        "do": "case", "name": "eager", "ty": "f32", "shape": [5, 7], "inputs": 1, "stride": 512, "copies": 3,
        "python": "x.sum(0)", "compiled": false, "stores": true,
    });
    assert_eq!(lines.ask(&case).unwrap(), json!({ "ty": "f32", "count": 7 }));
    drop(lines);
    assert!(child.wait().unwrap().success());
}
