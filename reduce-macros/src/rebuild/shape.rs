//! Domains, axes and cuts.

use super::Rebuild;
use proc_macro2::TokenStream;
use quote::quote;
use reduce_ir::axes::{Axes, Axis, Cut, Kept, Keys, Others, Pattern};
use reduce_ir::{Access, Beside, Domain};

impl Rebuild for Domain {
    fn rebuild(&self) -> TokenStream {
        let (kept, access) = (self.kept, self.access.rebuild());
        quote!(__reducegen::__private::Domain { kept: #kept, access: #access })
    }
}

impl Rebuild for Access {
    fn rebuild(&self) -> TokenStream {
        let access = quote!(__reducegen::__private::Access);
        match self {
            Access::Contiguous => quote!(#access::Contiguous),
            Access::Adjacent => quote!(#access::Adjacent),
            Access::Strided { reduced, beside } => {
                let beside = beside.rebuild();
                quote!(#access::Strided { reduced: #reduced, beside: #beside })
            }
        }
    }
}

impl Rebuild for Beside {
    fn rebuild(&self) -> TokenStream {
        let beside = quote!(__reducegen::__private::Beside);
        match self {
            Beside::No => quote!(#beside::No),
            Beside::Narrow(most) => quote!(#beside::Narrow(#most)),
            Beside::Few => quote!(#beside::Few),
            Beside::Many => quote!(#beside::Many),
        }
    }
}

impl Rebuild for Axes {
    fn rebuild(&self) -> TokenStream {
        let Axes { axes, inputs, result, is_by_input, cut } = self;
        let [axes, inputs, result] = [axes.rebuild(), inputs.rebuild(), result.rebuild()];
        let cut = cut.rebuild();
        quote!(__reducegen::__private::Axes {
            axes: #axes,
            inputs: #inputs,
            result: #result,
            is_by_input: #is_by_input,
            cut: #cut,
        })
    }
}

impl Rebuild for Cut {
    fn rebuild(&self) -> TokenStream {
        let cut = quote!(__reducegen::__private::Cut);
        match self {
            Cut::Whole => quote!(#cut::Whole),
            Cut::Offsets(ty) => {
                let ty = ty.rebuild();
                quote!(#cut::Offsets(#ty))
            }
            Cut::Runs(ty) => {
                let ty = ty.rebuild();
                quote!(#cut::Runs(#ty))
            }
            Cut::Keys(keys) => {
                let keys = keys.rebuild();
                quote!(#cut::Keys(#keys))
            }
        }
    }
}

impl Rebuild for Keys {
    fn rebuild(&self) -> TokenStream {
        let (given, groups) = (self.given.rebuild(), self.groups);
        let others = match self.others {
            Others::Error => quote!(Error),
            Others::Drop => quote!(Drop),
        };
        quote!(__reducegen::__private::Keys {
            given: #given,
            groups: #groups,
            others: __reducegen::__private::Others::#others,
        })
    }
}

impl Rebuild for Axis {
    fn rebuild(&self) -> TokenStream {
        let [name, length] = [self.name.rebuild(), self.length.rebuild()];
        quote!(__reducegen::__private::Axis { name: #name, length: #length })
    }
}

impl Rebuild for Pattern {
    fn rebuild(&self) -> TokenStream {
        let (has_leading, dims) = (self.has_leading, self.dims.rebuild());
        quote!(__reducegen::__private::Pattern { has_leading: #has_leading, dims: #dims })
    }
}

impl Rebuild for Kept {
    fn rebuild(&self) -> TokenStream {
        let kept = quote!(__reducegen::__private::Kept);
        match self {
            Kept::Leading => quote!(#kept::Leading),
            Kept::Axis(axis) => quote!(#kept::Axis(#axis)),
            Kept::One => quote!(#kept::One),
        }
    }
}
