//! Arrays in host memory as views of the library, without a copy where their elements are aligned.

use crate::errors::InputError;
use crate::tensor::Tensor;
use pyo3::PyResult;
use reducegen::ir::Scalar;
use reducegen::{LanesRef, Strided, View, bf16, f16};
use std::slice;

/// Elements in memory, without a lifetime.
#[derive(Clone, Copy)]
pub(crate) struct Raw {
    ty: Scalar,
    address: usize,
    len: usize,
}

impl Raw {
    /// Returns the elements.
    ///
    /// # Safety
    /// The memory lives as long as the result and nobody writes to it; a `bool` is 0 or 1.
    unsafe fn lanes<'a>(self) -> LanesRef<'a> {
        macro_rules! lanes {
            ($($scalar:ident: $ty:ty),*) => {
                match self.ty {
                    // SAFETY: there are elements of that type, at their alignment; the caller promises the rest.
                    $(Scalar::$scalar => LanesRef::$scalar(unsafe {
                        slice::from_raw_parts(self.address as *const $ty, self.len)
                    }),)*
                }
            };
        }
        lanes!(
            Bool: bool, F16: f16, Bf16: bf16, F32: f32, F64: f64, I8: i8, I16: i16, I32: i32, I64: i64, U8: u8, U16: u16,
            U32: u32, U64: u64
        )
    }
}

/// A view of host memory.
pub(crate) struct HostView {
    view: View<Raw>,
    /// The copy that the view is of, if it is one of a copy.
    copy: Option<Vec<u64>>,
}

impl HostView {
    /// Returns the elements of an array. They are copied if they are not aligned, or are `bool`s with gaps or other values than 0 and 1.
    pub(crate) fn of(tensor: &Tensor<'_>) -> PyResult<HostView> {
        if tensor.len() == 0 {
            return Ok(HostView::empty(tensor));
        }
        match in_place(tensor)? {
            Some(view) => Ok(HostView { view, copy: None }),
            None => Ok(HostView::copied(tensor, true)),
        }
    }

    fn empty(tensor: &Tensor<'_>) -> HostView {
        let raw = Raw { ty: tensor.ty, address: tensor.ty.size(), len: 0 };
        HostView { view: View::new(raw, tensor.shape.clone()), copy: None }
    }

    /// Returns the elements side by side, copied if they do not lie so.
    pub(crate) fn line(tensor: &Tensor<'_>) -> PyResult<HostView> {
        if tensor.is_row_major() { HostView::of(tensor) } else { Ok(HostView::copied(tensor, false)) }
    }

    /// Copies the elements side by side; repeated ones once, if they may stay repeated.
    fn copied(tensor: &Tensor<'_>, may_repeat: bool) -> HostView {
        let ty = tensor.ty;
        let is_repeated = |step: isize| may_repeat && step == 0;
        let once = |(&length, &step)| if is_repeated(step) { 1 } else { length };
        let lengths: Vec<usize> = tensor.shape.iter().zip(&tensor.steps).map(once).collect();
        let len: usize = lengths.iter().product();
        let mut copy = vec![0u64; (len * ty.size()).div_ceil(8)];
        let to = copy.as_mut_ptr().cast::<u8>();
        for (at, from) in Addresses::of(tensor.address, &lengths, &tensor.steps).enumerate() {
            // SAFETY: the array has an element at each of its coordinates, and the copy has room for all.
            unsafe { std::ptr::copy_nonoverlapping(from as *const u8, to.add(at * ty.size()), ty.size()) };
        }
        if ty == Scalar::Bool {
            // SAFETY: the bytes were written above.
            let bytes = unsafe { slice::from_raw_parts_mut(to, len) };
            bytes.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
        }
        let View { mut steps, offset, .. } = View::new((), lengths);
        let repeats = steps.iter_mut().zip(&tensor.steps).filter(|(_, of)| is_repeated(**of));
        repeats.for_each(|(step, _)| *step = 0);
        let raw = Raw { ty, address: copy.as_ptr() as usize, len };
        HostView { view: View { data: raw, offset, lengths: tensor.shape.clone(), steps }, copy: Some(copy) }
    }

    /// Returns the view.
    ///
    /// # Safety
    /// As `Raw::lanes`: the array and this value live as long as the result, and nobody writes to the array.
    pub(crate) unsafe fn lanes<'a>(&self) -> View<LanesRef<'a>> {
        // SAFETY: the caller promises it.
        self.view.with_data(unsafe { self.view.data.lanes() })
    }

    /// Returns all elements in row-major order as elements a step apart, if they are that.
    ///
    /// # Safety
    /// As [`HostView::lanes`].
    pub(crate) unsafe fn strided<'a>(&self) -> Strided<LanesRef<'a>> {
        let View { data, offset, lengths, steps } = &self.view;
        // The step of a single element is any number.
        let step = if let ([step], [2..=usize::MAX]) = (&steps[..], &lengths[..]) { *step } else { 1 };
        // SAFETY: the caller promises it.
        Strided { data: unsafe { data.lanes() }, offset: *offset, step, len: lengths.iter().product() }
    }
}

/// Copies all elements of an array side by side.
pub(crate) fn words(tensor: &Tensor<'_>) -> Vec<u64> {
    if tensor.len() == 0 { vec![0] } else { HostView::copied(tensor, false).copy.unwrap_or_default() }
}

/// Returns the view of elements where they lie, if they are aligned.
fn in_place(tensor: &Tensor<'_>) -> PyResult<Option<View<Raw>>> {
    let size = tensor.ty.size();
    let is_aligned =
        tensor.address.is_multiple_of(size) && tensor.steps.iter().all(|step| step % size as isize == 0);
    if !is_aligned {
        return Ok(None);
    }
    let (low, high) = span(&tensor.shape, &tensor.steps)?;
    let raw = Raw {
        ty: tensor.ty,
        address: tensor.address.wrapping_add_signed(low),
        len: (high - low) as usize / size + 1,
    };
    if tensor.ty == Scalar::Bool && !is_plain(raw, tensor) {
        return Ok(None);
    }
    let steps = tensor.steps.iter().map(|step| step / size as isize).collect();
    let offset = low.unsigned_abs() / size;
    Ok(Some(View { data: raw, offset, lengths: tensor.shape.clone(), steps }))
}

/// Returns the distances to the lowest and the highest element from the first one, in bytes.
pub(crate) fn span(shape: &[usize], steps: &[isize]) -> PyResult<(isize, isize)> {
    let (mut low, mut high) = (0i128, 0i128);
    for (&length, &step) in shape.iter().zip(steps) {
        let far = (length as i128 - 1) * step as i128;
        low += far.min(0);
        high += far.max(0);
    }
    let fits = |it: i128| isize::try_from(it).ok();
    fits(low)
        .zip(fits(high))
        .ok_or_else(|| InputError::new_err("the array reaches beyond memory; check its strides"))
}

/// Returns whether the memory has no gaps, and all its bytes are 0 or 1.
fn is_plain(raw: Raw, tensor: &Tensor<'_>) -> bool {
    let elements = tensor.shape.iter().zip(&tensor.steps).filter(|(_, step)| **step != 0);
    let elements: usize = elements.map(|(length, _)| *length).product();
    // SAFETY: without gaps, all bytes are elements.
    elements == raw.len
        && unsafe { slice::from_raw_parts(raw.address as *const u8, raw.len) }
            .iter()
            .fold(0, |all, byte| all | byte)
            <= 1
}

/// The addresses of elements in row-major order.
struct Addresses<'t> {
    next: Option<usize>,
    at: Vec<usize>,
    lengths: &'t [usize],
    steps: &'t [isize],
}

impl<'t> Addresses<'t> {
    /// Elements of lengths above 0.
    fn of(address: usize, lengths: &'t [usize], steps: &'t [isize]) -> Addresses<'t> {
        Addresses { next: Some(address), at: vec![0; lengths.len()], lengths, steps }
    }
}

impl Iterator for Addresses<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let address = self.next?;
        let mut next = address;
        for axis in (0..self.lengths.len()).rev() {
            let step = self.steps[axis];
            self.at[axis] += 1;
            if self.at[axis] < self.lengths[axis] {
                self.next = Some(next.wrapping_add_signed(step));
                return Some(address);
            }
            self.at[axis] = 0;
            next = next.wrapping_add_signed(step.wrapping_mul(1 - self.lengths[axis] as isize));
        }
        self.next = None;
        Some(address)
    }
}
