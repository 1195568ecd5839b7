//! Which loops this processor runs: those for every one, or those for newer ones. Both give the same bits.

use reduce_dsl::lanes::Loops;
use std::fmt;

/// The instructions that the loops of the host are compiled to. There is a value only where the processor has them.
#[derive(Clone, Copy, Debug)]
pub struct Isa {
    name: &'static str,
    pub(super) loops: Loops,
}

impl Isa {
    /// The instruction sets that this processor has, the best one last.
    pub fn all() -> Vec<Isa> {
        let portable = Isa { name: "portable", loops: Loops::default() };
        std::iter::once(portable).chain(newer()).collect()
    }

    /// The best one.
    pub fn best() -> Isa {
        newer().unwrap_or(Isa { name: "portable", loops: Loops::default() })
    }
}

/// As it is written: `portable`, or `avx2`.
impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn newer() -> Option<Isa> {
    None
}

#[cfg(target_arch = "x86_64")]
fn newer() -> Option<Isa> {
    use reduce_dsl::lanes::avx2;

    macro_rules! has {
        ($($feature:tt)*) => { true $(&& std::arch::is_x86_feature_detected!($feature))* };
    }
    let has = has!("avx2" "bmi1" "bmi2" "f16c" "fma" "lzcnt" "popcnt");
    // SAFETY: none of these can be called but through this value, which is given only where the processor has it all.
    let loops = || unsafe {
        Loops {
            apply: |node, operands, out| avx2::apply(node, operands, out),
            accumulate: |op, acc, b| avx2::accumulate(op, acc, b),
            gather: |from, offset, block, stride, to| avx2::gather(from, offset, block, stride, to),
        }
    };
    has.then(|| Isa { name: "avx2", loops: loops() })
}
