//! The instruction sets that the loops are compiled for. All give the same bits.

use reduce_lanes::{Loops, Prefetch};
use std::fmt;

/// An instruction set that this processor has, and how memory is prefetched.
#[derive(Clone, Copy, Debug)]
pub struct Isa {
    name: &'static str,
    pub(super) loops: Loops,
    /// A fixed prefetch strategy; `None` lets the [probe](super::probe) choose one.
    pub(super) prefetch: Option<Prefetch>,
}

impl Isa {
    /// Every instruction set of this processor, the best one also with every prefetch strategy; [`Isa::best`] is the last.
    #[must_use]
    pub fn all() -> Vec<Isa> {
        let best = Isa::best();
        let fixed = Prefetch::ALL.map(|prefetch| Isa { prefetch: Some(prefetch), ..best });
        std::iter::once(Isa::portable()).chain(fixed).chain([best]).collect()
    }

    /// The newest instruction set of this processor that the loops are compiled for.
    #[must_use]
    pub fn best() -> Isa {
        newer().unwrap_or(Isa::portable())
    }

    fn portable() -> Isa {
        Isa { name: "portable", loops: Loops::default(), prefetch: None }
    }
}

/// `avx2`, or with a fixed prefetch strategy `avx2, Sequential`.
impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.prefetch {
            Some(prefetch) => write!(f, "{}, {prefetch:?}", self.name),
            None => f.write_str(self.name),
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
    has.then_some(Isa { name: "avx2", loops: x86::LOOPS, prefetch: None })
}

/// Loops for AVX2 and the other instructions of x86-64-v3.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use reduce_ir::func::Node;
    use reduce_ir::ops::Bin;
    use reduce_ir::{arith, f16};
    use reduce_lanes::{
        BLOCK, Fused, Groups, LINE, LaneError, Lanes, LanesRef, Loops, Prefetch, Prefetcher, SegmentSum,
        Summed, Term, avx2, blocks, sum_each, sum_rows, sum_windows,
    };
    use std::arch::x86_64::{__m128i, _MM_HINT_NTA, _MM_HINT_T0, _MM_HINT_T1, _mm_prefetch, _mm256_cvtph_ps};
    use std::mem::transmute;

    /// Expands the call with the [`Prefetcher`] of a strategy.
    macro_rules! with_prefetcher {
        ($prefetch:expr, $prefetcher:ident => $call:expr) => {
            match $prefetch {
                Some(prefetch @ (Prefetch::NonTemporal | Prefetch::L2)) => {
                    let $prefetcher = Touching(prefetch);
                    $call
                }
                prefetch => {
                    let $prefetcher = Temporal(prefetch);
                    $call
                }
            }
        };
    }

    /// Private to [`super::newer`], which detects the instructions before it hands the loops out.
    pub(super) const LOOPS: Loops = Loops {
        // SAFETY: the processor has the instructions.
        apply: |node, operands, out| unsafe { apply(node, operands, out) },
        // SAFETY: the processor has the instructions.
        accumulate: |op, acc, b, prefetch| unsafe {
            with_prefetcher!(prefetch, prefetcher => accumulate(op, acc, b, prefetcher))
        },
        // SAFETY: the processor has the instructions.
        append: |lanes, len, out| unsafe { avx2::append(lanes, len, out) },
        // SAFETY: the processor has the instructions.
        pairwise_step: |op, lanes, half, out| unsafe { avx2::pairwise_step(op, lanes, half, out) },
        // SAFETY: the processor has the instructions.
        gather: |from, places, to, kept| unsafe { avx2::gather(from, places, to, kept) },
        prefetch,
        // SAFETY: the processor has the instructions.
        deinterleave: |from, how, to, at| unsafe { avx2::deinterleave(from, how, to, at) },
        fused: Some(FUSED),
    };

    const FUSED: Fused = Fused {
        // SAFETY: the processor has the instructions.
        add_squares: |acc, b, prefetch| unsafe {
            with_prefetcher!(prefetch, prefetcher => avx2::add_squares(acc, b, prefetcher))
        },
        // SAFETY: the processor has the instructions.
        sum: |term, how, acc, out, prefetch| unsafe {
            with_prefetcher!(prefetch, prefetcher => sum(term, how, acc, out, prefetcher))
        },
        // SAFETY: the processor has the instructions.
        sum_groups: |term, how, groups, lanes| unsafe { sum_groups(term, how, groups, lanes) },
        // SAFETY: the processor has the instructions.
        sum_segments: |from, offsets, sums, lanes, prefetch| unsafe {
            sum_segments(from, offsets, sums, lanes, Temporal(prefetch))
        },
        // SAFETY: the processor has the instructions.
        fold_columns: |op, acc, from, pitch| unsafe { avx2::fold_columns(op, acc, from, pitch) },
        // SAFETY: the processor has the instructions.
        pairwise_tree: |op, lanes, shape, out| unsafe { avx2::pairwise_tree(op, lanes, shape, out) },
    };

    /// Prefetches into the L1 cache.
    #[derive(Clone, Copy, Debug)]
    struct Temporal(Option<Prefetch>);

    impl Prefetcher for Temporal {
        #[inline(always)]
        fn strategy(self) -> Option<Prefetch> {
            self.0
        }

        #[inline(always)]
        fn prefetch(self, at: *const i8) {
            // SAFETY: every x86-64 processor has the instruction; it takes any address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(at) }
        }
    }

    /// [`Prefetch::NonTemporal`] and [`Prefetch::L2`], which also load a byte of each line of the next block. One type serves both:
    /// the hint for the other cache has distance 0 and costs nothing measurable.
    #[derive(Clone, Copy, Debug)]
    struct Touching(Prefetch);

    impl Prefetcher for Touching {
        const TOUCHES: bool = true;

        #[inline(always)]
        fn strategy(self) -> Option<Prefetch> {
            Some(self.0)
        }

        #[inline(always)]
        fn prefetch(self, at: *const i8) {
            // SAFETY: every x86-64 processor has the instruction; it takes any address.
            unsafe { _mm_prefetch::<_MM_HINT_NTA>(at) }
        }

        #[inline(always)]
        fn prefetch_l2(self, at: *const i8) {
            // SAFETY: every x86-64 processor has the instruction; it takes any address.
            unsafe { _mm_prefetch::<_MM_HINT_T1>(at) }
        }

        #[inline(always)]
        fn touch<G>(self, groups: &[G], k: usize) {
            let start = (&raw const groups[k]).cast::<u8>();
            for line in (0..size_of::<G>()).step_by(LINE) {
                // SAFETY: the byte is inside the group.
                unsafe { start.add(line).read_volatile() };
            }
        }
    }

    /// Prefetches every line of the lanes into the L2 cache, which has room for all.
    fn prefetch(lanes: LanesRef<'_>) {
        let first: *const i8 = lanes.as_ptr().cast();
        for line in (0..lanes.len() * lanes.ty().size()).step_by(LINE) {
            // SAFETY: every x86-64 processor has the instruction; it takes any address.
            unsafe { _mm_prefetch::<_MM_HINT_T1>(first.wrapping_add(line)) }
        }
    }

    /// [`avx2::apply`], with the F16C instruction for `f16` → `f32`, which plain Rust does not generate.
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
    fn accumulate(
        op: Bin,
        acc: &mut Lanes,
        b: LanesRef<'_>,
        prefetcher: impl Prefetcher,
    ) -> Result<(), LaneError> {
        match (op, acc, b) {
            (Bin::Add, Lanes::F32(acc), LanesRef::F16(b)) if acc.len() > 1 => {
                b.chunks(acc.len()).for_each(|row| widen(row, acc, |acc, x| acc + x));
                Ok(())
            }
            (_, acc, _) => avx2::accumulate(op, acc, b, prefetcher),
        }
    }

    /// [`avx2::sum`], likewise.
    #[target_feature(enable = "avx2,bmi1,bmi2,f16c,fma,lzcnt,popcnt")]
    fn sum(
        term: Term<LanesRef<'_>>,
        how: Summed,
        acc: &mut Lanes,
        out: &mut Lanes,
        prefetcher: impl Prefetcher,
    ) -> Result<(), LaneError> {
        match (term, acc, out) {
            (Term::Itself(LanesRef::F16(x)), Lanes::F32(acc), Lanes::F32(out)) => {
                let join = |acc: &mut _, x: &_| widen_block(x, acc, |acc, x| acc + x);
                sum_rows(blocks(x), how, acc, out, join, prefetcher);
            }
            (Term::Magnitude(LanesRef::F16(x)), Lanes::F32(acc), Lanes::F32(out)) => {
                let join = |acc: &mut _, x: &_| widen_block(x, acc, |acc, x| acc + x.abs());
                sum_rows(blocks(x), how, acc, out, join, prefetcher);
            }
            (Term::Square(LanesRef::F16(x)), Lanes::F32(acc), Lanes::F32(out)) => {
                let join = |acc: &mut _, x: &_| widen_block(x, acc, |acc, x| acc + x * x);
                sum_rows(blocks(x), how, acc, out, join, prefetcher);
            }
            (Term::Product(LanesRef::F16(x), LanesRef::F16(y)), Lanes::F32(acc), Lanes::F32(out)) => {
                let join = |acc: &mut _, pair: [&_; 2]| add_products(acc, pair);
                sum_rows([blocks(x), blocks(y)], how, acc, out, join, prefetcher);
            }
            (term, acc, out) => return avx2::sum(term, how, acc, out, prefetcher),
        }
        Ok(())
    }

    /// [`avx2::sum_groups`], likewise.
    #[target_feature(enable = "avx2,bmi1,bmi2,f16c,fma,lzcnt,popcnt")]
    fn sum_groups(
        term: Term<LanesRef<'_>>,
        how: Summed,
        groups: Groups,
        [acc, out]: [&mut Lanes; 2],
    ) -> Result<(), LaneError> {
        match (term, acc, out) {
            (Term::Itself(LanesRef::F16(x)), Lanes::F32(acc), Lanes::F32(out)) => {
                let join = |acc: &mut _, x: &_| widen_block(x, acc, |acc, x| acc + x);
                sum_windows(x, how, groups, [acc, out], join);
            }
            (Term::Square(LanesRef::F16(x)), Lanes::F32(acc), Lanes::F32(out)) => {
                let join = |acc: &mut _, x: &_| widen_block(x, acc, |acc, x| acc + x * x);
                sum_windows(x, how, groups, [acc, out], join);
            }
            (Term::Product(LanesRef::F16(x), LanesRef::F16(y)), Lanes::F32(acc), Lanes::F32(out)) => {
                sum_windows([x, y], how, groups, [acc, out], |acc: &mut _, pair: [&_; 2]| {
                    add_products(acc, pair)
                });
            }
            (term, acc, out) => return avx2::sum_groups(term, how, groups, [acc, out]),
        }
        Ok(())
    }

    /// [`avx2::sum_segments`], likewise.
    #[target_feature(enable = "avx2,bmi1,bmi2,f16c,fma,lzcnt,popcnt")]
    fn sum_segments(
        from: LanesRef<'_>,
        offsets: &[usize],
        sums: &[SegmentSum],
        [acc, out]: [&mut Lanes; 2],
        prefetcher: impl Prefetcher,
    ) -> Result<(), LaneError> {
        match (from, acc, out) {
            (LanesRef::F16(x), Lanes::F32(acc), Lanes::F32(out)) => {
                let join = |acc: &mut _, x: &_| widen_block(x, acc, |acc, x| acc + x);
                sum_each::<_, _, 8>((x, offsets), sums, [acc, out], join, prefetcher);
                Ok(())
            }
            (from, acc, out) => avx2::sum_segments(from, offsets, sums, [acc, out], prefetcher),
        }
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
            // SAFETY: both types have as many bytes, and every bit pattern is a value.
            let x: [f32; 8] = unsafe { transmute(_mm256_cvtph_ps(transmute::<[f16; 8], __m128i>(*eight))) };
            *wide = std::array::from_fn(|i| f(wide[i], x[i]));
        }
    }
}
