//! The types of a row: which elements it takes, and what its accumulator and result are made of.

use reduce_ir::Scalar;
use reduce_ir::func::Param;
use reduce_ir::operation::Record;

/// The element types an operator is defined for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Floats, integers and `bool`.
    All,
    /// Floats and integers.
    Numbers,
    /// Floats.
    Floats,
    /// Integers and `bool`.
    Bits,
    /// `bool`.
    Bool,
}

/// What the accumulator's own type `A` may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// The type of the elements.
    Own,
    /// A type of the same kind; if none is asked for, [`Scalar::widened`], and of `bool` `u64`.
    Widened,
    /// As [`Width::Widened`], and of integers with 64 bits: for products.
    Product,
    /// As [`Width::Product`], and unsigned: for squares.
    Square,
    /// Of floats a float; of integers an unsigned one, of at least 32 bits if none is asked for.
    Magnitude,
    /// As [`Width::Magnitude`], and of integers wide enough for the magnitude of each: of those that wrap, none is the
    /// largest.
    LargestMagnitude,
    /// A float; if none is asked for, that of the elements, `f32` for 16-bit ones, `f64` for integers.
    Float,
    /// A float; if none is asked for, `f64`: for powers whose quotient is the result.
    Double,
    /// It has none.
    Fixed,
}

/// A scalar of an accumulator or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    /// The type of the elements.
    T,
    /// The accumulator's own type.
    A,
    /// That type, whatever the elements are.
    Is(Scalar),
}

/// An accumulator or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A scalar.
    Scalar(Ty),
    /// A struct of the library: its name, its type arguments, its fields.
    Struct(&'static str, &'static [Ty], &'static [(&'static str, Ty)]),
}

impl Domain {
    /// Does it contain that type?
    pub fn holds(self, ty: Scalar) -> bool {
        match self {
            Domain::All => true,
            Domain::Numbers => ty.is_number(),
            Domain::Floats => ty.is_float(),
            Domain::Bits => !ty.is_float(),
            Domain::Bool => ty == Scalar::Bool,
        }
    }

    /// The words for it.
    pub fn text(self) -> &'static str {
        match self {
            Domain::All => "numbers and bool",
            Domain::Numbers => "numbers",
            Domain::Floats => "floats",
            Domain::Bits => "integers and bool",
            Domain::Bool => "bool",
        }
    }
}

impl Width {
    /// `A` for elements of type `ty`, if the user asks for nothing else.
    pub fn of(self, ty: Scalar) -> Scalar {
        match self {
            Width::Own | Width::Fixed => ty,
            Width::Double => Scalar::F64,
            Width::Float if !ty.is_float() => Scalar::F64,
            _ if ty.is_float() => ty.widened(),
            Width::Widened if ty == Scalar::Bool => Scalar::U64,
            Width::Widened | Width::Float => ty.widened(),
            Width::Product if ty.is_signed() => Scalar::I64,
            Width::Product | Width::Square => Scalar::U64,
            Width::Magnitude | Width::LargestMagnitude => ty.widened().bits_type(),
        }
    }

    /// The words for what `A` may be for elements of type `ty`.
    pub fn text(self, ty: Scalar) -> &'static str {
        match self {
            Width::Own => "the type of its elements",
            Width::Fixed => "a type of its own",
            Width::Float | Width::Double => "f32 or f64",
            _ if ty.is_float() => "f32 or f64",
            Width::Widened | Width::Product => "an integer",
            Width::Magnitude | Width::Square => "an unsigned integer",
            Width::LargestMagnitude => match ty.size() {
                1 => "an unsigned integer",
                2 => "an unsigned integer of at least 16 bits",
                4 => "u32 or u64",
                _ => "u64",
            },
        }
    }

    /// May `A` be `acc` for elements of type `ty`?
    pub fn takes(self, ty: Scalar, acc: Scalar) -> bool {
        match self {
            Width::Own => acc == ty,
            Width::Fixed => false,
            Width::Float | Width::Double => is_full_float(acc),
            _ if ty.is_float() => is_full_float(acc),
            Width::Widened | Width::Product => acc.is_integer(),
            Width::Magnitude | Width::Square => acc.is_unsigned(),
            Width::LargestMagnitude => acc.is_unsigned() && acc.size() >= ty.size(),
        }
    }
}

fn is_full_float(ty: Scalar) -> bool {
    ty.is_float() && !ty.is_half()
}

impl Ty {
    /// The scalar that it is.
    pub fn scalar(self, element: Scalar, acc: Scalar) -> Scalar {
        match self {
            Ty::T => element,
            Ty::A => acc,
            Ty::Is(ty) => ty,
        }
    }
}

impl Shape {
    /// The name of the struct that it is.
    pub fn name(self) -> Option<&'static str> {
        if let Shape::Struct(name, ..) = self { Some(name) } else { None }
    }

    /// The accumulator or result that it is, where `T` is `element` and `A` is `acc`.
    pub fn record(self, element: Scalar, acc: Scalar) -> Record {
        let scalar = |ty: &Ty| ty.scalar(element, acc);
        match self {
            Shape::Scalar(ty) => Record::scalar(scalar(&ty)),
            Shape::Struct(name, generics, fields) => Record {
                name: Some(name.to_owned()),
                generics: Some(generics.iter().map(scalar).collect()),
                fields: fields.iter().map(|(name, ty)| Param::new(*name, scalar(ty))).collect(),
            },
        }
    }
}
