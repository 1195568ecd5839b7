//! The document: everything that a page shows.

use crate::Error;
use crate::about::{self, Sentence};
use crate::association::Tree;
use crate::data::{Cutting, Data};
use crate::kernels::Kernels;
use crate::play::Outcome;
use crate::stage::{self, StageView};
use reduce_codegen::Stage;
use reduce_dsl::parse::{Bytes, Parsed};
use reduce_ir::Value;
use serde::Serialize;

/// A report.
#[derive(Clone, Debug, Serialize)]
pub struct Document {
    /// The specification in its canonical spelling, or another title.
    pub title: String,
    /// The meaning, in sentences.
    pub about: Vec<Sentence>,
    /// The elements.
    pub size: Size,
    /// The results, one for each group, as text; at most [`Document::RESULTS`] of them.
    pub results: Vec<String>,
    /// Whether the results were compared with another implementation: the host.
    pub checked: bool,
    /// The programs, one for each pass.
    pub stages: Vec<StageView>,
    association: Option<Tree>,
    /// The elements that the association is of, if it is not of all groups.
    association_of: Option<String>,
    /// The word for a group.
    group: &'static str,
    /// The group of each element of the first input, if there are several.
    groups: Option<Vec<Option<u64>>>,
    /// The resources of the kernels of the last stage.
    pub resources: Vec<Resources>,
    /// The reason why there are no resources.
    pub missing: Option<String>,
    /// The time that a read of the elements takes.
    pub read: Option<Read>,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

/// The number of elements.
#[derive(Clone, Debug, Serialize)]
pub struct Size {
    /// The elements of a group.
    pub n: u64,
    /// The groups.
    pub groups: u64,
    /// Both in words.
    pub text: String,
}

/// The resources of a kernel on an architecture, as the compiler reports them.
#[derive(Clone, Debug, Serialize)]
pub struct Resources {
    /// The kernel.
    pub kernel: String,
    /// The architecture, such as `sm_90`.
    pub architecture: String,
    /// The threads of a block.
    pub threads: u32,
    /// The registers of a thread.
    pub registers: u32,
    /// The bytes of shared memory of a block.
    pub shared: u32,
    /// The bytes of local memory of a thread, to which registers are spilled.
    pub local: u32,
    /// The blocks that a multiprocessor holds at once.
    pub blocks: u32,
    /// The share of the warps of a multiprocessor that they fill.
    pub occupancy: f64,
}

/// The time of a read of all elements.
#[derive(Clone, Debug, Serialize)]
pub struct Read {
    /// The bytes.
    pub bytes: u64,
    /// The time in microseconds.
    pub us: f64,
    /// The origin of the figure, in words.
    pub known: String,
}

/// The times of a program on a GPU, in microseconds.
#[derive(Clone, Debug, Serialize)]
pub struct Time {
    /// The first launch.
    pub first_us: f64,
    /// All launches.
    pub all_us: f64,
    /// The device.
    pub device: String,
}

/// The approximate number of bytes for the steps of the last stage, and for those of all others together.
const ROOM: [usize; 2] = [600_000, 800_000];

impl Document {
    /// The maximum number of results that are listed.
    pub const RESULTS: usize = 256;

    /// Creates an empty document.
    pub fn new(title: impl Into<String>, size: Size) -> Document {
        Document {
            title: title.into(),
            about: Vec::new(),
            size,
            results: Vec::new(),
            checked: false,
            stages: Vec::new(),
            association: None,
            association_of: None,
            group: "group",
            groups: None,
            resources: Vec::new(),
            missing: None,
            read: None,
            notes: Vec::new(),
        }
    }

    /// Returns the report of a specification whose stages run on elements; and the outcome of each stage.
    ///
    /// # Errors
    /// The kernels cannot be made, or the interpreter found a fault.
    pub fn of(
        parsed: &Parsed<Bytes>,
        stages: &[Stage],
        data: &Data,
    ) -> Result<(Document, Vec<Outcome>), Error> {
        let mut document = Document::new(parsed.spec.text.clone(), Size::of(data));
        let mut outcomes = Vec::new();
        for (at, stage) in stages.iter().enumerate() {
            let room = if at + 1 == stages.len() { ROOM[0] } else { ROOM[1] / (stages.len() - 1) };
            let before = document.stages.last().map(|it: &StageView| it.cuda().to_owned());
            let head = (stage.name(), stage::effect(stage.pass));
            let (view, outcome) =
                StageView::of(head, Kernels::Passes(&stage.program), data, before.as_deref(), room)?;
            document.stages.push(view);
            outcomes.push(outcome);
        }
        if let (Some(last), Some(outcome)) = (stages.last(), outcomes.last()) {
            document.finish(parsed, Kernels::Passes(&last.program), data, &outcome.results);
        }
        Ok((document, outcomes))
    }

    /// Returns the report of kernels that no passes make, and their outcome.
    ///
    /// # Errors
    /// The kernels cannot be made; a key is no group; the interpreter found a fault.
    pub fn of_kernels(
        parsed: &Parsed<Bytes>,
        kernels: Kernels<'_>,
        data: &Data,
    ) -> Result<(Document, Outcome), Error> {
        let mut document = Document::new(parsed.spec.text.clone(), Size::of(data));
        let (view, outcome) = StageView::of(stage::head(kernels), kernels, data, None, ROOM[0] + ROOM[1])?;
        document.stages.push(view);
        document.finish(parsed, kernels, data, &outcome.results);
        Ok((document, outcome))
    }

    fn finish(
        &mut self,
        parsed: &Parsed<Bytes>,
        kernels: Kernels<'_>,
        data: &Data,
        results: &[Option<Vec<Value>>],
    ) {
        let n = data.longest();
        self.about = about::about(parsed, kernels, data);
        self.association = (n > 0).then(|| Tree::of(&kernels.association(n), n));
        self.association_of = association_of(data);
        let is_segment = matches!(data.cut, Cutting::Segments(_)) && data.sizes.is_empty();
        self.group = if is_segment { "segment" } else { "group" };
        self.groups.clone_from(&data.groups);
        let output = &kernels.operation().output;
        let shown = |it: &Option<Vec<Value>>| {
            it.as_ref().map_or_else(|| "no result".to_owned(), |it| output.value_text(it))
        };
        self.results = results.iter().take(Document::RESULTS).map(shown).collect();
        self.notes.extend(parsed.notes.iter().map(|note| note.message.clone()));
    }

    /// Returns the document as JSON.
    ///
    /// # Errors
    /// Never: every part has a form in JSON.
    pub fn json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }
}

/// Returns the elements that the association is of, if it is not of all groups.
fn association_of(data: &Data) -> Option<String> {
    match data.cut {
        Cutting::Even => None,
        Cutting::Segments(_) => Some("The longest segment. Each segment has the association that its elements have alone.".to_owned()),
        Cutting::Keys { .. } => Some("All elements. For a group, elements of other groups are absent: a combination with an absent side is the other side.".to_owned()),
    }
}
