//! Random specifications as text: every field, type, method and operator, made so that the laws hold.
//!
//! The text is written from a scope of typed names, so that it is well typed by construction. Associative operations come
//! from tables of scalar operations ([`field_op`]) and of accumulator forms ([`form`]).

mod along;
mod axes;
mod closures;
mod control;
mod empty;
mod field_op;
mod form;
mod literal;
mod methods;
mod named;
mod names;
mod schedule;
mod value;

pub use schedule::Scheduled;

use crate::choices::Choices;
use along::ByPosition;
use reduce_dsl::parse;
use reduce_ir::pass::Pass;
use std::fmt::Write;

/// A specification: its fields in the order of the text, without the schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RandomSpec {
    /// Fields with their values, as in `ty: f32`.
    pub fields: Vec<String>,
    /// Threads per block, if the specification states them.
    pub block: Option<u32>,
    /// The passes, which may include refused ones; `None` is `auto`.
    pub passes: Option<Vec<Pass>>,
    /// A filter by positions along axes, which is one of the fields.
    along: Option<ByPosition>,
}

impl RandomSpec {
    /// Creates the specification of a seed.
    pub fn of_seed(seed: u64) -> RandomSpec {
        RandomSpec::new(&mut Choices::of_seed(seed))
    }

    /// Creates the specification of these choices.
    pub fn new(choices: &mut Choices<'_>) -> RandomSpec {
        let mut fields = if choices.once_in(4) { named::fields(choices) } else { closures::fields(choices) };
        fields.extend(options(choices));
        if choices.once_in(5) {
            fields.extend(empty::field(choices, &fields));
        }
        if choices.once_in(2) {
            choices.shuffle(&mut fields);
        }
        let (block, passes) = schedule::random(choices);
        RandomSpec { fields, block, passes, along: None }
    }

    /// Creates the specification of a seed, with `axes` or `segments`. Returns `None` if the parser refuses the fields.
    pub fn with_axes(seed: u64) -> Option<RandomSpec> {
        let choices = &mut Choices::of_seed(seed);
        let mut random = RandomSpec::new(choices);
        // With axes, inputs have any strides.
        random.fields.retain(|field| field != "layout: strided");
        let axes = axes::field(choices, &random.fields)?;
        random.fields.insert(choices.below(random.fields.len() + 1), axes.clone());
        if choices.once_in(3) {
            random.filter_by_position(choices, &axes);
        }
        if let Some(passes) = random.passes.as_mut().filter(|_| choices.once_in(3)) {
            schedule::add_team(choices, &mut random.block, passes);
        }
        Some(random)
    }

    /// Adds a filter by the positions along axes, if the parser accepts it.
    fn filter_by_position(&mut self, choices: &mut Choices<'_>, axes: &str) {
        let Ok(parsed) = parse::text(&self.fields.join(", "), None) else { return };
        let inputs: Vec<_> = parsed.spec.operation.inputs.iter().map(|input| input.name.clone()).collect();
        let others: Vec<_> = self.fields.iter().filter(|field| *field != axes).cloned().collect();
        let Some(by) = ByPosition::new(choices, &others, &inputs, axes) else { return };
        let fields = [&self.fields[..], &[by.named()]].concat();
        if parse::text(&fields.join(", "), None).is_ok() {
            (self.fields, self.along) = (fields, Some(by));
        }
    }

    /// Returns the same specification for one group: without axes, and without the pass for several groups. Positions along axes
    /// are computed from params: the number of the group, and the length and the inner length of each axis.
    #[must_use]
    pub fn alone(&self) -> RandomSpec {
        let is_of_axes = |field: &String| field.starts_with("axes: ") || field.starts_with("segments: ");
        let mut fields: Vec<_> = self.fields.iter().filter(|field| !is_of_axes(field)).cloned().collect();
        if let Some(by) = &self.along {
            fields.retain(|field| *field != by.named());
            fields = by.alone(&fields);
        }
        let alone =
            |passes: &Vec<Pass>| passes.iter().filter(|pass| pass.name != "beside").copied().collect();
        RandomSpec { fields, block: self.block, passes: self.passes.as_ref().map(alone), along: None }
    }

    /// Returns the fields and the schedule as text.
    pub fn text(&self) -> String {
        let mut text = self.fields.join(", ");
        if let Some(block) = self.block {
            let _ = write!(text, ", block: {block}");
        }
        text + &schedule::passes(self.passes.as_deref())
    }
}

/// Chooses among the fields that every specification may have.
fn options(choices: &mut Choices<'_>) -> Vec<String> {
    let mut fields = Vec::new();
    if choices.once_in(10) {
        fields.push("order: any".to_owned());
    }
    if choices.once_in(10) {
        fields.push("layout: strided".to_owned());
    }
    fields
}
