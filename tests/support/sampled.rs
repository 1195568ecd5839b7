//! Random combinations of operator, type, variant, layout, passes, block, size, class of elements and alignment. A seed
//! gives the same combination every time, and every device must give the same bits.

use super::cases;
use super::classes::Class;
use super::random::{Random, pass};
use super::reference::{Place, Reference};
use super::subjects::Subject;
use reduce_ir::Spec;
use reduce_lanes::Lanes;
use std::collections::BTreeMap;
use std::fmt;

/// A specification and its data sets.
pub(crate) struct Sample {
    pub(crate) reference: Reference,
    pub(crate) data: Vec<Data>,
}

/// A class and a layout of the elements of each input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Data {
    class: Class,
    pub(crate) place: Place,
}

impl Sample {
    /// Creates the sample of a seed, with `sets` data sets of at most `most` elements.
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
        // A team reduces one tile at most.
        let most = reference.host.programs().up_to().map_or(most, |up_to| most.min(up_to as usize));
        let lengths = cases::lengths_of_all(reference.host.programs(), most);
        let data = (0..sets).map(|_| Data::new(&mut random, &reference.spec, &lengths, most)).collect();
        Sample { reference, data }
    }
}

impl Data {
    fn new(random: &mut Random, spec: &Spec, lengths: &[usize], most: usize) -> Data {
        let strided = spec.domain.steps() > 0;
        let step = if strided { 1 + random.below(5) as usize } else { 1 };
        let n = match random.below(3) {
            0 => random.below(most as u64) as usize,
            1 => random.below(200.min(most as u64)) as usize,
            _ => random.pick(lengths),
        };
        let signed = if n % 2 == 1 && strided { -(step as isize) } else { step as isize };
        let place = Place { n: n / step, start: random.below(8) as usize, step: signed };
        Data { class: random.pick(&Class::ALL), place }
    }

    /// Returns the memory of each input.
    pub(crate) fn memory(&self, spec: &Spec) -> Vec<Lanes> {
        let inputs = spec.operation.inputs.iter().zip(0..);
        inputs.map(|(input, place)| self.class.elements(input.ty, self.place.len(), place)).collect()
    }
}

/// The results of comparisons.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    specs: usize,
    classes: BTreeMap<Class, Counts>,
    /// The first differences.
    pub(crate) differences: Vec<String>,
}

/// The combinations of a class.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    combinations: usize,
    interpreted: usize,
    differing: usize,
}

impl Report {
    /// Creates the report of a specification.
    pub(crate) fn of_spec() -> Report {
        Report { specs: 1, ..Report::default() }
    }

    /// Counts a combination, and compares the bits of the host with the bits of other devices.
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

    /// Returns the number of classes that occur.
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
