//! A column of text, as numbers.

use super::error::{Reason, check_size};
use reduce_ir::Scalar;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// A column of text. Each different text has a number, as keys of groups have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    /// The place of each text in `names`. It is 0 where the text is absent.
    pub numbers: Vec<u32>,
    /// The different texts, in ascending order of their bytes.
    pub names: Vec<String>,
    /// Which texts are present; `None` if all are.
    pub present: Option<Vec<bool>>,
}

/// Numbers texts in the order in which they come.
pub(super) struct Numbering {
    places: RefCell<HashMap<String, u32>>,
    /// The bytes of the different texts, and the most that they may take.
    bytes: Cell<u64>,
    limit: u64,
}

impl Numbering {
    pub(super) fn new(limit: u64) -> Numbering {
        Numbering { places: RefCell::default(), bytes: Cell::default(), limit }
    }

    /// Returns the number of a text; `None`: the texts are larger than the limit.
    pub(super) fn of(&self, text: &str) -> Option<u32> {
        let mut places = self.places.borrow_mut();
        if let Some(&place) = places.get(text) {
            return Some(place);
        }
        self.bytes.set(self.bytes.get() + text.len() as u64);
        let place = u32::try_from(places.len()).ok().filter(|_| self.bytes.get() <= self.limit)?;
        places.insert(text.to_owned(), place);
        Some(place)
    }

    /// Checks that the different texts fit into memory.
    pub(super) fn check_size(&self, column: &str) -> Result<(), Reason> {
        check_size(column, self.bytes.get(), Scalar::U8, self.limit)
    }

    /// Numbers the texts again, in ascending order.
    pub(super) fn into_labels(self, mut numbers: Vec<u32>, present: Option<Vec<bool>>) -> Labels {
        let mut names: Vec<_> = self.places.into_inner().into_iter().collect();
        names.sort_unstable();
        let mut places = vec![0; names.len()];
        names.iter().zip(0..).for_each(|((_, number), place)| places[*number as usize] = place);
        let is_present = |at: usize| present.as_ref().is_none_or(|present| present[at]);
        for (at, number) in numbers.iter_mut().enumerate() {
            *number = if is_present(at) { places[*number as usize] } else { 0 };
        }
        Labels { numbers, names: names.into_iter().map(|(name, _)| name).collect(), present }
    }
}
