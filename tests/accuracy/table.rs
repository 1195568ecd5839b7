//! The table of docs/accuracy.md: the errors of `f32` sums of 2^20 elements, by the methods in common use.
//!
//! `REDUCEGEN_FULL=1 cargo test --release --test accuracy table -- --nocapture` prints the table. It has a row for NumPy if
//! python3 can import it. By default the arrays are shorter.

use super::data::float;
use super::exact::Exact;
use super::splitmix::Random;
use super::subjects::spec;
use reduce_lanes::LanesRef;
use reduce_runtime::{Device, Reducer};
use std::io::Write;
use std::process::{Command, Stdio};

/// A class of arrays, with a description.
struct Class {
    name: &'static str,
    array: fn(usize, &mut Random) -> Vec<f32>,
}

const CLASSES: [Class; 5] = [
    Class { name: "0 to 1", array: |n, random| (0..n).map(|_| random.unit() as f32).collect() },
    Class {
        name: "-1 to 1",
        array: |n, random| (0..n).map(|_| sign(random) * random.unit() as f32).collect(),
    },
    Class {
        name: "2^-20 to 2^20",
        array: |n, random| {
            (0..n).map(|_| sign(random) * 2f64.powf(40.0 * random.unit() - 20.0) as f32).collect()
        },
    },
    Class { name: "1, 1/2, 1/3, …", array: |n, _| (1..=n).map(|i| 1.0 / i as f32).collect() },
    Class { name: "x and -x, and 1", array: pairs },
];

fn sign(random: &mut Random) -> f32 {
    if random.below(2) == 0 { 1.0 } else { -1.0 }
}

/// Returns numbers and their negatives in random order, with one 1 among them, which is the exact sum.
fn pairs(n: usize, random: &mut Random) -> Vec<f32> {
    let half: Vec<_> = (2..n).step_by(2).map(|_| random.unit() as f32).collect();
    let mut all: Vec<_> = half.iter().flat_map(|&x| [x, -x]).chain([1.0]).collect();
    (1..all.len()).rev().for_each(|i| all.swap(i, random.below(i as u64 + 1) as usize));
    all.resize(n, 0.0);
    all
}

type Sum = dyn Fn(&[f32]) -> f32;

/// A summation method.
struct Method {
    name: &'static str,
    sum: Box<Sum>,
}

impl Method {
    fn new(name: &'static str, sum: impl Fn(&[f32]) -> f32 + 'static) -> Method {
        Method { name, sum: Box::new(sum) }
    }

    fn reducegen(name: &'static str, text: &str) -> Method {
        let reducer = reducer(text);
        let sum = move |x: &[f32]| float(reducer.reduce(&[LanesRef::from(x)]).unwrap().values[0]) as f32;
        Method::new(name, sum)
    }
}

fn reducer(text: &str) -> Reducer {
    Reducer::new(&spec(text), &Device::host()).unwrap()
}

fn methods() -> Vec<Method> {
    vec![
        Method::new("a loop in f32", |x| x.iter().sum()),
        Method::new("Kahan", kahan),
        Method::new("pairwise, down to pairs", pairwise),
        Method::reducegen("`op: sum`", "op: sum, ty: f32"),
        Method::reducegen("`op: sum_compensated`", "op: sum_compensated, ty: f32"),
        Method::reducegen("`op: sum, acc: f64`", "op: sum, ty: f32, acc: f64"),
        Method::new("the exact sum, rounded", |x| exact(x).to_f32()),
    ]
}

/// Kahan, Further remarks on reducing truncation errors, 1965.
fn kahan(x: &[f32]) -> f32 {
    let add = |(sum, lost): (f32, f32), x: &f32| {
        let x = x - lost;
        let more = sum + x;
        (more, (more - sum) - x)
    };
    x.iter().fold((0.0, 0.0), add).0
}

fn pairwise(x: &[f32]) -> f32 {
    match x {
        [] => 0.0,
        [x] => *x,
        _ => {
            let (left, right) = x.split_at(x.len() / 2);
            pairwise(left) + pairwise(right)
        }
    }
}

fn exact(x: &[f32]) -> Exact {
    Exact::sum(x.iter().copied().map(f64::from))
}

/// Returns the sums of NumPy and its version, or the reason why they are missing.
fn numpy(arrays: &[Array]) -> Result<(String, Vec<f32>), String> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/numpy_sum.py");
    let mut python = Command::new("python3");
    python.args([script, &arrays[0].x.len().to_string()]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = python.stderr(Stdio::null()).spawn().map_err(|error| error.to_string())?;
    let mut input = child.stdin.take().unwrap();
    let bytes = |array: &Array| array.x.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>();
    // Python without NumPy ends without reading its input.
    let written = arrays.iter().try_for_each(|array| input.write_all(&bytes(array)));
    drop(input);
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    written.map_err(|error| format!("python3 has no NumPy ({error})"))?;
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines();
    let version = lines.next().ok_or("python3 has no NumPy")?.to_owned();
    let sums = lines.map(|bits| f32::from_bits(u32::from_str_radix(bits, 16).unwrap())).collect();
    Ok((version, sums))
}

/// An array with its exact sum, and with Σ|x|.
struct Array {
    x: Vec<f32>,
    sum: Exact,
    magnitude: f64,
}

impl Array {
    fn new(x: Vec<f32>) -> Array {
        let magnitude = Exact::sum(x.iter().map(|x| f64::from(x.abs()))).to_f64();
        Array { sum: exact(&x), x, magnitude }
    }

    /// Returns the error of a sum, in units of u Σ|x| with u = 2^-24. In these units the bound is the depth.
    fn error(&self, sum: f32) -> f64 {
        let error = (Exact::sum([sum.into()]) - self.sum.clone()).abs().to_f64();
        error / self.magnitude * f64::from(1 << 24)
    }
}

/// Returns the mean and the maximum error.
fn error(arrays: &[Array], sums: impl Iterator<Item = f32>) -> [f64; 2] {
    let errors: Vec<_> = arrays.iter().zip(sums).map(|(array, sum)| array.error(sum)).collect();
    [errors.iter().sum::<f64>() / errors.len() as f64, errors.iter().copied().fold(0.0, f64::max)]
}

/// A row of the table: the method, and for each class the mean and the maximum error.
struct Row {
    name: String,
    errors: Vec<[f64; 2]>,
}

fn rows(n: usize, trials: usize) -> Vec<Row> {
    let mut random = Random::new(1);
    let arrays = CLASSES
        .map(|class| (0..trials).map(|_| Array::new((class.array)(n, &mut random))).collect::<Vec<_>>());
    let of_method = |method: &Method| {
        let errors = arrays.iter().map(|arrays| error(arrays, arrays.iter().map(|it| (method.sum)(&it.x))));
        Row { name: method.name.to_owned(), errors: errors.collect() }
    };
    let mut rows: Vec<_> = methods().iter().map(of_method).collect();
    let of_numpy: Result<Vec<_>, _> = arrays.iter().map(|arrays| numpy(arrays)).collect();
    match of_numpy {
        Ok(of_numpy) => {
            let errors = arrays.iter().zip(&of_numpy).map(|(it, (_, sums))| error(it, sums.iter().copied()));
            rows.insert(3, Row { name: of_numpy[0].0.clone(), errors: errors.collect() });
        }
        Err(why) => println!("no row of NumPy: {why}"),
    }
    rows
}

fn print(rows: &[Row]) {
    let cell = |[mean, most]: &[f64; 2]| format!("{} / {}", short(*mean), short(*most));
    println!("| sum by | {} |", CLASSES.map(|class| class.name).join(" | "));
    println!("|---|{}", "---|".repeat(CLASSES.len()));
    for Row { name, errors } in rows {
        println!("| {name} | {} |", errors.iter().map(cell).collect::<Vec<_>>().join(" | "));
    }
}

fn short(x: f64) -> String {
    match x {
        0.0 => "0".to_owned(),
        100.0.. => format!("{x:.0}"),
        1.0.. => format!("{x:.1}"),
        0.01.. => format!("{x:.2}"),
        _ => format!("{x:.0e}"),
    }
}

#[test]
fn table() {
    let (n, trials) = if std::env::var_os("REDUCEGEN_FULL").is_some() { (1 << 20, 20) } else { (1 << 14, 5) };
    let rows = rows(n, trials);
    println!("{trials} arrays of {n} elements each");
    print(&rows);
    let of = |name: &str| &rows.iter().find(|row| row.name == name).unwrap().errors;
    let depth = reducer("op: sum, ty: f32").programs().for_len(n as u64).association().depth(n as u64) as f64;
    println!("the depth of `op: sum` is {depth}");
    for (class, [mean, most]) in of("`op: sum`").iter().enumerate() {
        assert!(*most <= depth && *mean <= of("a loop in f32")[class][0]);
    }
    let roundings = ["`op: sum_compensated`", "`op: sum, acc: f64`"].map(of);
    assert!(roundings.iter().all(|errors| errors.iter().all(|[_, most]| *most <= 1.1)));
}
