//! Reductions with `axes` on device memory, with Rust types: views of device slices in, an array on the device out.

use super::groups::DeviceGroups;
use super::input::{DeviceInput, DeviceMemory};
use crate::reduction::array;
use crate::{Array, Compiled, Error, GroupResult, NoParams, Params, View, With};
use cudarc::driver::CudaView;
use half::{bf16, f16};
use reduce_ir::arith::Element;
use std::marker::PhantomData;

/// The results of groups in device memory, in row-major order.
#[derive(Debug)]
pub struct DeviceArray<T> {
    groups: DeviceGroups,
    types: PhantomData<fn() -> T>,
}

impl<T> DeviceArray<T> {
    /// Returns the length of each axis.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        self.groups.shape()
    }

    /// Returns the results without Rust types.
    pub fn groups(&mut self) -> &mut DeviceGroups {
        &mut self.groups
    }
}

impl<T: GroupResult> DeviceArray<T> {
    /// Waits for the results and reads them.
    ///
    /// # Errors
    /// See [`DeviceGroups::read`]; a group has no result, and `T` is no `Option`.
    pub fn read(&self) -> Result<Array<T>, Error> {
        array(self.groups.operation(), self.groups.read()?)
    }
}

impl<T: Element> DeviceArray<T> {
    /// Returns the results as a view for kernels and libraries. Streams of cudarc that read it wait for the results.
    ///
    /// # Errors
    /// See [`Workspace::result`](crate::Workspace::result).
    pub fn view(&mut self) -> Result<CudaView<'_, T>, Error> {
        self.groups.workspace().result()
    }
}

/// Views of device memory for the inputs `In`: a reference to a slice of cudarc, or a [`View`] of one. Up to sixteen inputs are a
/// tuple of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no view of device memory for the inputs `{In}`",
    note = "give `View::new(&x, [rows, columns])` of a `CudaSlice` of exactly that type, or `&x` for one axis; a tuple for several inputs"
)]
pub trait DeviceViews<'a, In> {
    #[doc(hidden)]
    fn inputs(self) -> Vec<View<DeviceInput<'a>>>;
}

macro_rules! scalars {
    ($($ty:ty)*) => {
        $(
            #[diagnostic::do_not_recommend]
            impl<'a, S: DeviceMemory<$ty>> DeviceViews<'a, $ty> for View<&'a S> {
                fn inputs(self) -> Vec<View<DeviceInput<'a>>> {
                    vec![self.with_data(DeviceInput::new(self.data))]
                }
            }

            #[diagnostic::do_not_recommend]
            impl<'a, S: DeviceMemory<$ty>> DeviceViews<'a, $ty> for &'a S {
                fn inputs(self) -> Vec<View<DeviceInput<'a>>> {
                    let input = DeviceInput::new(self);
                    let length = input.len();
                    vec![View::new(input, [length])]
                }
            }

            #[diagnostic::do_not_recommend]
            impl<'a, S: DeviceMemory<[$ty; K]>, const K: usize> DeviceViews<'a, [$ty; K]> for View<&'a S> {
                fn inputs(self) -> Vec<View<DeviceInput<'a>>> {
                    let data = self.data;
                    let input = || DeviceInput::of_arrays(data.stream(), data);
                    self.elements_of_arrays(K).map(|view| view.with_data(input())).collect()
                }
            }

            #[diagnostic::do_not_recommend]
            impl<'a, S: DeviceMemory<[$ty; K]>, const K: usize> DeviceViews<'a, [$ty; K]> for &'a S {
                fn inputs(self) -> Vec<View<DeviceInput<'a>>> {
                    View::new(self, [self.len()]).inputs()
                }
            }
        )*
    };
}

scalars!(f16 bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool);

/// Implements the trait for a tuple of these elements, and for each shorter tuple without its first elements, down to two.
macro_rules! tuples {
    ($element:ident $view:ident) => {};
    ($first:ident $first_view:ident, $($element:ident $view:ident),+) => {
        tuple!($first $first_view, $($element $view),+);
        tuples!($($element $view),+);
    };
}

macro_rules! tuple {
    ($($element:ident $view:ident),+) => {
        #[doc(hidden)]
        #[diagnostic::do_not_recommend]
        impl<'a, $($element, $view: DeviceViews<'a, $element>),+> DeviceViews<'a, ($($element,)+)> for ($($view,)+) {
            #[allow(non_snake_case, reason = "a view has the name of its type")]
            fn inputs(self) -> Vec<View<DeviceInput<'a>>> {
                let ($($view,)+) = self;
                [$($view.inputs()),+].into_iter().flatten().collect()
            }
        }
    };
}

tuples!(
    A VA, B VB, C VC, D VD, E VE, F VF, G VG, H VH, I VI, J VJ, K VK, L VL, M VM, N VN, O VO, P VP
);

impl<In, R: GroupResult, P: Params> Compiled<In, Array<R>, P> {
    /// Queues a reduction of views of device memory, and returns at once. The results stay on the device. See
    /// [`Reducer::reduce_groups_device`](crate::Reducer::reduce_groups_device).
    ///
    /// # Errors
    /// See [`Reducer::reduce_groups_device`](crate::Reducer::reduce_groups_device).
    pub fn reduce_device<'a, V: DeviceViews<'a, In>>(&self, views: V) -> Result<DeviceArray<R>, Error>
    where
        P: NoParams,
    {
        self.with(P::default()).reduce_device(views)
    }

    /// As `reduce_device`, into the memory of an earlier call: it neither allocates nor waits. See
    /// [`Reducer::reduce_groups_into`](crate::Reducer::reduce_groups_into).
    ///
    /// # Errors
    /// See [`Reducer::reduce_groups_into`](crate::Reducer::reduce_groups_into).
    pub fn reduce_device_into<'a, V: DeviceViews<'a, In>>(
        &self,
        views: V,
        into: &mut DeviceArray<R>,
    ) -> Result<(), Error>
    where
        P: NoParams,
    {
        self.with(P::default()).reduce_device_into(views, into)
    }
}

impl<In, R: GroupResult, P: Params> With<'_, Compiled<In, Array<R>, P>> {
    /// As [`Compiled::reduce_device`].
    ///
    /// # Errors
    /// See [`Reducer::reduce_groups_device`](crate::Reducer::reduce_groups_device).
    pub fn reduce_device<'a, V: DeviceViews<'a, In>>(&self, views: V) -> Result<DeviceArray<R>, Error> {
        let inputs = views.inputs();
        let inputs: Vec<_> = inputs.iter().map(|input| input.with_data(&input.data)).collect();
        let groups = self.reduction.reducer().reduce_groups_device(&inputs, &self.params)?;
        Ok(DeviceArray { groups, types: PhantomData })
    }

    /// As [`Compiled::reduce_device_into`].
    ///
    /// # Errors
    /// See [`Reducer::reduce_groups_into`](crate::Reducer::reduce_groups_into).
    pub fn reduce_device_into<'a, V: DeviceViews<'a, In>>(
        &self,
        views: V,
        into: &mut DeviceArray<R>,
    ) -> Result<(), Error> {
        let inputs = views.inputs();
        let inputs: Vec<_> = inputs.iter().map(|input| input.with_data(&input.data)).collect();
        self.reduction.reducer().reduce_groups_into(&inputs, &self.params, &mut into.groups)
    }
}
