//! The groups of keys that stand in any order: one for each different key, in ascending order.

use crate::data::Data;
use crate::failure::Failure;
use reduce_ir::arith::Element;
use reduce_lanes::{Lanes, LanesRef};
use std::collections::HashMap;
use std::hash::Hash;

/// The maximum number of groups: a GPU and the host slow down with more.
const MOST: usize = 1 << 16;

/// The groups of keys.
#[derive(Debug)]
pub(crate) struct Distinct {
    /// The number of the group of each element. It is 0 where the key is absent.
    pub(crate) numbers: Lanes,
    /// The key of each group.
    pub(crate) keys: Lanes,
}

/// The parts that a specification needs for keys in any order: the number of groups, and a mask of the elements with a key.
#[derive(Debug)]
pub(crate) struct Numbered {
    /// `None` if the specification has the number.
    pub(crate) count: Option<usize>,
    pub(crate) present: Option<Vec<bool>>,
}

impl Distinct {
    /// Numbers the keys of a column.
    pub(crate) fn of(data: &Data) -> Result<Distinct, Failure> {
        let present = data.present();
        match data.lanes()? {
            LanesRef::Bool(keys) => number(data, keys, present),
            LanesRef::I8(keys) => number(data, keys, present),
            LanesRef::I16(keys) => number(data, keys, present),
            LanesRef::I32(keys) => number(data, keys, present),
            LanesRef::I64(keys) => number(data, keys, present),
            LanesRef::U8(keys) => number(data, keys, present),
            LanesRef::U16(keys) => number(data, keys, present),
            LanesRef::U32(keys) => number(data, keys, present),
            LanesRef::U64(keys) => number(data, keys, present),
            LanesRef::F16(_) | LanesRef::Bf16(_) | LanesRef::F32(_) | LanesRef::F64(_) => {
                let (path, ty) = (data.path.display(), data.ty());
                Err(Failure::request(format!(
                    "{path} holds {ty}, and keys are integers; compute one from an input, as in \
                     `by: |x| (x / 50.0) as u32, groups: 4`"
                )))
            }
        }
    }
}

fn number<T>(data: &Data, keys: &[T], present: Option<&[bool]>) -> Result<Distinct, Failure>
where
    T: Element + Ord + Hash,
    Lanes: From<Vec<T>>,
{
    let is_present = |at: usize| present.is_none_or(|present| present[at]);
    let mut first: HashMap<T, u32> = HashMap::new();
    let mut numbers = Vec::with_capacity(keys.len());
    for (at, &key) in keys.iter().enumerate() {
        let next = first.len() as u32;
        numbers.push(if is_present(at) { *first.entry(key).or_insert(next) } else { 0 });
        if first.len() > MOST {
            return Err(too_many(data));
        }
    }
    let mut sorted: Vec<_> = first.into_iter().collect();
    sorted.sort_unstable();
    let mut places = vec![0; sorted.len()];
    sorted.iter().zip(0..).for_each(|((_, number), place)| places[*number as usize] = place);
    numbers.iter_mut().for_each(|number| *number = places.get(*number as usize).copied().unwrap_or(0));
    let keys: Vec<_> = sorted.into_iter().map(|(key, _)| key).collect();
    if keys.is_empty() {
        return Err(Failure::request(format!("{} has no keys; leave `--by` out", data.path.display())));
    }
    Ok(Distinct { numbers: numbers.into(), keys: keys.into() })
}

fn too_many(data: &Data) -> Failure {
    let (path, ty) = (data.path.display(), data.ty());
    Failure::request(format!(
        "{path} has more than {MOST} keys; sort the file by them, and write `by: {{ key: {ty} }}, groups: runs`"
    ))
}
