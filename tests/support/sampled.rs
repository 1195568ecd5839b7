//! Random combinations of operator, type, variant, layout, passes, block, size, class of elements and alignment, the same
//! for the same seed: what every device must give the same bits of.

use super::cases;
use super::classes::Class;
use super::random::{Random, pass};
use super::reference::{Place, Reference};
use super::subjects::Subject;
use reduce_ir::Spec;
use reduce_lanes::Lanes;
use std::collections::BTreeMap;
use std::fmt;

/// A specification, and what it is run on.
pub(crate) struct Sample {
    pub(crate) reference: Reference,
    pub(crate) data: Vec<Data>,
}

/// Elements of each input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Data {
    class: Class,
    pub(crate) place: Place,
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
        let auto = random.below(8) == 0;
        let reference = Reference::new(if auto { subject.auto() } else { subject.scheduled(&passes, block) });
        let lengths = cases::lengths_of_all(reference.host.programs(), most);
        let data = (0..sets).map(|_| Data::new(&mut random, &reference.spec, &lengths, most)).collect();
        Sample { reference, data }
    }
}

impl Data {
    fn new(random: &mut Random, spec: &Spec, lengths: &[usize], most: usize) -> Data {
        let strided = spec.domain.is_strided();
        let step = if strided { 1 + random.below(5) as usize } else { 1 };
        let n = match random.below(3) {
            0 => random.below(most as u64) as usize,
            1 => random.below(200) as usize,
            _ => random.pick(lengths),
        };
        let signed = if n % 2 == 1 && strided { -(step as isize) } else { step as isize };
        let place = Place { n: n / step, start: random.below(8) as usize, step: signed };
        Data { class: random.pick(&Class::ALL), place }
    }

    /// What lies in memory, for each input.
    pub(crate) fn memory(&self, spec: &Spec) -> Vec<Lanes> {
        let inputs = spec.operation.inputs.iter().zip(0..);
        inputs.map(|(input, place)| self.class.elements(input.ty, self.place.len(), place)).collect()
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
