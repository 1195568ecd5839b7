//! The programs of a specification: one for each range of n.

use crate::error::Error;
use crate::passes;
use crate::schedule::naive;
use crate::tuning::Tuning;
use crate::tuning::tiers::{self, Variant};
use reduce_ir::operation::Operation;
use reduce_ir::program::Program;
use reduce_ir::{Domain, Spec};

/// The programs of a specification, by ascending range of n. A list of passes has one program, for every n.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Programs {
    /// The operation as specified. Programs may have narrow positions instead.
    operation: Operation,
    /// The groups of elements.
    domain: Domain,
    /// The programs, at least one. The last one of a specification has no upper limit.
    variants: Vec<Program>,
    /// For each program of `auto` with clusters, the same without them.
    unclustered: Vec<Option<Program>>,
}

impl Programs {
    /// Compiles the programs of a specification, and verifies them.
    ///
    /// # Errors
    /// A pass does not apply, or a kernel does not fit a block.
    pub fn of(spec: &Spec, tuning: Tuning) -> Result<Programs, Error> {
        let compile = |variant: &Variant| compile(spec, variant);
        let (variants, unclustered) =
            (tiers::variants(spec, tuning), tiers::variants(spec, tuning.without_clusters()));
        // The tuning changes no range.
        let other =
            |(variant, other): (&Variant, &Variant)| (variant != other).then(|| compile(other)).transpose();
        Ok(Programs {
            operation: spec.operation.clone(),
            domain: spec.domain,
            variants: variants.iter().map(compile).collect::<Result<_, _>>()?,
            unclustered: variants.iter().zip(&unclustered).map(other).collect::<Result<_, _>>()?,
        })
    }

    /// Returns the operation that every program computes.
    pub fn operation(&self) -> &Operation {
        &self.operation
    }

    /// Returns the groups of elements that every program reduces.
    pub fn domain(&self) -> Domain {
        self.domain
    }

    /// Returns the greatest number of elements that a program supports. `None`: there is no limit.
    pub fn up_to(&self) -> Option<u64> {
        self.variants.last().and_then(|program| program.up_to)
    }

    /// Returns the program for n elements. n must not exceed [`Programs::up_to`].
    pub fn for_len(&self, n: u64) -> &Program {
        &self.variants[self.place(n)]
    }

    // The old name, until no branch has it.
    #[doc(hidden)]
    pub fn of_n(&self, n: u64) -> &Program {
        self.for_len(n)
    }

    /// Returns the index among the [variants](Programs::variants) of the program for n elements.
    pub fn place(&self, n: u64) -> usize {
        place(&self.variants, |program| program.up_to, n)
    }

    /// Returns the replacement of a variant with clusters, for a GPU that cannot make them. It gives the same bits.
    pub fn unclustered(&self, place: usize) -> Option<&Program> {
        self.unclustered[place].as_ref()
    }

    /// Returns all programs, by ascending [`Program::up_to`].
    pub fn variants(&self) -> &[Program] {
        &self.variants
    }
}

/// A single program, for the numbers of elements that it supports.
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

/// Returns the variant for n elements.
pub(crate) fn variant_of(spec: &Spec, tuning: Tuning, n: u64) -> Variant {
    let mut variants = tiers::variants(spec, tuning);
    variants.swap_remove(place(&variants, |variant| variant.up_to, n))
}

/// Returns the index of the variant for n elements. The last one has no upper limit.
fn place<T>(variants: &[T], up_to: impl Fn(&T) -> Option<u64>, n: u64) -> usize {
    variants.partition_point(|variant| up_to(variant).is_some_and(|most| most < n)).min(variants.len() - 1)
}

/// Compiles the program of a variant, with all its passes.
pub(crate) fn compile(spec: &Spec, variant: &Variant) -> Result<Program, Error> {
    variant.passes.iter().try_fold(begin(spec, variant)?, |program, &pass| passes::apply(program, pass))
}

/// Returns the program of a variant before its passes.
pub(crate) fn begin(spec: &Spec, variant: &Variant) -> Result<Program, Error> {
    Ok(Program { domain: spec.domain, up_to: variant.up_to, ..naive(&spec.operation, variant.block)? })
}
