//! Names of inputs, params and the index in kernels: the user's names, with the prefix `in_` where a name would have
//! another meaning there.

use reduce_ir::Scalar;
use reduce_ir::func::{Func, FuncBuilder, Param};
use reduce_ir::keywords::{is_of_cuda, is_taken};
use reduce_ir::operation::{Argument, Measures, Operation};

/// The prefix. No other name in a kernel begins with it.
const BEFORE: &str = "in_";

/// Returns the same operation with names that are free in kernels.
pub(crate) fn in_kernels(operation: &Operation) -> Operation {
    let mut taken = Taken { words: fixed(operation), inputs: Vec::new() };
    let inputs: Vec<_> = operation.inputs.iter().map(|it| taken.input(it)).collect();
    let params: Vec<_> = operation.params.iter().map(|it| taken.named(it, is_taken)).collect();
    // The index is a parameter of functions, but never of a kernel.
    let index =
        taken.named(&Param::new(&operation.index, operation.argument_type(Argument::Index)), is_of_cuda);
    let group = match &operation.measures.group {
        none if none.is_empty() => Param::new("", Scalar::U64),
        name => taken.named(&Param::new(name, Scalar::U64), is_of_cuda),
    };
    let measures = Measures { group: group.name.clone(), ..operation.measures.clone() };
    if (&inputs, &params, &index.name, &measures)
        == (&operation.inputs, &operation.params, &operation.index, &operation.measures)
    {
        return operation.clone();
    }
    let argument = |(param, given): (&Param, Argument)| match given {
        Argument::Input(input) => inputs[input].clone(),
        Argument::Param(param) => params[param].clone(),
        Argument::Index => index.clone(),
        Argument::Group => group.clone(),
        Argument::Acc(_) | Argument::Step | Argument::Count => param.clone(),
    };
    let renamed = |func: &Func, given: Vec<Argument>| {
        with_params(func, func.params().iter().zip(given).map(argument).collect())
    };
    let fold = operation.fold.as_ref().zip(operation.fold_arguments());
    Operation {
        key: operation.key.as_ref().map(|key| renamed(key, operation.key_arguments())),
        map: renamed(&operation.map, operation.map_arguments()),
        fold: fold.map(|(fold, given)| renamed(fold, given)),
        finish: renamed(&operation.finish, operation.finish_arguments()),
        inputs: inputs.clone(),
        params: params.clone(),
        index: index.name.clone(),
        measures,
        ..operation.clone()
    }
}

/// Returns the names that stay: structs, and the accumulators that functions take.
fn fixed(operation: &Operation) -> Vec<String> {
    let stored = operation.stored();
    let structs = [&operation.acc, &stored].into_iter().filter_map(|record| record.name.as_ref());
    let structs = structs.cloned();
    let functions = operation.fold.iter().chain([&operation.finish]);
    let accs = functions.flat_map(|func| func.params().iter().take(operation.acc.fields.len()));
    let of_accs = accs.filter_map(|param| param.name.split('.').next()).map(str::to_owned);
    structs.chain(of_accs).collect()
}

/// Returns the same function with other parameter names.
fn with_params(func: &Func, params: Vec<Param>) -> Func {
    let mut f = FuncBuilder::new(params);
    let given = f.params();
    f.call(func, &given).map_or_else(|_| func.clone(), |results| f.build(results))
}

/// Names that are taken.
struct Taken {
    words: Vec<String>,
    /// Names of inputs. Kernels call the values read from an input by its name, followed by `_` and more.
    inputs: Vec<String>,
}

impl Taken {
    fn input(&mut self, input: &Param) -> Param {
        let param = self.named(input, is_taken);
        self.inputs.push(param.name.clone());
        param
    }

    /// Returns the parameter under a free name.
    fn named(&mut self, param: &Param, has_meaning: fn(&str) -> bool) -> Param {
        let mut name = param.name.clone();
        // Macros of the headers that nvcc includes have names in upper case.
        let is_macro = |name: &str| name.len() > 1 && name == name.to_uppercase();
        while self.has(&name) || is_macro(&name) || has_meaning(&name) && !name.starts_with(BEFORE) {
            name.insert_str(0, BEFORE);
        }
        self.words.push(name.clone());
        Param::new(name, param.ty)
    }

    /// Returns whether the name is taken, or may be the name of a value read from an input.
    fn has(&self, name: &str) -> bool {
        let reads =
            |input: &str, other: &str| other.strip_prefix(input).is_some_and(|rest| rest.starts_with('_'));
        self.words.iter().any(|word| word == name || reads(name, word))
            || self.inputs.iter().any(|input| reads(input, name))
    }
}
