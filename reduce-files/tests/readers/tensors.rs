//! Files of safetensors.

use crate::folder::Folder;
use reduce_files::{DataFile, Format};
use reduce_ir::{bf16, f16};
use reduce_lanes::Lanes;
use safetensors::Dtype;
use safetensors::tensor::{TensorView, serialize};

/// Returns a file of tensors: name, type, shape and bytes.
pub(crate) fn file(tensors: &[(&str, Dtype, &[usize], &[u8])]) -> Vec<u8> {
    let views = tensors.iter().map(|(name, dtype, shape, bytes)| {
        (name.to_string(), TensorView::new(*dtype, shape.to_vec(), bytes).unwrap())
    });
    serialize(views, None).unwrap()
}

#[test]
fn tensors_have_their_types_and_shapes() {
    let floats: Vec<u8> = [1.5f32, -2.0, 0.0, 4.0, 5.0, 6.0].iter().flat_map(|it| it.to_le_bytes()).collect();
    let half: Vec<u8> = f16::from_f32(0.5).to_le_bytes().into();
    let brain: Vec<u8> = bf16::from_f32(0.25).to_le_bytes().into();
    let bytes = file(&[
        ("layer.weight", Dtype::F32, &[2, 3], &floats),
        ("half", Dtype::F16, &[], &half),
        ("brain", Dtype::BF16, &[1], &brain),
        ("mask", Dtype::BOOL, &[2], &[1, 0]),
        ("none", Dtype::I64, &[3, 0], &[]),
        ("eight", Dtype::F8_E4M3, &[1], &[0]),
    ]);
    let folder = Folder::new();
    // The format is known by content.
    assert_eq!(DataFile::open(folder.file("model.bin", &bytes)).unwrap().format(), Format::Safetensors);
    let read = |name| folder.column("model.safetensors", &bytes, name).unwrap();
    let weight = read("layer.weight");
    assert_eq!(weight.values, Lanes::from(vec![1.5f32, -2.0, 0.0, 4.0, 5.0, 6.0]));
    assert_eq!((weight.shape, weight.present, weight.is_fortran), (vec![2, 3], None, false));
    assert_eq!((read("half").values, read("half").shape), (Lanes::from(vec![f16::from_f32(0.5)]), vec![]));
    assert_eq!(read("brain").values, Lanes::from(vec![bf16::from_f32(0.25)]));
    assert_eq!(read("mask").values, Lanes::from(vec![true, false]));
    assert_eq!((read("none").values, read("none").shape), (Lanes::from(Vec::<i64>::new()), vec![3, 0]));
    let error = |name| folder.error("model.safetensors", &bytes, name);
    assert_eq!(error("eight"), "the column `eight` holds F8_E4M3; convert the tensor to F16, BF16 or F32");
    assert!(error("layer.weights").contains("(did you mean `layer.weight`?)"), "{}", error("layer.weights"));
}

#[test]
fn a_header_is_not_believed() {
    let folder = Folder::new();
    let error = |bytes: &[u8]| folder.error("x.safetensors", bytes, "x");
    let endless = [&u64::MAX.to_le_bytes()[..], b"{}"].concat();
    let text = format!("the header is damaged: its length of {} bytes is more than there are", u64::MAX);
    assert!(error(&endless).starts_with(&text), "{}", error(&endless));
    let bytes = file(&[("x", Dtype::U8, &[4], &[1, 2, 3, 4])]);
    assert!(error(&bytes[..bytes.len() - 1]).contains("its tensors have 4 bytes, and it has 3"));
    let bools = file(&[("x", Dtype::BOOL, &[2], &[1, 2])]);
    assert!(error(&bools).starts_with("the tensor `x` is damaged: a bool is neither 0 nor 1"));
    let long = file(&[("x", Dtype::U8, &[3 << 20], &vec![7; 3 << 20])]);
    let column = folder.column("x.safetensors", &long, "x").unwrap();
    assert_eq!(column.of::<u8>(), Some(&vec![7; 3 << 20][..]));
}
