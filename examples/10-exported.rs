//! A library of reductions: `pub static NAME;` at the head creates items, including the struct of the accumulator.

use reducegen::Error;

/// In practice this module would be a crate of its own.
mod statistics {
    use reducegen::reduction;

    reduction! {
        /// The smallest and the largest element.
        pub static RANGE;
        ty: f64,
        acc: Range { lo: f64, hi: f64 },
        map: |x| Range { lo: x, hi: x },
        op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) },
        identity: none,
    }

    reduction! {
        /// The number of elements that differ from 0.
        pub static NONZEROS;
        ty: f64,
        map: |x| (x != 0.0) as u64,
        op: sum,
    }
}

use statistics::{NONZEROS, RANGE, Range};

/// The accumulator is an ordinary type.
impl Range {
    fn spread(&self) -> f64 {
        self.hi - self.lo
    }
}

fn widest(columns: &[Vec<f64>]) -> Result<Range, Error> {
    let ranges: Vec<Range> = columns.iter().map(|column| RANGE.reduce(column)).collect::<Result<_, _>>()?;
    Ok(ranges.into_iter().max_by(|a, b| a.spread().total_cmp(&b.spread())).expect("there are columns"))
}

fn main() -> Result<(), Error> {
    let columns = [vec![1.0, 2.0, 4.0], vec![-3.0, 0.0, 3.0], vec![7.0; 3]];
    let widest = widest(&columns)?;
    println!("{widest:?} is the widest, by {}", widest.spread());
    assert_eq!(widest, Range { lo: -3.0, hi: 3.0 });
    assert_eq!(NONZEROS.reduce(&columns[1])?, 2);
    Ok(())
}
