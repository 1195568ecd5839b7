//! The programs of a specification: one for each range of n.

use crate::error::Error;
use crate::passes;
use crate::schedule::naive;
use crate::tuning::Tuning;
use crate::tuning::tiers::{self, Variant};
use reduce_ir::operation::Operation;
use reduce_ir::program::Program;
use reduce_ir::{Domain, Spec};

/// The programs of a specification, by growing n. An explicit list of passes gives one, for every n.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Programs {
    /// The operation as specified. The programs may have narrow positions in its place.
    operation: Operation,
    /// Of which elements.
    domain: Domain,
    /// At least one; of a specification, the last one has no end.
    variants: Vec<Program>,
    /// The same of `auto` without clusters, where there are some.
    unclustered: Vec<Option<Program>>,
}

impl Programs {
    /// The programs of a specification, verified.
    ///
    /// # Errors
    /// A pass that does not apply, or a kernel that does not fit a block.
    pub fn of(spec: &Spec, tuning: Tuning) -> Result<Programs, Error> {
        let compile = |variant: &Variant| compile(spec, variant);
        let (variants, unclustered) =
            (tiers::variants(spec, tuning), tiers::variants(spec, tuning.without_clusters()));
        // Tuning changes no range.
        let other =
            |(variant, other): (&Variant, &Variant)| (variant != other).then(|| compile(other)).transpose();
        Ok(Programs {
            operation: spec.operation.clone(),
            domain: spec.domain,
            variants: variants.iter().map(compile).collect::<Result<_, _>>()?,
            unclustered: variants.iter().zip(&unclustered).map(other).collect::<Result<_, _>>()?,
        })
    }

    /// What is computed, by every program.
    pub fn operation(&self) -> &Operation {
        &self.operation
    }

    /// Of which elements, by every program.
    pub fn domain(&self) -> Domain {
        self.domain
    }

    /// The most elements that there is a program for, if there is an end.
    pub fn up_to(&self) -> Option<u64> {
        self.variants.last().and_then(|program| program.up_to)
    }

    /// The program for n elements, of which there are not more than [`Programs::up_to`].
    pub fn of_n(&self, n: u64) -> &Program {
        &self.variants[self.place(n)]
    }

    /// Which of the [variants](Programs::variants) n elements are.
    pub fn place(&self, n: u64) -> usize {
        place(&self.variants, |program| program.up_to, n)
    }

    /// What takes the place of a variant with clusters, where a GPU cannot make them: it gives the same bits.
    pub fn unclustered(&self, place: usize) -> Option<&Program> {
        self.unclustered[place].as_ref()
    }

    /// All programs, by growing [`Program::up_to`].
    pub fn variants(&self) -> &[Program] {
        &self.variants
    }
}

/// A program by itself, for as many elements as it is for.
impl From<Program> for Programs {
    fn from(program: Program) -> Programs {
        Programs {
            operation: program.operation.clone(),
            domain: program.domain,
            variants: vec![program],
            unclustered: vec![None],
        }
    }
}

/// The variant of n elements.
pub(crate) fn variant_of(spec: &Spec, tuning: Tuning, n: u64) -> Variant {
    let mut variants = tiers::variants(spec, tuning);
    variants.swap_remove(place(&variants, |variant| variant.up_to, n))
}

/// Which of the variants n elements are: the last one has no end.
fn place<T>(variants: &[T], up_to: impl Fn(&T) -> Option<u64>, n: u64) -> usize {
    variants.partition_point(|variant| up_to(variant).is_some_and(|most| most < n)).min(variants.len() - 1)
}

/// The program of a variant, after all its passes.
pub(crate) fn compile(spec: &Spec, variant: &Variant) -> Result<Program, Error> {
    variant.passes.iter().try_fold(begin(spec, variant)?, |program, &pass| passes::apply(program, pass))
}

/// The program of a variant, before its passes.
pub(crate) fn begin(spec: &Spec, variant: &Variant) -> Result<Program, Error> {
    Ok(Program { domain: spec.domain, up_to: variant.up_to, ..naive(&spec.operation, variant.block)? })
}
