//! The ladder as a page: every rung with its kernel, its steps, its counts and the published times.

use super::climb::{Climb, Climbed, Row};
use super::tables::SOURCES;
use crate::failure::Failure;
use crate::html::failure;
use crate::report::microseconds;
use reduce_report::{Data, Document, Kernels, Published, Size, StageView, Time};

/// The default number of elements.
pub(super) const DEFAULT: u64 = 4096;
/// The approximate number of bytes for the steps of each rung.
const ROOM: usize = 50_000;

/// Returns the document.
pub(super) fn document(climb: &Climb, device: &str, rows: &[Row]) -> Result<Document, Failure> {
    let (op, ty, n) = (climb.op.name, climb.ty, climb.counts_n);
    let size = Size {
        n,
        groups: 1,
        text: format!("{} rungs; {n} x {ty}, {} threads per block", rows.len(), climb.block),
    };
    let mut document = Document::new(format!("The ladder: {op} of {ty}"), size);
    for row in rows {
        match &row.outcome {
            Ok(climbed) => {
                let before = document.stages.last().map(|it| it.cuda().to_owned());
                let view = stage(climb, device, row, climbed, before.as_deref())?;
                document.stages.push(view);
            }
            Err(reason) => {
                document.notes.push(format!("Rung {} does not exist here: {reason}", row.rung.number))
            }
        }
    }
    Ok(document)
}

fn stage(
    climb: &Climb,
    device: &str,
    row: &Row,
    climbed: &Climbed,
    before: Option<&str>,
) -> Result<StageView, Failure> {
    let spec = row.rung.spec(climb.op, climb.ty, row.counts_n, climb.block);
    let spec = spec.map_err(|unfit| Failure::request(unfit.to_string()))?;
    let program = reduce_codegen::compile(&spec).map_err(reduce_runtime::Error::from)?;
    let data = Data::generated(&program.operation, program.domain, row.counts_n);
    let head = (format!("{} {}", row.rung.number, row.rung.name), row.rung.what.to_owned());
    let (mut view, _) =
        StageView::of(head, Kernels::Passes(&program), &data, before, ROOM).map_err(failure)?;
    view.spec = Some(climbed.spec.text.clone());
    view.published = climb.published(row.rung).iter().map(published).collect();
    view.time = climbed.time.map(|time| Time {
        first_us: microseconds(time.first),
        all_us: microseconds(time.all),
        device: device.to_owned(),
    });
    Ok(view)
}

fn published(it: &reduce_dsl::ladder::Published) -> Published {
    let source = SOURCES.iter().find(|(source, ..)| *source == it.source);
    let device = source.map_or_else(String::new, |(.., device)| format!(", {device}"));
    Published { source: format!("{}{device}", it.source), n: it.n, us: it.us }
}
