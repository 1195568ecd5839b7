//! Random shapes and layouts of the inputs of a specification with `axes`, and the elements of each group by plain loops:
//! they share no code with the library.
#![allow(dead_code, reason = "no test uses all of it")]

use super::splitmix::Random;
use reduce_ir::Axes;
use reduce_ir::axes::Kept;
use reduce_lanes::{Lanes, LanesRef};
use reduce_runtime::View;
use std::fmt;

/// Lengths of groups: around those at which another team, tile or number of tiles reduces a group.
const LENGTHS: [usize; 38] = [
    1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255, 257, 511, 512, 513,
    1023, 1024, 1025, 2047, 2049, 4097, 8192, 8193, 16_384, 16_385, 65_537, 140_000,
];

/// Numbers of groups: around those at which groups that lie side by side share a block.
const GROUPS: [usize; 22] =
    [1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 100, 129, 257, 1000, 8192, 8200];

/// The limits of a shape.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// The greatest number of elements in all groups.
    pub(crate) elements: usize,
    /// The greatest length of a group.
    pub(crate) length: usize,
}

/// The lengths of the axes, and the place of the elements of each input.
pub(crate) struct Shape {
    axes: Axes,
    /// The number of axes of `..`.
    leading: usize,
    /// The lengths of these axes, and then those of [`Axes::axes`].
    lengths: Vec<usize>,
    pub(crate) inputs: Vec<Layout>,
}

/// The place of the elements of an input.
#[derive(Debug)]
pub(crate) struct Layout {
    /// The skipped elements before the data, which misalign it.
    pub(crate) start: usize,
    /// The number of elements of the data.
    pub(crate) len: usize,
    pub(crate) offset: usize,
    pub(crate) lengths: Vec<usize>,
    pub(crate) steps: Vec<isize>,
}

impl Shape {
    /// Returns a random shape, or `None` if it exceeds the limits, as lengths that the specification gives may do.
    pub(crate) fn new(axes: &Axes, limits: Limits, random: &mut Random) -> Option<Shape> {
        let has_leading = axes.inputs.iter().any(|pattern| pattern.has_leading);
        let leading = if has_leading { random.below(3) as usize } else { 0 };
        let given = axes.axes.iter().map(|axis| axis.length.map_or(1, |length| length as usize));
        let lengths = std::iter::repeat_n(1, leading).chain(given).collect();
        let mut shape = Shape { axes: axes.clone(), leading, lengths, inputs: Vec::new() };
        shape.choose_all(limits, random)?;
        shape.inputs = (0..axes.inputs.len()).map(|input| shape.layout(input, limits, random)).collect();
        // Inputs without the axis of no elements may still be large.
        shape.inputs.iter().all(|input| input.len <= 2 * limits.elements).then_some(shape)
    }

    /// Chooses the lengths of all axes: those of few long groups, or of many short ones.
    fn choose_all(&mut self, limits: Limits, random: &mut Random) -> Option<()> {
        let [reduced, kept] = [self.reduced(), self.kept()];
        if random.below(4) == 0 {
            self.choose(&kept, &GROUPS, limits.elements / self.length(), random)?;
        }
        let most = limits.length.min(limits.elements / self.groups().max(1));
        self.choose(&reduced, &LENGTHS, most, random)?;
        if kept.iter().all(|&at| self.lengths[at] == 1) {
            self.choose(&kept, &GROUPS, limits.elements / self.length().max(1), random)?;
        }
        (self.groups() * self.length() <= limits.elements).then_some(())
    }

    /// Chooses lengths of the axes at these places, whose product is about one of `totals` and at most about `most`.
    fn choose(&mut self, places: &[usize], totals: &[usize], most: usize, random: &mut Random) -> Option<()> {
        let given: usize = places.iter().map(|&at| self.lengths[at]).product();
        let totals: Vec<_> = totals.iter().copied().filter(|&total| total <= most).collect();
        if given > most || totals.is_empty() {
            return None;
        }
        let total = if random.below(4) == 0 { totals.into_iter().max()? } else { random.pick(&totals) };
        let total = (total / given).max(1);
        self.share(if random.below(24) == 0 { 0 } else { total }, places, random);
        Some(())
    }

    /// Chooses the lengths of the axes at these places that the specification does not give. Their product is about `total`.
    fn share(&mut self, total: usize, places: &[usize], random: &mut Random) {
        let mut free: Vec<_> = places.iter().copied().filter(|&at| !self.is_given(at)).collect();
        free.sort_by_key(|_| random.bits());
        let mut rest = total;
        let Some((last, others)) = free.split_last() else { return };
        for &at in others {
            let factor = random.pick(&[1, 1, 1, 2, 3, 4, 7]);
            if rest == 0 || factor <= rest {
                (self.lengths[at], rest) = (factor, rest.div_ceil(factor));
            }
        }
        self.lengths[*last] = if self.is_in_named_split(*last) { rest.max(1) } else { rest };
    }

    /// Returns whether the specification gives the length of the axis at this place.
    fn is_given(&self, at: usize) -> bool {
        at.checked_sub(self.leading).is_some_and(|axis| self.axes.axes[axis].length.is_some())
    }

    /// Returns whether the axis at this place is split from a dimension together with another named axis. If its length were 0,
    /// the length of that axis would be unknown.
    fn is_in_named_split(&self, at: usize) -> bool {
        let Some(axis) = at.checked_sub(self.leading) else { return false };
        let is_named = |&axis: &usize| self.axes.axes[axis].length.is_none();
        let mut dims = self.axes.inputs.iter().flat_map(|pattern| &pattern.dims);
        dims.any(|dim| dim.contains(&axis) && dim.iter().filter(|axis| is_named(axis)).count() > 1)
    }

    fn layout(&self, input: usize, limits: Limits, random: &mut Random) -> Layout {
        let dims = self.dims(input);
        let lengths: Vec<usize> =
            dims.iter().map(|dim| dim.iter().map(|&at| self.lengths[at]).product()).collect();
        Layout::new(lengths, 2 * limits.elements, random)
    }

    /// Returns the places of the axes of each dimension of an input.
    fn dims(&self, input: usize) -> Vec<Vec<usize>> {
        let pattern = &self.axes.inputs[input];
        let leading = 0..if pattern.has_leading { self.leading } else { 0 };
        let others = pattern.dims.iter().map(|dim| dim.iter().map(|axis| self.leading + axis).collect());
        leading.map(|at| vec![at]).chain(others).collect()
    }

    /// Returns the length of the axis of that name, and the product of those that follow it on its side.
    pub(crate) fn along(&self, name: &str) -> [u64; 2] {
        let axis = self.axes.axes.iter().position(|axis| axis.name.as_deref() == Some(name)).unwrap();
        let place = self.leading + axis;
        let sides = [self.kept(), self.reduced()];
        let side = sides.iter().find(|side| side.contains(&place)).unwrap();
        let following = side.iter().skip_while(|&&at| at != place).skip(1);
        [self.lengths[place], following.map(|&at| self.lengths[at]).product()].map(|it| it as u64)
    }

    /// Returns the places of the kept axes, in the order of the result.
    fn kept(&self) -> Vec<usize> {
        let places = |kept: &Kept| match *kept {
            Kept::Leading => 0..self.leading,
            Kept::Axis(axis) => self.leading + axis..self.leading + axis + 1,
            Kept::One => 0..0,
        };
        self.axes.result.iter().flat_map(places).collect()
    }

    /// Returns the places of the reduced axes, in the order in which they are written.
    fn reduced(&self) -> Vec<usize> {
        let kept = self.kept();
        (0..self.lengths.len()).filter(|at| !kept.contains(at)).collect()
    }

    /// Returns the number of groups.
    pub(crate) fn groups(&self) -> usize {
        self.kept().iter().map(|&at| self.lengths[at]).product()
    }

    /// Returns the number of elements in each group.
    pub(crate) fn length(&self) -> usize {
        self.reduced().iter().map(|&at| self.lengths[at]).product()
    }

    /// Returns the shape of the result.
    pub(crate) fn result(&self) -> Vec<u64> {
        let lengths = |kept: &Kept| match *kept {
            Kept::Leading => self.lengths[..self.leading].to_vec(),
            Kept::Axis(axis) => vec![self.lengths[self.leading + axis]],
            Kept::One => vec![1],
        };
        self.axes.result.iter().flat_map(lengths).map(|length| length as u64).collect()
    }

    /// Returns the positions of the elements of each group in the data of an input: those of the first elements, and the
    /// distances from them.
    pub(crate) fn positions(&self, input: usize) -> (Vec<usize>, Vec<isize>) {
        let place = |coordinates: &Vec<usize>| self.distance(input, coordinates);
        let firsts = self.coordinates(&self.kept());
        let offset = self.inputs[input].offset;
        let firsts = firsts.iter().map(|at| offset.wrapping_add_signed(place(at)));
        (firsts.collect(), self.coordinates(&self.reduced()).iter().map(place).collect())
    }

    /// Returns all coordinates along the axes at some places, the last one fastest; 0 along the others.
    fn coordinates(&self, places: &[usize]) -> Vec<Vec<usize>> {
        let mut all = vec![vec![0; self.lengths.len()]];
        for &at in places {
            let turns = |before: &Vec<usize>| {
                let before = before.clone();
                (0..self.lengths[at]).map(move |turn| {
                    let mut coordinates = before.clone();
                    coordinates[at] = turn;
                    coordinates
                })
            };
            all = all.iter().flat_map(turns).collect();
        }
        all
    }

    /// Returns the distance of the element at some coordinates from the first element of an input.
    fn distance(&self, input: usize, coordinates: &[usize]) -> isize {
        let number = |number: usize, &at: &usize| number * self.lengths[at] + coordinates[at];
        let indices = self.dims(input).into_iter().map(|dim| dim.iter().fold(0, number) as isize);
        indices.zip(&self.inputs[input].steps).map(|(index, step)| index * step).sum()
    }
}

impl Layout {
    /// Returns a layout of dimensions of these lengths: row-major or transposed, with gaps, backwards, or repeating elements. Its
    /// memory has at most `most` elements, or one for each element of the layout if these are more.
    fn new(lengths: Vec<usize>, most: usize, random: &mut Random) -> Layout {
        let (start, lead) = (random.below(8) as usize, random.below(3) as usize);
        let mut layout = Layout { start, len: 0, offset: lead, steps: vec![0; lengths.len()], lengths };
        let is_plain = random.below(4) == 0;
        let mut order: Vec<_> = (0..layout.lengths.len()).collect();
        if !is_plain && random.below(2) == 0 {
            order.sort_by_key(|_| random.bits());
        }
        let mut step = if is_plain || random.below(3) > 0 { 1 } else { random.pick(&[2, 3]) };
        for &dim in order.iter().rev() {
            let length = layout.lengths[dim].max(1);
            let kind = if is_plain { 9 } else { random.below(10) };
            match kind {
                0 => continue,
                1 | 2 => {
                    layout.steps[dim] = -(step as isize);
                    layout.offset += step * (length - 1);
                }
                _ => layout.steps[dim] = step as isize,
            }
            let gap = if kind > 6 { 0 } else { random.pick(&[0, 0, 1, 2, 4, 5]) };
            step = step * length + gap;
        }
        let unread = random.below(3) as usize;
        let end = if layout.lengths.contains(&0) { layout.offset } else { lead + layout.span() };
        layout.len = end + unread;
        if layout.len <= most { layout } else { Layout::row_major(layout.lengths, start) }
    }

    fn row_major(lengths: Vec<usize>, start: usize) -> Layout {
        let steps = View::new((), lengths.clone()).steps;
        let mut layout = Layout { start, len: 0, offset: 0, lengths, steps };
        layout.len = layout.span();
        layout
    }

    /// Returns the number of elements from the lowest position to the highest.
    fn span(&self) -> usize {
        let far = self.lengths.iter().zip(&self.steps);
        let far = far.map(|(length, step)| length.saturating_sub(1) * step.unsigned_abs());
        if self.lengths.contains(&0) { 0 } else { 1 + far.sum::<usize>() }
    }

    /// Returns the view of its elements.
    pub(crate) fn view<D>(&self, data: D) -> View<D> {
        View { data, offset: self.offset, lengths: self.lengths.clone(), steps: self.steps.clone() }
    }
}

/// Copies the elements of a group, in order.
pub(crate) fn gathered(data: LanesRef<'_>, first: usize, distances: &[isize]) -> Lanes {
    let mut copy = Lanes::empty(data.ty());
    copy.resize(distances.len());
    let places = distances.iter().map(|&distance| first.wrapping_add_signed(distance));
    copy.copy(data, &places.enumerate().collect::<Vec<_>>());
    copy
}

/// Prints the length of each axis, and the lengths, steps and offset of each input.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = (0..self.lengths.len()).map(|at| match at.checked_sub(self.leading) {
            None => "..".to_owned(),
            Some(axis) => self.axes.text(axis),
        });
        let lengths = names.zip(&self.lengths).map(|(name, length)| format!("{name}={length}"));
        write!(f, "{}", lengths.collect::<Vec<_>>().join(" "))?;
        self.inputs.iter().enumerate().try_for_each(|(at, layout)| write!(f, "\ninput {at}: {layout:?}"))
    }
}
