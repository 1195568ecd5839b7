//! Random combinations of operator, type, variant, layout, passes, block, size, class of elements and alignment, the same
//! for the same seed: what every device must give the same bits of.

use super::cases;
use super::classes::Class;
use super::random::{Random, pass};
use super::subjects::{Subject, bits};
use reduce_codegen::expand;
use reduce_dsl::Spec;
use reduce_dsl::expanded::Expanded;
use reduce_dsl::interpreter::{Input, Options, Values, run};
use reduce_dsl::lanes::{Lanes, LanesRef};
use reduce_dsl::operation::Layout;
use reduce_runtime::{Device, Reducer, Strided};
use std::collections::BTreeMap;
use std::fmt;

/// A specification, and what it is run on.
pub(crate) struct Sample {
    pub(crate) spec: Spec,
    /// The reducer of the host, whose bits the others must give.
    pub(crate) host: Reducer,
    expanded: Expanded,
    pub(crate) data: Vec<Data>,
}

/// Elements of each input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Data {
    pub(crate) class: Class,
    pub(crate) n: usize,
    /// So many elements are skipped in memory, so that the first one is misaligned.
    pub(crate) start: usize,
    /// How far apart the elements are.
    pub(crate) step: usize,
}

impl Sample {
    /// The sample of a seed, of `sets` data sets of at most `most` elements.
    pub(crate) fn new(subjects: &[Subject], seed: u64, sets: usize, most: usize) -> Sample {
        let mut random = Random::new(seed);
        let mut subject = subjects[random.below(subjects.len() as u64) as usize].clone();
        if random.below(8) == 0 {
            subject.text += ", layout: strided";
        }
        let passes: Vec<_> = (0..random.below(6)).map(|_| pass(&mut random)).collect();
        let block = random.pick(&[32, 64, 128, 256, 512, 1024]);
        let spec = if random.below(8) == 0 { subject.auto() } else { subject.scheduled(&passes, block) };
        let host = Reducer::new(&spec, &Device::host()).unwrap();
        let expanded = expand(host.program()).unwrap();
        let lengths = cases::lengths(host.program(), most);
        let data = (0..sets).map(|_| Data::new(&mut random, &spec, &lengths, most)).collect();
        Sample { spec, host, expanded, data }
    }

    /// The bits on the host.
    pub(crate) fn on_host(&self, memory: &[Lanes], data: Data) -> String {
        let views: Vec<_> = memory.iter().map(|lanes| data.view(lanes.borrow())).collect();
        bits(self.host.reduce(&views).map(|outcome| outcome.values))
    }

    /// The bits in the interpreter, if it is something that devices are asked for: of no elements they are not.
    pub(crate) fn interpreted(&self, memory: &[Lanes], data: Data) -> Option<String> {
        if data.n == 0 {
            return None;
        }
        let program = self.host.program();
        let inputs: Vec<_> = memory.iter().map(|lanes| data.input(lanes)).collect();
        let mut domain = Values::new(&program.operation);
        let outcome = run(program, &self.expanded, &mut domain, &inputs, data.n as u64, Options::FORWARD);
        Some(match (outcome.reports.first(), outcome.acc) {
            (None, Some(acc)) => bits(Ok(domain.finish(acc).unwrap())),
            (report, _) => format!("{report:?}"),
        })
    }
}

impl Data {
    fn new(random: &mut Random, spec: &Spec, lengths: &[usize], most: usize) -> Data {
        let strided = spec.operation.layout == Layout::Strided;
        let step = if strided { 1 + random.below(5) as usize } else { 1 };
        let n = match random.below(3) {
            0 => random.below(most as u64) as usize,
            1 => random.below(200) as usize,
            _ => random.pick(lengths),
        };
        Data { class: random.pick(&Class::ALL), n: n / step, start: random.below(8) as usize, step }
    }

    /// What lies in memory, for each input.
    pub(crate) fn memory(&self, spec: &Spec) -> Vec<Lanes> {
        let inputs = spec.operation.inputs.iter().zip(0..);
        let len = self.start + self.n * self.step;
        inputs.map(|(input, place)| self.class.elements(input.ty, len, place)).collect()
    }

    fn view<'a>(&self, data: LanesRef<'a>) -> Strided<LanesRef<'a>> {
        Strided { data, offset: self.start, step: self.step, len: self.n }
    }

    fn input(&self, lanes: &Lanes) -> Input {
        let mut elements = Lanes::empty(lanes.ty());
        elements.extend(lanes.borrow().slice(self.start..lanes.len()));
        Input { elements, step: self.step as u64, aligned: self.start == 0 }
    }
}

/// What was compared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    specs: usize,
    classes: BTreeMap<Class, Counts>,
    /// The first differences.
    pub(crate) differences: Vec<String>,
}

/// Combinations of a class.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    combinations: usize,
    interpreted: usize,
    differing: usize,
}

impl Report {
    /// Counts a specification.
    pub(crate) fn of_spec() -> Report {
        Report { specs: 1, ..Report::default() }
    }

    /// Counts a combination: the bits of the host, and those of other devices by their names.
    pub(crate) fn compare(&mut self, spec: &Spec, data: Data, host: &str, others: &[(&str, Option<String>)]) {
        let counts = self.classes.entry(data.class).or_default();
        counts.combinations += 1;
        let others = others.iter().filter_map(|(device, found)| Some((*device, found.as_ref()?)));
        for (device, found) in others {
            counts.interpreted += usize::from(device == "interpreter");
            if found != host {
                counts.differing += 1;
                self.differences.push(format!("{}, {data:?}: host {host}, {device} {found}", spec.text));
            }
        }
    }

    pub(crate) fn plus(mut self, other: Report) -> Report {
        self.specs += other.specs;
        for (class, counts) in other.classes {
            let all = self.classes.entry(class).or_default();
            all.combinations += counts.combinations;
            all.interpreted += counts.interpreted;
            all.differing += counts.differing;
        }
        self.differences.extend(other.differences);
        self
    }

    /// How many classes occur.
    pub(crate) fn classes(&self) -> usize {
        self.classes.len()
    }

    pub(crate) fn combinations(&self) -> usize {
        self.classes.values().map(|counts| counts.combinations).sum()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} specifications", self.specs)?;
        writeln!(
            f,
            "{:<12} {:>12} {:>16} {:>10}",
            "elements", "combinations", "also interpreted", "differing"
        )?;
        let total = self
            .classes
            .values()
            .fold([0; 3], |[a, b, c], it| [a + it.combinations, b + it.interpreted, c + it.differing]);
        for (class, Counts { combinations, interpreted, differing }) in &self.classes {
            writeln!(f, "{:<12} {combinations:>12} {interpreted:>16} {differing:>10}", class.to_string())?;
        }
        writeln!(f, "{:<12} {:>12} {:>16} {:>10}", "all", total[0], total[1], total[2])
    }
}
