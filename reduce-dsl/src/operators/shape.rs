//! The types of a row: its element types, accumulator and result.

use reduce_ir::Scalar;
use reduce_ir::func::Param;
use reduce_ir::operation::Record;

/// The element types that an operator is defined for.
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

/// The rule for the accumulator's own type `A`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// The type of the elements.
    Own,
    /// A type of the same kind; by default [`Scalar::widened`], and `u64` for `bool`.
    Widened,
    /// As [`Width::Widened`], with 64 bits for integers. For products.
    Product,
    /// As [`Width::Product`], but unsigned. For squares.
    Square,
    /// A float for floats, an unsigned integer for integers; by default, integers get at least 32 bits.
    Magnitude,
    /// As [`Width::Magnitude`], but wide enough for the magnitude of every integer element: a wrapped magnitude
    /// would not be the largest.
    LargestMagnitude,
    /// A float; by default the element type, `f32` for 16-bit floats, and `f64` for integers.
    Float,
    /// A float; by default `f64`. For powers whose quotient is the result.
    Double,
    /// The accumulator does not use `A`.
    Fixed,
}

/// The type of a scalar of an accumulator or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    /// The type of the elements.
    T,
    /// The accumulator's own type.
    A,
    /// A fixed type.
    Is(Scalar),
}

/// The shape of an accumulator or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One scalar.
    Scalar(Ty),
    /// A struct of the library: its name, its type arguments and its fields.
    Struct(&'static str, &'static [Ty], &'static [(&'static str, Ty)]),
}

impl Domain {
    /// Returns whether the domain contains that type.
    pub fn holds(self, ty: Scalar) -> bool {
        match self {
            Domain::All => true,
            Domain::Numbers => ty.is_number(),
            Domain::Floats => ty.is_float(),
            Domain::Bits => !ty.is_float(),
            Domain::Bool => ty == Scalar::Bool,
        }
    }

    /// Returns the words of error messages for the domain.
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
    /// Returns the default `A` for elements of type `ty`.
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

    /// Returns the words of error messages for the types that `A` may have.
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

    /// Returns whether `A` may be `acc` for elements of type `ty`.
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
    /// Returns the scalar type, where `T` is `element` and `A` is `acc`.
    pub fn scalar(self, element: Scalar, acc: Scalar) -> Scalar {
        match self {
            Ty::T => element,
            Ty::A => acc,
            Ty::Is(ty) => ty,
        }
    }
}

impl Shape {
    /// Returns the name of the struct, if the shape is one.
    pub fn name(self) -> Option<&'static str> {
        if let Shape::Struct(name, ..) = self { Some(name) } else { None }
    }

    /// Returns the record of this shape, where `T` is `element` and `A` is `acc`.
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
