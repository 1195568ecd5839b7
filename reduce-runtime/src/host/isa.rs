//! Which loops this processor runs: those for every one, or those for newer ones. All give the same bits.

use reduce_lanes::{Loops, Way};
use std::fmt;

/// The instructions that the loops of the host are compiled to, and how they read memory. There is a value only where the
/// processor has them.
#[derive(Clone, Copy, Debug)]
pub struct Isa {
    name: &'static str,
    pub(super) loops: Loops,
    /// One way of reading memory, or several, of which the fastest is found out.
    pub(super) ways: &'static [Way],
}

impl Isa {
    /// Those that this processor has, by each way of reading memory, and the [best one](Isa::best) last.
    pub fn all() -> Vec<Isa> {
        let best = Isa::best();
        let ways = best.ways.chunks(1).map(|ways| Isa { ways, ..best });
        std::iter::once(Isa::portable()).chain(ways).chain([best]).collect()
    }

    /// The best one.
    pub fn best() -> Isa {
        newer().unwrap_or(Isa::portable())
    }

    fn portable() -> Isa {
        // These loops ask for nothing: near is in order for them.
        Isa { name: "portable", loops: Loops::default(), ways: &[Way::Apart, Way::InOrder] }
    }
}

/// As it is written: `portable, InOrder`, or, where ways are tried, `avx2`.
impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ways {
            [way] => write!(f, "{}, {way:?}", self.name),
            _ => f.write_str(self.name),
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn newer() -> Option<Isa> {
    None
}

#[cfg(target_arch = "x86_64")]
fn newer() -> Option<Isa> {
    macro_rules! has {
        ($($feature:tt)*) => { true $(&& std::arch::is_x86_feature_detected!($feature))* };
    }
    let has = has!("avx2" "bmi1" "bmi2" "f16c" "fma" "lzcnt" "popcnt");
    has.then_some(Isa { name: "avx2", loops: x86::LOOPS, ways: &Way::ALL })
}

/// What takes AVX2 and what came with it (x86-64-v3).
#[cfg(target_arch = "x86_64")]
mod x86 {
    use reduce_ir::func::Node;
    use reduce_ir::ops::Bin;
    use reduce_ir::{arith, f16};
    use reduce_lanes::{
        BLOCK, LINE, LaneError, Lanes, LanesRef, Loops, Reading, Summed, Term, Way, avx2, blocks, sum_rows,
    };
    use std::arch::x86_64::{__m128i, _MM_HINT_NTA, _MM_HINT_T0, _MM_HINT_T1, _mm_prefetch, _mm256_cvtph_ps};
    use std::mem::transmute;

    /// A call that reads by that way.
    macro_rules! by {
        ($way:expr, $reading:ident => $call:expr) => {
            match $way {
                Some(way @ (Way::Near | Way::Staged)) => {
                    let $reading = Touching(way);
                    $call
                }
                way => {
                    let $reading = Asking(way);
                    $call
                }
            }
        };
    }

    /// For an [`super::Isa`] that is given only where the processor has what they take.
    pub(super) const LOOPS: Loops = Loops {
        // SAFETY: the processor has it.
        apply: |node, operands, out| unsafe { apply(node, operands, out) },
        // SAFETY: the processor has it.
        accumulate: |op, acc, b, way| unsafe { by!(way, reading => accumulate(op, acc, b, reading)) },
        // SAFETY: the processor has it.
        add_squares: |acc, b, way| unsafe { by!(way, reading => avx2::add_squares(acc, b, reading)) },
        // SAFETY: the processor has it.
        sum: |term, how, acc, out, way| unsafe { by!(way, reading => sum(term, how, acc, out, reading)) },
        // SAFETY: the processor has it.
        append: |lanes, len, out| unsafe { avx2::append(lanes, len, out) },
        // SAFETY: the processor has it.
        halve: |op, lanes, half, out| unsafe { avx2::halve(op, lanes, half, out) },
        // SAFETY: the processor has it.
        gather: |from, places, to, kept| unsafe { avx2::gather(from, places, to, kept) },
        ask,
        // SAFETY: the processor has it.
        deal: |from, how, to, at| unsafe { avx2::deal(from, how, to, at) },
    };

    /// Memory is asked for into the first-level cache.
    #[derive(Clone, Copy, Debug)]
    struct Asking(Option<Way>);

    impl Reading for Asking {
        #[inline(always)]
        fn way(self) -> Option<Way> {
            self.0
        }

        #[inline(always)]
        fn ask(self, at: *const i8) {
            // SAFETY: every x86-64 processor has it; it takes any address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(at) }
        }
    }

    /// [`Way::Near`] and [`Way::Staged`]: memory is asked for into the first-level cache, and into no other, or into the second-level
    /// one; and the lines of the next block are touched. One type for both, as what is asked for at hand costs nothing that shows.
    #[derive(Clone, Copy, Debug)]
    struct Touching(Way);

    impl Reading for Touching {
        #[inline(always)]
        fn way(self) -> Option<Way> {
            Some(self.0)
        }

        #[inline(always)]
        fn ask(self, at: *const i8) {
            // SAFETY: every x86-64 processor has it; it takes any address.
            unsafe { _mm_prefetch::<_MM_HINT_NTA>(at) }
        }

        #[inline(always)]
        fn ask_second(self, at: *const i8) {
            // SAFETY: every x86-64 processor has it; it takes any address.
            unsafe { _mm_prefetch::<_MM_HINT_T1>(at) }
        }

        #[inline(always)]
        fn touch<G>(self, groups: &[G], k: usize) {
            let start = (&raw const groups[k]).cast::<u8>();
            for line in (0..size_of::<G>()).step_by(LINE) {
                // SAFETY: that byte is in the group, of which the loops read all.
                unsafe { start.add(line).read_volatile() };
            }
        }
    }

    /// Asks for every line of them, into the second-level cache, which has room for all.
    fn ask(lanes: LanesRef<'_>) {
        let first: *const i8 = lanes.as_ptr().cast();
        for line in (0..lanes.len() * lanes.ty().size()).step_by(LINE) {
            // SAFETY: every x86-64 processor has it; it takes any address.
            unsafe { _mm_prefetch::<_MM_HINT_T1>(first.wrapping_add(line)) }
        }
    }

    /// [`avx2::apply`], where `f16` becomes `f32` by the instruction for that, which plain Rust has no word for.
    #[target_feature(enable = "avx2,bmi1,bmi2,f16c,fma,lzcnt,popcnt")]
    fn apply(node: Node, operands: &[LanesRef<'_>], out: &mut Lanes) -> Result<(), LaneError> {
        match (node, operands, out) {
            (Node::Cast(..), [LanesRef::F16(x)], Lanes::F32(out)) => {
                widen(x, out, |_, x| x);
                Ok(())
            }
            (_, _, out) => avx2::apply(node, operands, out),
        }
    }

    /// [`avx2::accumulate`], likewise.
    #[target_feature(enable = "avx2,bmi1,bmi2,f16c,fma,lzcnt,popcnt")]
    fn accumulate(op: Bin, acc: &mut Lanes, b: LanesRef<'_>, reading: impl Reading) -> Result<(), LaneError> {
        match (op, acc, b) {
            (Bin::Add, Lanes::F32(acc), LanesRef::F16(b)) if acc.len() > 1 => {
                b.chunks(acc.len()).for_each(|row| widen(row, acc, |acc, x| acc + x));
                Ok(())
            }
            (_, acc, _) => avx2::accumulate(op, acc, b, reading),
        }
    }

    /// [`avx2::sum`], likewise.
    #[target_feature(enable = "avx2,bmi1,bmi2,f16c,fma,lzcnt,popcnt")]
    fn sum(
        term: Term<LanesRef<'_>>,
        how: Summed,
        acc: &mut Lanes,
        out: &mut Lanes,
        reading: impl Reading,
    ) -> Result<(), LaneError> {
        match (term, acc, out) {
            (Term::Itself(LanesRef::F16(x)), Lanes::F32(acc), Lanes::F32(out)) => {
                let join = |acc: &mut _, x: &_| widen_block(x, acc, |acc, x| acc + x);
                sum_rows(blocks(x), how, acc, out, join, reading);
            }
            (Term::Magnitude(LanesRef::F16(x)), Lanes::F32(acc), Lanes::F32(out)) => {
                let join = |acc: &mut _, x: &_| widen_block(x, acc, |acc, x| acc + x.abs());
                sum_rows(blocks(x), how, acc, out, join, reading);
            }
            (Term::Square(LanesRef::F16(x)), Lanes::F32(acc), Lanes::F32(out)) => {
                let join = |acc: &mut _, x: &_| widen_block(x, acc, |acc, x| acc + x * x);
                sum_rows(blocks(x), how, acc, out, join, reading);
            }
            (Term::Product(LanesRef::F16(x), LanesRef::F16(y)), Lanes::F32(acc), Lanes::F32(out)) => {
                let join = |acc: &mut _, pair: [&_; 2]| add_products(acc, pair);
                sum_rows([blocks(x), blocks(y)], how, acc, out, join, reading);
            }
            (term, acc, out) => return avx2::sum(term, how, acc, out, reading),
        }
        Ok(())
    }

    /// `acc[i] = acc[i] + x[i] * y[i]`.
    #[inline]
    #[target_feature(enable = "avx2,f16c")]
    fn add_products(acc: &mut [f32; BLOCK], [x, y]: [&[f16; BLOCK]; 2]) {
        let mut wide = [0.0; BLOCK];
        widen_block(y, &mut wide, |_, y| y);
        widen_block(x, &mut wide, |y, x| x * y);
        acc.iter_mut().zip(wide).for_each(|(acc, product)| *acc += product);
    }

    /// `out[i] = f(out[i], x[i])`, where there is an `x[i]`.
    #[inline]
    #[target_feature(enable = "avx2,f16c")]
    fn widen(x: &[f16], out: &mut [f32], f: impl Fn(f32, f32) -> f32 + Copy) {
        let (blocks, rest) = x.as_chunks::<BLOCK>();
        let (wide, last) = out[..x.len()].as_chunks_mut::<BLOCK>();
        wide.iter_mut().zip(blocks).for_each(|(wide, x)| widen_block(x, wide, f));
        last.iter_mut().zip(rest).for_each(|(wide, &x)| *wide = f(*wide, arith::widen(x)));
    }

    /// `out[i] = f(out[i], x[i])`.
    #[inline]
    #[target_feature(enable = "avx2,f16c")]
    fn widen_block(x: &[f16; BLOCK], out: &mut [f32; BLOCK], f: impl Fn(f32, f32) -> f32) {
        for (wide, eight) in out.as_chunks_mut::<8>().0.iter_mut().zip(x.as_chunks::<8>().0) {
            // SAFETY: as many bytes, of which any are a value.
            let x: [f32; 8] = unsafe { transmute(_mm256_cvtph_ps(transmute::<[f16; 8], __m128i>(*eight))) };
            *wide = std::array::from_fn(|i| f(wide[i], x[i]));
        }
    }
}
