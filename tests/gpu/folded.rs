//! Ordered operations, with `fold`, params, positions and the number of elements: a GPU gives the bits of the host.

use super::cases::{self, LISTS, ORDERED};
use super::data::Kind;
use super::device::gpu;
use super::operations::{self, Subject};
use rayon::prelude::*;
use reduce_ir::pass::Pass;
use reduce_ir::spec::Passes;
use reduce_ir::{Domain, Spec};
use reduce_runtime::{Device, Reducer};

/// Compares both devices for these lengths, or for the boundary lengths of the programs.
fn compare(subject: &Subject, spec: &Spec, device: &Device, lengths: Option<&[usize]>) -> usize {
    // A list that would reorder the elements is refused on every device.
    let Ok(gpu) = Reducer::new(spec, device) else {
        assert!(Reducer::new(spec, &Device::host()).is_err(), "{}", spec.text);
        return 0;
    };
    let host = Reducer::new(spec, &Device::host()).unwrap();
    let special = || cases::lengths_of_all(gpu.programs(), 70_000);
    let lengths = lengths.map_or_else(special, <[usize]>::to_vec);
    for (&n, turn) in lengths.iter().zip(0..) {
        let kind = Kind::ALL[turn % Kind::ALL.len()];
        // Each input has other elements.
        let inputs = subject.operation.inputs.iter().zip(0..);
        let lanes: Vec<_> = inputs.map(|(input, place)| kind.lanes(input.ty, n + place)).collect();
        let views: Vec<_> =
            lanes.iter().zip(0..).map(|(it, place)| it.borrow().slice(place..place + n)).collect();
        let [found, wanted] = [&gpu, &host].map(|it| it.reduce_with(&views, &subject.params));
        let [found, wanted] = [found, wanted].map(|it| it.map(|it| it.values).map_err(|it| it.to_string()));
        assert_eq!(found, wanted, "{kind:?}, n = {n}\n{}", gpu.programs().for_len(n as u64));
    }
    lengths.len()
}

#[test]
fn folds_and_ordered_operators_give_the_bits_of_the_host() {
    let Some(device) = gpu("folds_and_ordered_operators_give_the_bits_of_the_host") else { return };
    let subjects: Vec<_> = operations::ordered().into_iter().chain(operations::folded()).collect();
    let compared = subjects.par_iter().flat_map_iter(|subject| {
        let spec = |passes, block| Spec {
            operation: subject.operation.clone(),
            domain: Domain::WHOLE,
            axes: None,
            defaults: Vec::new(),
            text: subject.operation.name.clone(),
            block,
            passes,
        };
        let list = |(passes, block): (&[Pass], u32)| spec(Passes::List(passes.to_vec()), Some(block));
        let lists = LISTS.into_iter().chain(ORDERED).map(list);
        let specs: Vec<_> = lists.chain([spec(Passes::Auto, None)]).collect();
        specs.into_iter().map(|spec| compare(subject, &spec, &device, None)).collect::<Vec<_>>()
    });
    let compared: usize = compared.sum();
    println!("{compared} reductions of {} operations", subjects.len());
    assert!(compared > 2_000);
}

/// One launch on many elements in order, and several launches on more.
#[test]
fn many_elements_keep_their_order() {
    let Some(device) = gpu("many_elements_keep_their_order") else { return };
    for subject in operations::ordered() {
        let (operation, text) = (subject.operation.clone(), subject.operation.name.clone());
        let spec = Spec {
            operation,
            domain: Domain::WHOLE,
            axes: None,
            defaults: Vec::new(),
            text,
            block: None,
            passes: Passes::Auto,
        };
        let compared = compare(&subject, &spec, &device, Some(&[(1 << 22) + 5, 1 << 24, (1 << 24) + 4097]));
        assert_eq!(compared, 3);
    }
}
