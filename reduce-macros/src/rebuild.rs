//! Specifications as tokens of an expression that rebuilds them, with one impl for each type.

mod shape;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use reduce_ir::func::{Func, Id, Line, Node, Param};
use reduce_ir::operation::{Measure, Measures, Nothing, Operation, Order, Record, Search};
use reduce_ir::ops::{Bin, Cmp, Un};
use reduce_ir::pass::{Argument, Pass};
use reduce_ir::spec::Passes;
use reduce_ir::{Scalar, Spec, Value};

/// A value that can be written as an expression that rebuilds it.
pub(crate) trait Rebuild {
    /// Returns the expression. All its paths start at `__reducegen::__private` (`facade`).
    fn rebuild(&self) -> TokenStream;
}

impl Rebuild for Spec {
    fn rebuild(&self) -> TokenStream {
        let Spec { operation, domain, axes, defaults, text, block, passes } = self;
        let [operation, domain, text] = [operation.rebuild(), domain.rebuild(), text.rebuild()];
        let [axes, block, defaults] = [axes.rebuild(), block.rebuild(), defaults.rebuild()];
        let passes = passes.rebuild();
        quote!(__reducegen::__private::Spec {
            operation: #operation,
            domain: #domain,
            axes: #axes,
            defaults: #defaults,
            text: #text,
            block: #block,
            passes: #passes,
        })
    }
}

impl Rebuild for Measures {
    fn rebuild(&self) -> TokenStream {
        let [group, params] = [self.group.rebuild(), self.params.rebuild()];
        quote!(__reducegen::__private::Measures { group: #group, params: #params })
    }
}

impl Rebuild for Measure {
    fn rebuild(&self) -> TokenStream {
        let measure = quote!(__reducegen::__private::Measure);
        match self {
            Measure::Length(axis) => quote!(#measure::Length(#axis)),
            Measure::Inner(axis) => quote!(#measure::Inner(#axis)),
        }
    }
}

impl Rebuild for Operation {
    fn rebuild(&self) -> TokenStream {
        let Operation {
            name,
            inputs,
            params,
            measures,
            index,
            position,
            key,
            map,
            acc,
            combine,
            fold,
            identity,
            fill,
            commutative,
            exact,
            named,
            searches,
            order,
            finish,
            output,
            empty,
            nothing,
            asserts,
        } = self;
        let [name, index] = [name, index].map(Rebuild::rebuild);
        let [inputs, params] = [inputs, params].map(Rebuild::rebuild);
        let measures = measures.rebuild();
        let [map, combine, finish] = [map, combine, finish].map(Rebuild::rebuild);
        let [identity, fill, empty] = [identity, fill, empty].map(Rebuild::rebuild);
        let [acc, output] = [acc, output].map(Rebuild::rebuild);
        let [order, key, fold] = [order.rebuild(), key.rebuild(), fold.rebuild()];
        let position = position.rebuild();
        let [searches, nothing] = [searches.rebuild(), nothing.rebuild()];
        quote!(__reducegen::__private::Operation {
            name: #name,
            inputs: #inputs,
            params: #params,
            measures: #measures,
            index: #index,
            position: #position,
            key: #key,
            map: #map,
            acc: #acc,
            combine: #combine,
            fold: #fold,
            identity: #identity,
            fill: #fill,
            commutative: #commutative,
            exact: #exact,
            named: #named,
            searches: #searches,
            order: #order,
            finish: #finish,
            output: #output,
            empty: #empty,
            nothing: #nothing,
            asserts: #asserts,
        })
    }
}

impl Rebuild for Nothing {
    fn rebuild(&self) -> TokenStream {
        let nothing = quote!(__reducegen::__private::Nothing);
        match self {
            Nothing::Scalar(value) => {
                let value = value.rebuild();
                quote!(#nothing::Scalar(#value))
            }
            Nothing::Flag => quote!(#nothing::Flag),
        }
    }
}

impl Rebuild for Search {
    fn rebuild(&self) -> TokenStream {
        let Search { field, position, place, best } = self;
        let [place, best] = [place.rebuild(), best.rebuild()];
        quote!(__reducegen::__private::Search {
            field: #field,
            position: #position,
            place: #place,
            best: #best,
        })
    }
}

impl Rebuild for Func {
    fn rebuild(&self) -> TokenStream {
        let [params, lines, results] =
            [self.params().rebuild(), self.lines().rebuild(), self.results().rebuild()];
        quote!(__reducegen::__private::Func::from_parts(#params, #lines, #results))
    }
}

impl Rebuild for Line {
    fn rebuild(&self) -> TokenStream {
        let [node, ty, name] = [self.node.rebuild(), self.ty.rebuild(), self.name.rebuild()];
        quote!(__reducegen::__private::Line { node: #node, ty: #ty, name: #name })
    }
}

impl Rebuild for Node {
    fn rebuild(&self) -> TokenStream {
        let node = quote!(__reducegen::__private::Node);
        let ids = self.operands().map(|id| id.rebuild());
        match self {
            Node::Const(value) => {
                let value = value.rebuild();
                quote!(#node::Const(#value))
            }
            Node::Un(op, _) => {
                let op = op.rebuild();
                quote!(#node::Un(#op #(, #ids)*))
            }
            Node::Bin(op, ..) => {
                let op = op.rebuild();
                quote!(#node::Bin(#op #(, #ids)*))
            }
            Node::Cmp(op, ..) => {
                let op = op.rebuild();
                quote!(#node::Cmp(#op #(, #ids)*))
            }
            Node::Select(..) => quote!(#node::Select(#(#ids),*)),
            Node::Cast(ty, _) => {
                let ty = ty.rebuild();
                quote!(#node::Cast(#ty #(, #ids)*))
            }
            Node::MulAdd(..) => quote!(#node::MulAdd(#(#ids),*)),
        }
    }
}

impl Rebuild for Id {
    fn rebuild(&self) -> TokenStream {
        let Id(position) = self;
        quote!(__reducegen::__private::Id(#position))
    }
}

impl Rebuild for Param {
    fn rebuild(&self) -> TokenStream {
        let (name, ty) = (&self.name, self.ty.rebuild());
        quote!(__reducegen::__private::Param::new(#name, #ty))
    }
}

impl Rebuild for Record {
    fn rebuild(&self) -> TokenStream {
        let [name, generics] = [self.name.rebuild(), self.generics.rebuild()];
        let fields = self.fields.rebuild();
        quote!(__reducegen::__private::Record { name: #name, generics: #generics, fields: #fields })
    }
}

impl Rebuild for Value {
    fn rebuild(&self) -> TokenStream {
        let (ty, bits) = (self.ty().rebuild(), self.bits());
        quote!(__reducegen::__private::Value::from_bits(#ty, #bits))
    }
}

impl Rebuild for Passes {
    fn rebuild(&self) -> TokenStream {
        match self {
            Passes::Auto => quote!(__reducegen::__private::Passes::Auto),
            Passes::List(passes) => {
                let passes = passes.rebuild();
                quote!(__reducegen::__private::Passes::List(#passes))
            }
        }
    }
}

impl Rebuild for Pass {
    fn rebuild(&self) -> TokenStream {
        let (name, argument) = (self.name, self.argument.rebuild());
        quote!(__reducegen::__private::Pass { name: #name, argument: #argument })
    }
}

impl Rebuild for Argument {
    fn rebuild(&self) -> TokenStream {
        match self {
            Argument::Number(number) => quote!(__reducegen::__private::Argument::Number(#number)),
            Argument::Word(word) => quote!(__reducegen::__private::Argument::Word(#word)),
        }
    }
}

/// Implements the trait for enums without data, whose `Debug` output is the variant.
macro_rules! rebuild_plain {
    ($($name:ident),*) => {
        $(impl Rebuild for $name {
            fn rebuild(&self) -> TokenStream {
                let variant = format_ident!("{self:?}");
                quote!(__reducegen::__private::$name::#variant)
            }
        })*
    };
}

rebuild_plain!(Scalar, Un, Bin, Cmp, Order);

impl Rebuild for String {
    fn rebuild(&self) -> TokenStream {
        quote!(<__reducegen::__private::String as ::core::convert::From<_>>::from(#self))
    }
}

/// Implements the trait for numbers, which are literals.
macro_rules! rebuild_number {
    ($($name:ident),*) => {
        $(impl Rebuild for $name {
            fn rebuild(&self) -> TokenStream {
                quote!(#self)
            }
        })*
    };
}

rebuild_number!(u32, u64, usize);

impl<T: Rebuild> Rebuild for Option<T> {
    fn rebuild(&self) -> TokenStream {
        match self {
            Some(value) => {
                let value = value.rebuild();
                quote!(::core::option::Option::Some(#value))
            }
            None => quote!(::core::option::Option::None),
        }
    }
}

impl<T: Rebuild> Rebuild for [T] {
    fn rebuild(&self) -> TokenStream {
        let items = self.iter().map(Rebuild::rebuild);
        quote!(<__reducegen::__private::Vec<_> as ::core::convert::From<[_; _]>>::from([#(#items),*]))
    }
}

impl<T: Rebuild> Rebuild for Vec<T> {
    fn rebuild(&self) -> TokenStream {
        self.as_slice().rebuild()
    }
}
