//! The README and the pages of `docs/guide` as documentation tests: `cargo test -p reducegen --features text --doc guide`.

/// A page of Markdown. Its Rust blocks become documentation tests of that name.
macro_rules! page {
    ($name:ident, $path:literal) => {
        #[doc = include_str!($path)]
        mod $name {}
    };
}

page!(readme, "../README.md");
page!(reduce_a_slice, "../docs/guide/src/reduce-a-slice.md");
page!(segments, "../docs/guide/src/segments.md");
page!(group_by, "../docs/guide/src/group-by.md");
#[cfg(feature = "formats")]
page!(from_parquet, "../docs/guide/src/from-parquet.md");
#[cfg(all(feature = "arrow", feature = "num-complex", feature = "text"))]
page!(from_arrow, "../docs/guide/src/from-arrow.md");
#[cfg(feature = "candle")]
page!(from_candle, "../docs/guide/src/from-candle.md");
page!(operator, "../docs/guide/src/operator.md");
page!(closures, "../docs/guide/src/closures.md");
page!(positions, "../docs/guide/src/positions.md");
page!(params, "../docs/guide/src/params.md");
page!(larger_than_memory, "../docs/guide/src/larger-than-memory.md");
page!(two_gpus, "../docs/guide/src/two-gpus.md");
page!(mpirun, "../docs/guide/src/mpirun.md");
page!(partials, "../docs/guide/src/partials.md");
page!(emit, "../docs/guide/src/emit.md");
#[cfg(feature = "cuda")]
page!(streams, "../docs/guide/src/streams.md");
#[cfg(feature = "cuda")]
page!(ship, "../docs/guide/src/ship.md");
#[cfg(feature = "cuda")]
page!(cudarc, "../docs/guide/src/cudarc.md");
#[cfg(feature = "text")]
page!(run_time, "../docs/guide/src/run-time.md");
