//! Reduces each row of a matrix to one result.

use crate::reducer::Backend;
use crate::{Error, Reducer, Strided, inputs};
use reduce_ir::{Domain, Extent, Value};
use reduce_lanes::LanesRef;

impl Reducer {
    /// Reduces each row of a row-major matrix with `length` elements per row.
    ///
    /// Each result has the bits of a reduction of that row alone; `None` where `filter` or `nan: ignore` leaves no
    /// element.
    ///
    /// # Errors
    /// The specification has no `axes: i j -> i`, `length` is 0, the inputs are not whole rows, or an error of
    /// [`Reducer::reduce_with`].
    pub fn reduce_rows<'a>(
        &self,
        inputs: &[impl Copy + Into<LanesRef<'a>>],
        length: u64,
        params: &[Value],
    ) -> Result<Vec<Option<Vec<Value>>>, Error> {
        inputs::check_params(self.operation(), params)?;
        let inputs: Vec<LanesRef<'a>> = inputs.iter().map(|&input| input.into()).collect();
        let shapes = inputs.iter().map(|&input| Strided::from(input).of((input.ty(), input.len())));
        let elements = inputs::check(self.operation(), self.programs().domain(), shapes)?;
        let is_of_rows = self.programs().domain() == Domain::ROWS;
        if !is_of_rows || length == 0 || !elements.is_multiple_of(length) {
            return Err(Error::Rows { elements, length });
        }
        let extent = Extent { groups: elements / length, length: self.within(length)? };
        match &self.backend {
            Backend::Host { plan, associations } => {
                let association = &associations[self.programs().place(length)];
                let row = |row: u64| {
                    let (begin, len) = ((row * length) as usize, length as usize);
                    let inputs: Vec<_> = inputs.iter().map(|input| input.slice(begin..begin + len)).collect();
                    Ok(self.operation().unstored(plan.reduce(association, &inputs, params)?))
                };
                (0..extent.groups).map(row).collect()
            }
            Backend::Cuda(_) if extent.groups == 0 => Ok(Vec::new()),
            Backend::Cuda(kernels) => kernels.reduce_rows(&inputs, extent, params),
        }
    }
}
