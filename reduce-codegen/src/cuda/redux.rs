//! The combination of a warp's accumulators by `redux.sync`, in C++.

use super::func::INLINE;
use super::types::{record, scalar};
use reduce_ir::Scalar;
use reduce_ir::operation::Record;
use reduce_ir::ops::Bin;
use reduce_ir::redux::{Part, Redux, Sought, order};
use std::collections::BTreeSet;

/// Returns the function `redux`, after the functions that it calls. `some_lanes` says whether only some lanes hold an
/// accumulator.
pub(super) fn functions(redux: &Redux, acc: &Record, some_lanes: bool) -> String {
    let printer = Printer { acc, some_lanes };
    let floats = redux.parts.iter().map(|part| match *part {
        Part::Field(field, _) | Part::Sought(Sought { value: field, .. }) => acc.fields[field].ty,
    });
    let floats: BTreeSet<_> = floats.filter(|ty| ty.is_float()).collect();
    let orders: String = floats.into_iter().map(orders).collect();
    orders + &printer.function(redux)
}

/// Returns the functions from a float to an integer, and back.
fn orders(ty: Scalar) -> String {
    let c = scalar(ty);
    let (bits, float) = if ty.is_half() {
        ("(short)a", ["(unsigned short)(", ")"])
    } else {
        ("__float_as_int(a)", ["__int_as_float(", ")"])
    };
    let infinity = match (ty == Scalar::F16, ty.is_half()) {
        (true, _) => "0x7c00",
        (false, true) => "0x7f80",
        (false, false) => "0x7f800000",
    };
    let (rest, [begin, end]) = (hex(order::greatest(ty)), float);
    format!(
        "
// Floats as integers in the same order, where `nan` stands for every NaN.
{INLINE} int order_{ty}({c} a, int nan)
{{
    const int bits = {bits};
    return (bits & {rest}) > {infinity} ? nan : bits ^ (bits >> 31 & {rest});
}}

{INLINE} {c} of_order_{ty}(int order)
{{
    return {begin}order ^ (order >> 31 & {rest}){end};
}}
"
    )
}

struct Printer<'a> {
    acc: &'a Record,
    some_lanes: bool,
}

impl Printer<'_> {
    fn function(&self, redux: &Redux) -> String {
        let (name, mut body) = (record(self.acc), String::new());
        let mut fields = vec![String::new(); self.acc.fields.len()];
        for part in &redux.parts {
            match *part {
                Part::Field(field, op) => fields[field] = self.field(field, op),
                Part::Sought(best) => {
                    body += &self.ranks(best);
                    fields[best.value] = self.of_rank(best);
                    let (op, position) = (word(best.place), self.name(best.position));
                    fields[best.position] = format!("__reduce_{op}_sync(0xffffffff, {position}_rank)");
                }
            }
        }
        let all = fields.join(", ");
        let all = if self.acc.is_scalar() { all } else { format!("{name}{{{all}}}") };
        let (there, absent) = match self.some_lanes {
            true => (", bool there", " A thread without an item takes part with the worst value."),
            false => ("", ""),
        };
        format!(
            "
// The combination of the accumulators of a warp, in every thread: the hardware reduces 32 integers (sm_80).{absent}
{INLINE} {name} redux({name} acc{there})
{{
{body}    return {all};
}}
"
        )
    }

    /// Prints a field that is reduced by itself.
    fn field(&self, field: usize, op: Bin) -> String {
        let (ty, value) = (self.acc.fields[field].ty, self.value(field));
        let reduced = |value: String| format!("__reduce_{}_sync(0xffffffff, {value})", word(op));
        if ty.is_float() {
            let order = format!("order_{ty}({value}, {})", hex(order::of_nan(ty, op)));
            return format!("of_order_{ty}({})", reduced(self.if_there(order, worst(ty, op))));
        }
        let as_bits = matches!(op, Bin::And | Bin::Or | Bin::Xor);
        let integer = if ty.is_signed() && !as_bits { "int" } else { "unsigned int" };
        let cast = |to: &str, from: &str, value: String| {
            if to == from { value } else { format!("({to}){value}") }
        };
        let neutral = match op {
            Bin::Add | Bin::Or | Bin::Xor => "0".to_owned(),
            Bin::And => "0xffffffff".to_owned(),
            Bin::Min | Bin::Max | Bin::MinNum | Bin::MaxNum => worst(ty, op),
            // `redux.sync` does not reduce by these.
            Bin::Sub | Bin::Mul | Bin::Div | Bin::Rem | Bin::Shl | Bin::Shr => "0".to_owned(),
            Bin::Powf | Bin::Hypot | Bin::Atan2 => "0".to_owned(),
        };
        let value = self.if_there(cast(integer, scalar(ty), value), neutral);
        cast(scalar(ty), integer, reduced(value))
    }

    /// Prints the rank of a value, the best rank, and the rank of a position.
    fn ranks(&self, best: Sought) -> String {
        let Sought { value, position, op, place } = best;
        let ty = self.acc.fields[value].ty;
        let [value_name, position_name] = [value, position].map(|field| self.name(field));
        let integer = if ty.is_unsigned() { "unsigned int" } else { "int" };
        let mut text = String::new();
        let mut rank = self.value(value);
        if ty.is_float() {
            let nan = hex(order::of_nan(ty, op));
            text += &format!("    const int {value_name}_order = order_{ty}({rank}, {nan});\n");
            // The order of −0 is -1. It counts as 0, so that positions decide between equal values.
            rank = format!("{value_name}_order == -1 ? 0 : {value_name}_order");
        }
        let rank = self.if_there(rank, worst(ty, op));
        let last = if place == Bin::Max { "0" } else { "0xffffffff" };
        let (wins, there) = (word(op), if self.some_lanes { "there && " } else { "" });
        text + &format!(
            "    const {integer} {value_name}_rank = {rank};
    const {integer} {value_name}_best = __reduce_{wins}_sync(0xffffffff, {value_name}_rank);
    const unsigned int {position_name}_rank = {there}{value_name}_rank == {value_name}_best ? {} : {last};
",
            self.value(position)
        )
    }

    /// Returns the value that has the best rank.
    fn of_rank(&self, best: Sought) -> String {
        let (ty, name) = (self.acc.fields[best.value].ty, self.name(best.value));
        if [Scalar::I32, Scalar::U32].contains(&ty) {
            format!("{name}_best")
        } else if ty.is_float() {
            format!("of_order_{ty}({name}_best)")
        } else {
            format!("({}){name}_best", scalar(ty))
        }
    }

    fn if_there(&self, value: String, otherwise: String) -> String {
        let value = if value.contains(" ? ") && self.some_lanes { format!("({value})") } else { value };
        if self.some_lanes { format!("there ? {value} : {otherwise}") } else { value }
    }

    fn name(&self, field: usize) -> &str {
        &self.acc.fields[field].name
    }

    fn value(&self, field: usize) -> String {
        if self.acc.is_scalar() { "acc".to_owned() } else { format!("acc.{}", self.name(field)) }
    }
}

/// Returns the value that loses against every other.
fn worst(ty: Scalar, op: Bin) -> String {
    let least = matches!(op, Bin::Max | Bin::MaxNum);
    match (ty.is_unsigned(), least) {
        (true, true) => "0".to_owned(),
        (true, false) => "0xffffffff".to_owned(),
        (false, true) => hex(-1 - order::greatest(Scalar::I32)),
        (false, false) => hex(order::greatest(Scalar::I32)),
    }
}

/// Returns an `int` literal of C++.
fn hex(value: i64) -> String {
    if value < 0 { format!("~{:#x}", !value) } else { format!("{value:#x}") }
}

fn word(op: Bin) -> &'static str {
    match op {
        Bin::Min | Bin::MinNum => "min",
        Bin::Max | Bin::MaxNum => "max",
        Bin::And => "and",
        Bin::Or => "or",
        Bin::Xor => "xor",
        Bin::Add | Bin::Sub | Bin::Mul | Bin::Div | Bin::Rem | Bin::Shl | Bin::Shr => "add",
        Bin::Powf | Bin::Hypot | Bin::Atan2 => "add",
    }
}
