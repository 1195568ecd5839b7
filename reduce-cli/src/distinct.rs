//! The groups of keys that stand in any order: one for each different key, in ascending order. A key may be text, or have several columns.

use crate::data::Data;
use crate::failure::Failure;
use reduce_lanes::{Lanes, LanesRef};
use std::collections::HashMap;
use std::hash::Hash;

/// The maximum number of groups: a GPU and the host slow down with more.
const MOST: usize = 1 << 16;

/// A column of keys.
#[derive(Debug)]
pub(crate) struct KeyColumn {
    /// The keys; of text, the place of each in `names`.
    pub(crate) data: Data,
    pub(crate) names: Option<Vec<String>>,
}

/// The keys of groups in one column.
#[derive(Clone, Debug)]
pub(crate) enum GroupKeys {
    Numbers(Lanes),
    Names(Vec<String>),
}

/// The groups of keys.
#[derive(Debug)]
pub(crate) struct Distinct {
    /// The number of the group of each element. It is 0 where a key is absent.
    pub(crate) numbers: Lanes,
    /// The keys of the groups, by column.
    pub(crate) keys: Vec<GroupKeys>,
    /// The number of groups.
    pub(crate) count: usize,
}

/// The parts that a specification needs for keys in any order: the number of groups, and a mask of the elements with a key.
#[derive(Debug)]
pub(crate) struct Numbered {
    /// `None` if the specification has the number.
    pub(crate) count: Option<usize>,
    pub(crate) present: Option<Vec<bool>>,
}

impl Distinct {
    /// Numbers the keys of columns. The first column is the most significant one.
    pub(crate) fn of(columns: &[KeyColumn], present: Option<&[bool]>) -> Result<Distinct, Failure> {
        let mut all: Option<(Vec<u32>, Vec<GroupKeys>)> = None;
        for column in columns {
            let (numbers, keys) = column.number(present)?;
            all = Some(match all {
                None => (numbers, vec![keys]),
                Some(before) => combined(before, (numbers, keys), present, column)?,
            });
        }
        let (numbers, keys) = all.unwrap_or_default();
        let count = keys.first().map_or(0, GroupKeys::len);
        Ok(Distinct { numbers: numbers.into(), keys, count })
    }
}

impl KeyColumn {
    /// Returns the number of each key, and the different keys in ascending order.
    fn number(&self, present: Option<&[bool]>) -> Result<(Vec<u32>, GroupKeys), Failure> {
        macro_rules! numbered {
            ($keys:expr) => {{
                let (numbers, keys) = number(self, $keys, present)?;
                Ok((numbers, GroupKeys::Numbers(keys.into())))
            }};
        }
        match (self.data.lanes()?, &self.names) {
            (LanesRef::U32(places), Some(names)) => {
                let (numbers, places) = number(self, places, present)?;
                Ok((
                    numbers,
                    GroupKeys::Names(places.iter().map(|&place| names[place as usize].clone()).collect()),
                ))
            }
            (LanesRef::Bool(keys), _) => numbered!(keys),
            (LanesRef::I8(keys), _) => numbered!(keys),
            (LanesRef::I16(keys), _) => numbered!(keys),
            (LanesRef::I32(keys), _) => numbered!(keys),
            (LanesRef::I64(keys), _) => numbered!(keys),
            (LanesRef::U8(keys), _) => numbered!(keys),
            (LanesRef::U16(keys), _) => numbered!(keys),
            (LanesRef::U32(keys), None) => numbered!(keys),
            (LanesRef::U64(keys), _) => numbered!(keys),
            (LanesRef::F16(_) | LanesRef::Bf16(_) | LanesRef::F32(_) | LanesRef::F64(_), _) => {
                let (path, ty) = (self.data.path.display(), self.data.ty());
                Err(Failure::request(format!(
                    "{path} holds {ty}, and keys are integers or text; compute one from an input, as in \
                     `by: |x| (x / 50.0) as u32, groups: 4`"
                )))
            }
        }
    }

    fn too_many(&self) -> Failure {
        let (path, ty) = (self.data.path.display(), self.data.ty());
        let first = if self.names.is_some() { "write a number for each, " } else { "" };
        Failure::request(format!(
            "{path} has more than {MOST} keys; {first}sort the file by them, and write `by: {{ key: {ty} }}, groups: runs`"
        ))
    }
}

impl GroupKeys {
    /// Returns the number of groups.
    pub(crate) fn len(&self) -> usize {
        match self {
            GroupKeys::Numbers(keys) => keys.len(),
            GroupKeys::Names(keys) => keys.len(),
        }
    }

    /// Returns the keys at those places.
    fn at(&self, places: impl Iterator<Item = u64>) -> GroupKeys {
        match self {
            GroupKeys::Names(keys) => {
                GroupKeys::Names(places.map(|place| keys[place as usize].clone()).collect())
            }
            GroupKeys::Numbers(keys) => {
                let values: Vec<_> = places.map(|place| keys.get(place as usize)).collect();
                let mut lanes = Lanes::empty(keys.ty());
                lanes.resize(values.len());
                values.into_iter().enumerate().for_each(|(at, value)| lanes.set(at, value));
                GroupKeys::Numbers(lanes)
            }
        }
    }
}

/// Numbers the pairs of keys that occur.
fn combined(
    (first, mut keys): (Vec<u32>, Vec<GroupKeys>),
    (second, more): (Vec<u32>, GroupKeys),
    present: Option<&[bool]>,
    column: &KeyColumn,
) -> Result<(Vec<u32>, Vec<GroupKeys>), Failure> {
    let count = more.len() as u64;
    let pairs: Vec<_> =
        first.iter().zip(&second).map(|(&a, &b)| u64::from(a) * count + u64::from(b)).collect();
    let (numbers, pairs) = number(column, &pairs, present)?;
    keys.iter_mut().for_each(|keys| *keys = keys.at(pairs.iter().map(|pair| pair / count)));
    keys.push(more.at(pairs.iter().map(|pair| pair % count)));
    Ok((numbers, keys))
}

/// Returns the number of each key, and the different keys in ascending order. Absent keys have the number 0.
fn number<T: Copy + Ord + Hash>(
    column: &KeyColumn,
    keys: &[T],
    present: Option<&[bool]>,
) -> Result<(Vec<u32>, Vec<T>), Failure> {
    let is_present = |at: usize| present.is_none_or(|present| present[at]);
    let mut first: HashMap<T, u32> = HashMap::new();
    let mut numbers = Vec::with_capacity(keys.len());
    for (at, &key) in keys.iter().enumerate() {
        let next = first.len() as u32;
        numbers.push(if is_present(at) { *first.entry(key).or_insert(next) } else { 0 });
        if first.len() > MOST {
            return Err(column.too_many());
        }
    }
    let mut sorted: Vec<_> = first.into_iter().collect();
    sorted.sort_unstable();
    let mut places = vec![0; sorted.len()];
    sorted.iter().zip(0..).for_each(|((_, number), place)| places[*number as usize] = place);
    numbers.iter_mut().for_each(|number| *number = places.get(*number as usize).copied().unwrap_or(0));
    if sorted.is_empty() {
        let path = column.data.path.display();
        return Err(Failure::request(format!("{path} has no keys; leave `--by` out")));
    }
    Ok((numbers, sorted.into_iter().map(|(key, _)| key).collect()))
}
