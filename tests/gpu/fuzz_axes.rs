//! Random specifications with `axes`, of random shapes and layouts: a GPU gives the bits of the host. Without a GPU the same
//! specifications run in `tests/fuzz_axes.rs`, where the host gives the bits that each group has alone.
//!
//! `REDUCEGEN_SPECS=1000` runs 1,000 specifications of 50 shapes each. Most of the time is for NVRTC, on all cores: shapes of
//! few kinds share kernels.

use super::axes_law::{Seen, is_unordered, sample};
use super::axes_shapes::Shape;
use super::axes_specs::{Fuzzed, Results, compare, results};
use super::classes::Class;
use super::data::{Resident, View};
use super::device::gpu;
use super::fuzzed::{Pool, seeds};
use super::samples::on_all_cores;
use super::splitmix::Random;
use reduce_codegen::{Programs, Tuning, check_size};
use reduce_ir::program::Program;
use reduce_ir::{Domain, Scalar};
use reduce_runtime::cudarc::driver::CudaContext;
use reduce_runtime::{Architecture, Device, Reducer};
use std::collections::BTreeMap;

/// The number of specifications, and of shapes of each. More specifications have more shapes.
const SPECS: u64 = 20;
const SHAPES: [usize; 2] = [8, 50];

/// The numbers of elements that shapes have at most.
const MOST: [usize; 3] = [2100, 20_000, 200_000];

/// The most kinds of groups of a specification, and the most kernels.
const DOMAINS: usize = 6;
const KERNELS: usize = 8;

/// The tries to find shapes whose kernels are compiled already.
const TRIES: usize = 1000;

/// The elements of a pool, on the device.
type Residents = BTreeMap<(Scalar, Class), Resident>;

#[test]
fn random_groups_have_the_bits_of_the_host() {
    let Some(device) = gpu("fuzz_axes::random_groups_have_the_bits_of_the_host") else { return };
    let (pool, seeds) = (Pool::new(MOST[2]), seeds(SPECS));
    let stream = CudaContext::new(0).unwrap().default_stream();
    let residents: Residents =
        pool.iter().map(|(&key, lanes)| (key, Resident::new(&stream, lanes))).collect();
    stream.synchronize().unwrap();
    let shapes = SHAPES[usize::from(seeds.len() as u64 > SPECS)];
    let on_device = OnDevice { device: &device, pool: &pool, residents: &residents, shapes };
    let outcomes = on_all_cores(&seeds, |&seed| {
        sample(seed, |fuzzed, random, seen| on_device.check(fuzzed, random, seen))
    });
    let (mut findings, mut seen) = (Vec::new(), Seen::default());
    for (outcome, counted) in outcomes {
        findings.extend(outcome.err());
        seen = seen.plus(counted);
    }
    println!("{} specifications, {} findings: {:#?}", seeds.len(), findings.len(), seen.0);
    assert!(findings.is_empty(), "{}", findings[..findings.len().min(20)].join("\n\n"));
    // Small kernels of every order leave most shapes.
    assert!(2 * seen.of("compared") > seeds.len() * shapes, "only {} are compared", seen.of("compared"));
    assert!(seen.of("compared on the device") > 0 && seen.of("compared from the host") > 0);
}

/// The device, and the data of all specifications.
struct OnDevice<'a> {
    device: &'a Device,
    pool: &'a Pool,
    residents: &'a Residents,
    shapes: usize,
}

impl OnDevice<'_> {
    /// Compares the shapes of a specification. Returns the first difference as an error.
    fn check(&self, fuzzed: &Fuzzed, random: &mut Random, seen: &mut Seen) -> Result<(), String> {
        let mut kernels = Kernels { fuzzed, device: self.device, domains: Vec::new(), used: Vec::new() };
        let mut reducer = None;
        let mut done = 0;
        for _ in 0..TRIES {
            let Some(shape) = fuzzed.shape(random.pick(&MOST), random) else { continue };
            let described = |what: String| fuzzed.described(&shape, &what);
            let Some(program) = kernels.of(&shape).map_err(described)? else { continue };
            if check_size(program).is_err() || is_unordered(program) {
                seen.count("too large or in any order");
            } else {
                let made = || Reducer::new(&fuzzed.spec, self.device).map_err(|error| error.to_string());
                let made = reducer.get_or_insert_with(made).as_ref().map_err(String::clone);
                made.and_then(|gpu| self.compare(fuzzed, gpu, &shape, done, seen)).map_err(described)?;
            }
            done += 1;
            if done == self.shapes {
                break;
            }
        }
        (0..kernels.used.len()).for_each(|_| seen.count("kernel"));
        Ok(())
    }

    fn compare(
        &self,
        fuzzed: &Fuzzed,
        gpu: &Reducer,
        shape: &Shape,
        turn: usize,
        seen: &mut Seen,
    ) -> Result<(), String> {
        let data = fuzzed.data(shape, self.pool);
        let host = fuzzed.by(&fuzzed.groups, shape, &data);
        if turn == 0 {
            compare("host", &host, &fuzzed.each_alone(shape, &data))?;
        }
        // Calls on the device refuse inputs of no elements.
        let found = if turn.is_multiple_of(4) || shape.groups() * shape.length() == 0 {
            seen.count("compared from the host");
            fuzzed.by(gpu, shape, &data)
        } else {
            seen.count("compared on the device");
            self.resident(fuzzed, gpu, shape)
        };
        seen.count("compared");
        compare("GPU", &found, &host)
    }

    /// Returns the results of elements on the device.
    fn resident(&self, fuzzed: &Fuzzed, gpu: &Reducer, shape: &Shape) -> Results {
        let inputs = gpu.operation().inputs.iter().zip(&shape.inputs).enumerate();
        let slices: Vec<_> = inputs
            .map(|(at, (param, layout))| {
                let start = Pool::start(at) + layout.start;
                self.residents[&(param.ty, fuzzed.class())].view(start..start + layout.len)
            })
            .collect();
        let inputs: Vec<_> = slices.iter().map(View::input).collect();
        let views: Vec<_> =
            inputs.iter().zip(&shape.inputs).map(|(input, layout)| layout.view(input)).collect();
        let groups = gpu.reduce_groups_device(&views, &fuzzed.params).and_then(|groups| groups.read());
        results(shape, groups)
    }
}

/// The kernels of a specification that its shapes use: few, because each takes NVRTC some tenths of a second.
struct Kernels<'a> {
    fuzzed: &'a Fuzzed,
    device: &'a Device,
    domains: Vec<(Domain, Programs)>,
    used: Vec<(Domain, usize)>,
}

impl Kernels<'_> {
    /// Returns the program of a shape, unless it is one too many.
    fn of(&mut self, shape: &Shape) -> Result<Option<&Program>, String> {
        let nest = self.fuzzed.nest(shape)?;
        let domain = nest.domain();
        let at = match self.domains.iter().position(|(known, _)| *known == domain) {
            Some(at) => at,
            None if self.domains.len() == DOMAINS => return Ok(None),
            None => {
                let tuning = self.device.architecture().map_or(Tuning::DEFAULT, Architecture::tuning);
                self.domains.push((domain, self.fuzzed.programs(domain, tuning)?));
                self.domains.len() - 1
            }
        };
        let programs = &self.domains[at].1;
        let key = (domain, programs.place(nest.extent().length));
        if !self.used.contains(&key) {
            if self.used.len() == KERNELS {
                return Ok(None);
            }
            self.used.push(key);
        }
        Ok(Some(programs.for_len(nest.extent().length)))
    }
}
