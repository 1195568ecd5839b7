//! Operations on elements with keys: the key is the number of the element's group.

use super::Operation;
use crate::func::{Func, FuncBuilder, Param};
use crate::ops::{Bin, TypeError};
use crate::{Scalar, Value};

impl Operation {
    /// Returns the operation with an input for the keys, after the others, if their type is `given`. Its key is of type `u32`: the number of
    /// the element's group, or 2^31 or more for a key that is no group. Accumulators of no element are the identity, if there is one, as
    /// those of elements that a filter leaves out: the sum of a group is never −0.
    ///
    /// # Errors
    /// The key is not an integer.
    pub fn keyed(self, given: Option<Scalar>) -> Result<Operation, TypeError> {
        let fill = self.identity.clone().or(self.fill.clone());
        let Some(ty) = given else {
            let key = self.key.as_ref().map(numbered).transpose()?;
            return Ok(Operation { key, fill, ..self });
        };
        let names = self.inputs.iter().chain(&self.params).map(|it| it.name.as_str());
        let taken: Vec<_> = names.chain([self.index.as_str()]).collect();
        let name = (1..).map(|number| if number == 1 { "key".to_owned() } else { format!("key{number}") });
        let name = name.into_iter().find(|name| !taken.contains(&name.as_str()));
        let key = Param::new(name.unwrap_or_default(), ty);
        let inputs = [&self.inputs[..], &[key]].concat();
        let f = FuncBuilder::new(inputs.clone());
        let last = f.params()[inputs.len() - 1];
        let func = numbered(&f.build(vec![last]))?;
        let (accs, before) = (self.acc.fields.len(), self.inputs.len());
        let with_key = |func: &Func, at: usize| inserted(func, at, &inputs[before]);
        Ok(Operation {
            map: with_key(&self.map, before)?,
            fold: self.fold.as_ref().map(|fold| with_key(fold, accs + before)).transpose()?,
            key: Some(func),
            fill,
            inputs,
            ..self
        })
    }
}

/// Returns the function with its result as the number of a group.
fn numbered(key: &Func) -> Result<Func, TypeError> {
    let mut f = FuncBuilder::new(key.params().to_vec());
    let result = f.call(key, &f.params())?[0];
    let number = match f.ty(result) {
        Scalar::I64 | Scalar::U64 => {
            let wide = f.cast(Scalar::U64, result)?;
            let most = f.constant(Value::of(u64::from(u32::MAX)));
            let least = f.bin(Bin::Min, wide, most)?;
            f.cast(Scalar::U32, least)?
        }
        Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::I32 => f.cast(Scalar::U32, result)?,
        Scalar::U8 | Scalar::U16 | Scalar::U32 => f.cast(Scalar::U32, result)?,
        Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64 => f.cast(Scalar::U32, result)?,
    };
    Ok(f.build(vec![number]))
}

/// Returns the function with another parameter, which it does not use.
fn inserted(func: &Func, at: usize, param: &Param) -> Result<Func, TypeError> {
    let mut params = func.params().to_vec();
    params.insert(at, param.clone());
    let mut f = FuncBuilder::new(params);
    let mut given = f.params();
    given.remove(at);
    let results = f.call(func, &given)?;
    Ok(f.build(results))
}

#[cfg(test)]
mod tests {
    use super::numbered;
    use crate::func::{FuncBuilder, Param};
    use crate::{Scalar, Value};

    fn number(key: Value) -> Option<Value> {
        let f = FuncBuilder::new(vec![Param::new("key", key.ty())]);
        let all = f.params();
        numbered(&f.build(all)).ok()?.evaluate(&[key]).ok()?.first().copied()
    }

    #[test]
    fn a_key_outside_is_no_group() {
        assert_eq!(number(Value::of(7u8)), Some(Value::of(7u32)));
        assert_eq!(number(Value::of(u64::MAX)), Some(Value::of(u32::MAX)));
        assert_eq!(number(Value::of(1u64 << 32)), Some(Value::of(u32::MAX)));
        let negative =
            [Value::of(-1i8), Value::of(-1i16), Value::of(-1i32), Value::of(-1i64), Value::of(i64::MIN)];
        for key in negative {
            assert!(number(key).is_some_and(|it| it.ty() == Scalar::U32 && it.bits() >= 1 << 31), "{key}");
        }
    }
}
