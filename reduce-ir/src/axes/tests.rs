//! Tests the loops that axes become, and their domains.

use super::{Axes, Axis, Cut, Dim, Kept, Nest, Pattern, Shape, ShapeError};
use crate::{Access, Beside, Domain, Extent};

/// Makes axes from patterns of words: a name, a number, `..`, or several of them joined by `*` for a split.
fn axes(inputs: &[&str], result: &str) -> Axes {
    let mut all =
        Axes { axes: Vec::new(), inputs: Vec::new(), result: Vec::new(), is_by_input: true, cut: Cut::Whole };
    for words in inputs {
        let mut pattern = Pattern::default();
        for word in words.split_whitespace() {
            match word {
                ".." => pattern.has_leading = true,
                _ => pattern.dims.push(word.split('*').map(|word| place(&mut all.axes, word)).collect()),
            }
        }
        all.inputs.push(pattern);
    }
    let kept = |word| match word {
        ".." => Kept::Leading,
        "1" => Kept::One,
        _ => Kept::Axis(place(&mut all.axes, word)),
    };
    all.result = result.split_whitespace().map(kept).collect();
    all
}

/// Returns the place of an axis, which is added if it is new.
fn place(axes: &mut Vec<Axis>, word: &str) -> usize {
    let length = word.parse().ok();
    let known = axes.iter().position(|axis| axis.name.as_deref() == Some(word));
    known.unwrap_or_else(|| {
        let name = length.is_none().then(|| word.to_owned());
        axes.push(Axis { name, length });
        axes.len() - 1
    })
}

fn row_major(lengths: &[u64]) -> Shape {
    Shape::row_major(lengths).unwrap_or_default()
}

fn shape(lengths: &[u64], steps: &[i64]) -> Shape {
    Shape { lengths: lengths.to_vec(), steps: steps.to_vec() }
}

/// Returns the loops for inputs `x` and `y`, without the places of the axes among them.
fn nest(axes: &Axes, shapes: &[Shape]) -> Result<Nest, ShapeError> {
    let inputs: Vec<_> = ["x", "y"].into_iter().zip(shapes.iter().cloned()).collect();
    axes.nest(&inputs).map(|nest| Nest { along: Vec::new(), ..nest })
}

fn dims(all: &[(u64, &[i64])]) -> Vec<Dim> {
    all.iter().map(|&(length, steps)| Dim { length, steps: steps.to_vec() }).collect()
}

/// Makes loops: kept dimensions, reduced ones and the shape of the result.
fn loops(kept: &[(u64, &[i64])], reduced: &[(u64, &[i64])], result: &[u64]) -> Nest {
    Nest { kept: dims(kept), reduced: dims(reduced), result: result.to_vec(), along: Vec::new() }
}

fn strided(kept: u8, reduced: u8) -> Domain {
    Domain { kept, access: Access::Strided { reduced, beside: Beside::No } }
}

fn beside(kept: u8, reduced: u8) -> Domain {
    Domain { kept, access: Access::Strided { reduced, beside: Beside::Many } }
}

/// Returns row-major shapes in which axes of unknown length have lengths of their own.
fn many(axes: &Axes) -> Vec<Shape> {
    let length = |&at: &usize| axes.axes[at].length.unwrap_or([3, 5, 7, 11][at % 4]);
    let shape = |Pattern { has_leading, dims }: &Pattern| {
        let leading = has_leading.then_some(13).into_iter();
        row_major(&leading.chain(dims.iter().map(|dim| dim.iter().map(length).product())).collect::<Vec<_>>())
    };
    axes.inputs.iter().map(shape).collect()
}

/// Returns the message for shapes that do not fit.
fn refusal(axes: &Axes, shapes: &[Shape]) -> String {
    nest(axes, shapes).map_or_else(|error| error.to_string(), |nest| format!("{nest:?}"))
}

#[test]
fn kept_axes_are_loops_around_reduced_ones() {
    let all = nest(&axes(&["b h w c"], "c b"), &[row_major(&[2, 3, 5, 7])]);
    let expected = loops(&[(7, &[1]), (2, &[105])], &[(3, &[35]), (5, &[7])], &[7, 2]);
    assert_eq!(all.as_ref(), Ok(&expected));
    assert_eq!(expected.extent(), Extent { groups: 14, length: 15 });
    let merged = loops(&[(7, &[1]), (2, &[105])], &[(15, &[7])], &[7, 2]);
    assert_eq!((expected.merged(), merged.domain()), (merged, strided(2, 1)));
}

#[test]
fn positions_along_axes_count_in_groups_and_in_results() {
    let along = |axes: &Axes, lengths: &[u64]| {
        let nest = axes.nest(&[("x", row_major(lengths))]);
        nest.map(|nest| nest.along.iter().map(|along| (along.length, along.inner)).collect::<Vec<_>>())
    };
    let all = along(&axes(&["b h w c"], "c b"), &[2, 3, 5, 7]);
    assert_eq!(all, Ok(vec![(2, 1), (3, 5), (5, 1), (7, 2)]));
    let leading = along(&axes(&[".. h w"], "w .."), &[2, 3, 5, 7]);
    assert_eq!(leading, Ok(vec![(5, 1), (7, 6)]));
}

/// Tests that axes are reduced in the order in which they are written first, whatever their order in memory.
#[test]
fn reduced_axes_keep_the_order_of_the_text() {
    let transposed = shape(&[3, 4], &[1, 3]);
    let all = nest(&axes(&["i j"], ""), &[transposed]).map(|nest| nest.merged());
    assert_eq!(all, Ok(loops(&[], &[(3, &[1]), (4, &[3])], &[])));
    let second_first = nest(&axes(&["i j", "j i"], ""), &[row_major(&[3, 4]), row_major(&[4, 3])]);
    assert_eq!(second_first, Ok(loops(&[], &[(3, &[4, 1]), (4, &[1, 3])], &[])));
}

#[test]
fn inputs_repeat_along_axes_that_they_do_not_name() {
    let weighed = axes(&["b c", "c"], "b");
    let all = nest(&weighed, &[row_major(&[2, 3]), row_major(&[3])]);
    let expected = loops(&[(2, &[3, 0])], &[(3, &[1, 1])], &[2]);
    assert_eq!(all.as_ref(), Ok(&expected));
    assert_eq!(expected.domain(), Domain { kept: 1, access: Access::Adjacent });
    let outer = nest(&axes(&["a", "b"], ""), &[row_major(&[2]), row_major(&[3])]).map(|nest| nest.merged());
    assert_eq!(outer, Ok(loops(&[], &[(2, &[1, 0]), (3, &[0, 1])], &[])));
    assert_eq!(
        refusal(&weighed, &[row_major(&[2, 3]), row_major(&[4])]),
        "axis `c` has length 3 in input `x` and length 4 in input `y`; they must be equal"
    );
    assert!(nest(&weighed, &[row_major(&[2, 3]), row_major(&[1])]).is_err(), "length 1 does not stretch");
}

#[test]
fn leading_axes_may_be_any() {
    let last = axes(&[".. c"], ".. 1");
    for leading in [&[][..], &[4], &[2, 3], &[2, 3, 5]] {
        let lengths = [leading, &[7]].concat();
        let found = nest(&last, &[row_major(&lengths)]);
        assert_eq!(found.as_ref().map(|nest| nest.result.clone()), Ok([leading, &[1]].concat()));
        let rows = if leading.is_empty() { Domain::WHOLE } else { Domain::ROWS };
        assert_eq!(found.map(|nest| nest.merged().domain()), Ok(rows));
    }
    // Reduced, they come before the axes with names.
    let named_first = axes(&["c", ".. c"], "");
    let all = nest(&named_first, &[row_major(&[2]), row_major(&[5, 3, 2])]);
    assert_eq!(all, Ok(loops(&[], &[(5, &[0, 6]), (3, &[0, 2]), (2, &[1, 1])], &[])));
    let shared = axes(&[".. c", ".."], "..");
    let all = nest(&shared, &[row_major(&[5, 3, 2]), row_major(&[5, 3])]);
    assert_eq!(all, Ok(loops(&[(5, &[6, 3]), (3, &[2, 1])], &[(2, &[1, 0])], &[5, 3])));
    let message = refusal(&shared, &[row_major(&[5, 3, 2]), row_major(&[5])]);
    assert_eq!(message, "input `y` has 1 dimension, and its axes are `..`");
    let message = refusal(&shared, &[row_major(&[5, 3, 2]), row_major(&[5, 4])]);
    assert_eq!(message, "axis `..` has length 3 in input `x` and length 4 in input `y`; they must be equal");
    let message = refusal(&last, &[row_major(&[])]);
    assert_eq!(message, "input `x` has 0 dimensions, and its axes are `.. c`");
    assert!(nest(&last, &[row_major(&[1; 16])]).is_ok());
    assert!(nest(&last, &[row_major(&[1; 17])]).is_err());
}

#[test]
fn the_number_of_dimensions_is_that_of_the_axes() {
    for lengths in [&[2][..], &[2, 3, 4]] {
        let found = nest(&Axes::rows(), &[row_major(lengths)]);
        let (input, axes) = ("x".to_owned(), "i j".to_owned());
        assert_eq!(found, Err(ShapeError::Rank { input, axes, found: lengths.len() }));
    }
}

#[test]
fn a_dimension_is_split() {
    let segments = axes(&["s*4"], "s");
    let all = nest(&segments, &[row_major(&[12])]);
    assert_eq!(all, Ok(loops(&[(3, &[4])], &[(4, &[1])], &[3])));
    let strided = nest(&segments, &[shape(&[12], &[-2])]);
    assert_eq!(strided, Ok(loops(&[(3, &[-8])], &[(4, &[-2])], &[3])));
    let middle = nest(&axes(&["b a*2*c d", "c"], "c a"), &[row_major(&[5, 12, 7]), row_major(&[3])]);
    let kept: [(u64, &[i64]); 2] = [(3, &[7, 1]), (2, &[42, 0])];
    assert_eq!(middle, Ok(loops(&kept, &[(5, &[84, 0]), (2, &[21, 0]), (7, &[1, 0])], &[3, 2])));
    assert_eq!(
        refusal(&segments, &[row_major(&[13])]),
        "`(s 4)` needs a length that is a multiple of 4, and the dimension of input `x` has length 13"
    );
    assert_eq!(
        refusal(&axes(&["2*8"], ""), &[row_major(&[32])]),
        "axis `(2 8)` has length 16, but length 32 in input `x`"
    );
    let empty = nest(&segments, &[row_major(&[0])]).map(|nest| nest.extent());
    assert_eq!(empty, Ok(Extent { groups: 0, length: 4 }));
}

/// Tests that a split may use lengths that later inputs and later splits tell.
#[test]
fn splits_wait_for_the_lengths_of_their_axes() {
    let later = axes(&["a*b", "a*4"], "a");
    let all = nest(&later, &[row_major(&[6]), row_major(&[12])]);
    assert_eq!(all, Ok(loops(&[(3, &[2, 4])], &[(2, &[1, 0]), (4, &[0, 1])], &[3])));
    assert_eq!(later.splits(), Ok(vec![(1, 0), (0, 0)]));
    let message = "no input tells the length of axis `a`; write its length, as in `(s 16)`";
    assert_eq!(refusal(&axes(&["a*b"], "a"), &[row_major(&[6])]), message);
    assert_eq!(refusal(&axes(&["a*b", "b"], "a"), &[row_major(&[0]), row_major(&[0])]), message);
    let untold = axes(&["c a*3*b"], "a").splits().map_err(|untold| (untold.input, untold.dim, untold.axes));
    assert_eq!(untold, Err((0, 1, vec![1, 3])));
}

#[test]
fn views_keep_their_steps() {
    let columns = axes(&["i j"], "j");
    let transposed = nest(&columns, &[shape(&[3, 4], &[1, 3])]).map(|nest| nest.merged().domain());
    assert_eq!(transposed, Ok(Domain::ROWS));
    for steps in [[10, 1], [-4, 1], [0, 1]] {
        let found = nest(&Axes::rows(), &[shape(&[3, 4], &steps)]).map(|nest| nest.merged());
        assert_eq!(found, Ok(loops(&[(3, &steps[..1])], &[(4, &[1])], &[3])));
        assert_eq!(found.map(|nest| nest.domain()), Ok(Domain { kept: 1, access: Access::Adjacent }));
    }
    let reversed = nest(&Axes::rows(), &[shape(&[3, 4], &[4, -1])]).map(|nest| nest.merged().domain());
    assert_eq!(reversed, Ok(strided(1, 1)));
    let sliced = nest(&axes(&["i j"], ""), &[shape(&[3, 4], &[10, 1])]).map(|nest| nest.merged().domain());
    assert_eq!(sliced, Ok(strided(0, 2)));
}

#[test]
fn axes_that_chain_are_merged() {
    let chained = loops(&[(2, &[12, 0]), (3, &[4, 0])], &[(2, &[2, 6]), (2, &[1, 3])], &[2, 3]);
    assert_eq!(chained.merged(), loops(&[(6, &[4, 0])], &[(4, &[1, 3])], &[2, 3]));
    let in_one_input = loops(&[], &[(2, &[3, 4]), (3, &[1, 1])], &[]);
    assert_eq!(in_one_input.merged(), in_one_input);
    let kept_and_reduced = loops(&[(2, &[3])], &[(3, &[1])], &[2]);
    assert_eq!(kept_and_reduced.merged(), kept_and_reduced);
    let three = loops(&[(2, &[12]), (3, &[4]), (4, &[1])], &[], &[2, 3, 4]);
    assert_eq!(three.merged(), loops(&[(24, &[1])], &[], &[2, 3, 4]));
    assert_eq!(three.merged().domain(), Domain::ROWS);
}

#[test]
fn axes_of_length_1_are_left_out() {
    let ones = loops(&[(1, &[99]), (2, &[3]), (1, &[-5])], &[(3, &[1]), (1, &[7])], &[1, 2, 1]);
    assert_eq!(ones.merged(), loops(&[(2, &[3])], &[(3, &[1])], &[1, 2, 1]));
    let single = nest(&Axes::rows(), &[shape(&[1, 1], &[5, 5])]).map(|nest| nest.merged());
    assert_eq!(single, Ok(loops(&[], &[], &[1])));
    assert_eq!(single.map(|nest| (nest.domain(), nest.extent())), Ok((Domain::WHOLE, Extent::from(1))));
}

#[test]
fn axes_of_length_0_have_no_elements() {
    let empty = |lengths: &[u64]| {
        let found = nest(&Axes::rows(), &[row_major(lengths)]);
        found.map(|nest| (nest.merged().extent(), nest.extent(), nest.result))
    };
    let (no_groups, no_elements) = (Extent { groups: 0, length: 4 }, Extent { groups: 3, length: 0 });
    assert_eq!(empty(&[0, 4]), Ok((no_groups, no_groups, vec![0])));
    assert_eq!(empty(&[3, 0]), Ok((no_elements, no_elements, vec![3])));
    let kept = loops(&[(0, &[0]), (3, &[2]), (0, &[5])], &[], &[0, 3, 0]);
    assert_eq!(kept.merged().extent(), kept.extent());
}

#[test]
fn more_elements_than_memory_holds_are_refused() {
    let broadcast = axes(&["a", "b"], "a b");
    let shapes = |length| [shape(&[1 << 31], &[0]), shape(&[length], &[0])];
    assert!(nest(&broadcast, &shapes(1 << 31)).is_ok());
    assert_eq!(nest(&broadcast, &shapes((1 << 31) + 1)), Err(ShapeError::TooLarge));
    assert_eq!(nest(&axes(&["a", "b"], ""), &shapes(u64::MAX)), Err(ShapeError::TooLarge));
}

#[test]
fn domains_of_row_major_inputs() {
    let adjacent = |kept| Domain { kept, access: Access::Adjacent };
    for (inputs, result, domain) in [
        (&["i j"][..], "i", Domain::ROWS),
        (&["i j"], "", Domain::WHOLE),
        (&["i"], "1", Domain::WHOLE),
        (&["i j"], "j", beside(1, 1)),
        (&["b h w c"], "b c", beside(2, 1)),
        (&["b c h w"], "b c", Domain::ROWS),
        (&["b h w c"], "h", strided(1, 2)),
        (&["b h c"], "b c h", adjacent(3)),
        (&[".. c"], "..", Domain::ROWS),
        (&[".. c"], "c", beside(1, 1)),
        (&["s*16"], "s", Domain::ROWS),
        (&["16*s"], "s", beside(1, 1)),
        (&["b s*16 c"], "b s c", beside(2, 1)),
        (&["1 i 1 j 1"], "i", Domain::ROWS),
        (&["1"], "", Domain::WHOLE),
        (&["b c", "c"], "b", adjacent(1)),
        (&["b c", "b c"], "b", Domain::ROWS),
        (&["a b", "b c"], "a c", beside(2, 1)),
        (&["a*b", "b"], "a", adjacent(1)),
    ] {
        let axes = axes(inputs, result);
        assert_eq!(axes.domain(), domain, "{inputs:?} -> {result}");
        let merged = nest(&axes, &many(&axes)).map(|nest| nest.merged());
        assert_eq!(merged.map(|nest| nest.domain().of_many()), Ok(domain), "{inputs:?} -> {result}");
    }
    let long = axes(&["4611686018427387904*4611686018427387904 i j"], "i");
    assert_eq!(long.domain(), strided(1, 2), "lengths do not matter");
}
