//! Arrays in Fortran order: reduced in the order of the file, if the result is the same as in C order.

use crate::data::Data;
use crate::failure::Failure;
use reduce_ir::operation::{Operation, Order};
use reduce_lanes::LanesRef;
use reduce_runtime::Strided;

/// Refuses an array in Fortran order if the result depends on the order of its elements.
pub(crate) fn check(
    operation: &Operation,
    data: &[Data],
    views: &[Strided<LanesRef<'_>>],
) -> Result<(), Failure> {
    let Some((array, shape)) = data.iter().find_map(|file| Some((file, file.fortran()?))) else {
        return Ok(());
    };
    let reason = match data.iter().find(|file| file.fortran() != Some(shape)) {
        Some(other) => Some(format!("{} has another order or shape", other.path.display())),
        None => dependence(operation, views).map(str::to_owned),
    };
    let Some(reason) = reason else { return Ok(()) };
    let path = array.path.display();
    let any = if is_order_any_enough(operation, data, views) { ", or write `order: any`" } else { "" };
    Err(Failure::request(format!(
        "{path} is in Fortran order, and {reason}; save `np.ascontiguousarray(a)`{any}"
    )))
}

/// Returns the reason why the result depends on the order of the elements; `None` if it does not.
fn dependence(operation: &Operation, views: &[Strided<LanesRef<'_>>]) -> Option<&'static str> {
    let whole = |view: &Strided<LanesRef<'_>>| view.len == view.data.len() && view.step.unsigned_abs() == 1;
    if !views.iter().all(whole) {
        Some("`--offset`, `--step` and `--len` count elements in C order")
    } else if operation.is_indexed() {
        Some("the result depends on positions, which count in C order")
    } else if !operation.commutative {
        Some("the result depends on the order of the elements")
    } else if operation.exact || operation.order == Order::Any {
        None
    } else {
        Some("the bits of the result depend on the order of the elements")
    }
}

/// Returns whether `order: any` would make the result independent of the order of the elements.
fn is_order_any_enough(operation: &Operation, data: &[Data], views: &[Strided<LanesRef<'_>>]) -> bool {
    let any = Operation { order: Order::Any, ..operation.clone() };
    let alike = data.windows(2).all(|files| files[0].fortran() == files[1].fortran());
    alike && dependence(&any, views).is_none()
}
