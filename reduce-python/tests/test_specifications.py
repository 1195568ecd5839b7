"""Specifications: axes, segments, keys, params, errors, text forms, and parts."""

import pickle
import threading

import numpy as np
import pytest
import reducegen as rg


def test_inputs_and_types():
    x = np.arange(6, dtype=np.float32)
    dot = rg.reduction("inputs: { x: f32, y: f32 }, map: |x, y| x * y, op: sum")
    assert dot(x, x) == 55 and type(dot(x, x)) is np.float32
    assert rg.reduction("max") is rg.reduction("max")
    largest = rg.reduction("op: max")
    for name in ("float32", "int8", "uint64"):
        assert largest(x.astype(name)).dtype == name
    with pytest.raises(rg.DtypeError, match="float64|f64"):
        dot(x.astype(np.float64), x)
    with pytest.raises(rg.DtypeError):
        dot(x)
    with pytest.raises(TypeError, match="complex64"):
        largest(x.astype(np.complex64))


def test_a_specification_error_shows_the_text():
    with pytest.raises(rg.SpecificationError) as error:
        rg.reduction("op: summ, ty: f32, passes: [shufle]")
    text = str(error.value)
    assert "^^^^" in text and "did you mean `sum`?" in text and "did you mean `shuffle`?" in text
    with pytest.raises(rg.SpecificationError, match="unknown type"):
        rg.reduction("op: sum, ty: f33")
    with pytest.raises(rg.SpecificationError, match="another name"):
        rg.reduction("ty: f32, params: { axis: f32 }, map: |x| x * axis, op: sum")
    with pytest.raises(rg.SpecificationError):
        rg.reduction("op: and")(np.ones(3, np.float32))
    assert issubclass(rg.SpecificationError, ValueError)


def test_axes():
    images = np.random.default_rng(0).integers(0, 9, (2, 3, 4, 5)).astype(np.float32)
    mean = rg.reduction("op: mean, axes: b h w c -> b c")
    np.testing.assert_array_equal(mean(images), images.mean(axis=(1, 2), dtype=np.float64).astype(np.float32))
    # Channels first: another order of the memory, the same elements.
    stored = np.ascontiguousarray(images.transpose(0, 3, 1, 2)).transpose(0, 2, 3, 1)
    assert mean(images).tobytes() == mean(stored).tobytes()
    weigh = rg.reduction("inputs: { x: f32, w: f32 }, axes: { x: b c, w: c } -> b, map: |x, w| x * w, op: sum")
    np.testing.assert_array_equal(weigh(images[0, 0], images[0, 0, 0]), images[0, 0] @ images[0, 0, 0])
    with pytest.raises(rg.InputError, match="dimension"):
        mean(images[0])
    with pytest.raises(TypeError, match="axis"):
        mean(images, axis=1)


def test_axis_of_a_specification():
    x = np.arange(12, dtype=np.float64).reshape(3, 4)
    largest = rg.reduction("ty: f64, params: { k: f64 }, map: |x| x * k, op: max")
    assert largest(x, axis=0, k=2).tolist() == [16, 18, 20, 22]
    assert largest(x, axis=1, keepdims=True, k=-1).tolist() == [[-0.0], [-4], [-8]]
    assert largest(x, k=1) == 11 and largest(x[:, ::2], k=1) == 10
    strided = rg.reduction("ty: f64, layout: strided, op: sum")
    assert strided(x[0, ::-2]) == 4 and strided(x, axis=1).tolist() == [6, 22, 38]


def test_params():
    scaled = rg.reduction("ty: i32, params: { k: i32, on: bool }, map: |x| if on { x * k } else { x }, op: sum")
    x = np.arange(4, dtype=np.int32)
    assert scaled(x, k=3, on=True) == 18 and scaled(x, k=np.int64(3), on=np.bool_(False)) == 6
    for wrong in ({"k": 1}, {"k": 1, "on": True, "j": 2}, {"k": 1.5, "on": True}, {"k": 1 << 40, "on": True}):
        with pytest.raises(rg.DtypeError, match="k|on"):
            scaled(x, **wrong)
    moved = rg.reduction("ty: f64, params: { k: f64 = 2.0, offset: f64 }, map: |x| x * k + offset, op: sum, axes: i j -> i")
    x = np.ones((2, 3))
    assert moved(x, offset=0).tolist() == [6, 6] and moved(x, offset=1, k=-1).tolist() == [0, 0]
    with pytest.raises(rg.DtypeError, match="`offset` is missing"):
        moved(x, k=1)


def test_segments():
    x = np.array([1, 2, 3, 4], np.float32)
    sums = rg.reduction("op: sum, segments: u32")
    assert sums(x, offsets=np.array([0, 3, 3, 4], np.uint32)).tolist() == [6, 0, 4]
    assert sums(x, offsets=np.array([0, 9, 3, 9, 3, 9, 4], np.uint32)[::2]).tolist() == [6, 0, 4]
    columns = rg.reduction("op: max, axes: e f -> f, segments: i64, empty: 0.0")
    found = columns(x.reshape(2, 2), offsets=np.array([0, 1, 1, 2]))
    assert found.tolist() == [[1, 2], [0, 0], [3, 4]]
    for offsets in ([0, 5], [0, 3, 2], [-1, 4]):
        with pytest.raises(rg.InputError):
            columns(x.reshape(2, 2), offsets=np.array(offsets))
    with pytest.raises(rg.InputError, match="offsets="):
        sums(x)
    with pytest.raises(rg.InputError, match="u32"):
        sums(x, offsets=np.array([0, 4]))
    with pytest.raises(rg.InputError, match="one axis"):
        sums(x, offsets=np.zeros((2, 2), np.uint32))
    with pytest.raises(TypeError, match="segments"):
        rg.reduction("op: sum")(x, offsets=np.array([0, 4]))
    with pytest.raises(rg.EmptyError, match="group 1"):
        rg.reduction("op: argmax, segments: u32")(x, offsets=np.array([0, 3, 3, 4], np.uint32))


def test_keys():
    x = np.array([1, 2, 3, 4], np.float64)
    runs = rg.reduction("op: sum, by: { day: i64 }, groups: runs")
    keys, values = runs(x, by=np.array([7, 7, 7, 9]))
    assert keys.tolist() == [7, 9] and values.tolist() == [6, 4]
    numbered = rg.reduction("op: minmax, by: { day: u8 }, groups: 2, others: drop")
    found = numbered(x, by=np.array([0, 5, 0, 1], np.uint8))
    assert found.min.tolist() == [1, 4] and found.max.tolist() == [3, 4]
    computed = rg.reduction("ty: f64, by: |x| (x as u32) % 2, groups: 2, op: sum")
    assert computed(x).tolist() == [6, 4]
    with pytest.raises(rg.InputError, match="by="):
        runs(x)
    with pytest.raises(rg.InputError, match="2"):
        rg.reduction("op: sum, by: { day: u8 }, groups: 2")(x, by=np.array([0, 5, 0, 1], np.uint8))
    with pytest.raises(TypeError, match="keys"):
        rg.reduction("op: sum")(x, by=np.array([0, 1, 2, 3]))


def test_broadcast():
    x, y = np.ones((3, 1, 4), np.float32), np.full((5, 1), 2, np.float32)
    assert rg.dot(x, y) == 3 * 5 * 4 * 2
    with pytest.raises(rg.InputError, match="broadcast"):
        rg.dot(x, np.ones(3, np.float32))


def test_text_forms():
    largest = rg.reduction("op: max, ty: f32, passes: [shuffle, coarsen(4)]")
    assert "__shfl_down_sync" in largest.emit()
    assert "shuffle" in largest.emit("ir") and "every" in largest.emit("association")
    assert largest.emit("spec") == "ty: f32, op: max, passes: [shuffle, coarsen(4)]"
    assert "result: f16" in rg.reduction("op: max").explain(dtype=np.float16)
    assert "segments" in rg.reduction("op: sum, segments: u32").explain(dtype="f32")
    assert "__global__" in rg.reduction("op: sum, segments: u32").emit(dtype="f32")
    assert "__global__" in rg.reduction("op: sum, by: { k: u32 }, groups: 9").emit(dtype=["f32"])
    assert "__global__" in rg.reduction("op: sum, by: { k: u32 }, groups: runs").emit(dtype=np.dtype("f4"))
    with pytest.raises(ValueError, match="association"):
        largest.emit("llvm")
    with pytest.raises(rg.SpecificationError, match="type of the elements"):
        rg.reduction("op: max").emit()
    with pytest.raises(rg.DtypeError, match="f16, bf16"):
        rg.reduction("op: max").emit(dtype="complex64")
    with pytest.raises(rg.SpecificationError, match=r"\^"):
        rg.reduction("op: first, ty: f32, passes: [atomic]").emit()


def test_pickle():
    largest = pickle.loads(pickle.dumps(rg.reduction("op: max")))
    assert largest(np.array([1, 3])) == 3 and largest.spec == "op: max" and "op: max" in repr(largest)


def parts(reduction, x, step, axis=None):
    whole = x.shape[axis or 0]
    for first in range(0, whole, step):
        part = x[first : first + step]
        keywords = {} if axis is None else {"axis": axis}
        yield pickle.loads(pickle.dumps(reduction.partials(part, first=first, total=whole, **keywords)))


def test_partials():
    x = np.random.default_rng(1).random(200_000, np.float32)
    sums = rg.reduction("op: sum")
    step = 3 * sums.chunk_len(len(x), dtype="f32")
    every = list(parts(sums, x, step))[::-1]
    assert rg.merge(every).tobytes() == sums(x).tobytes()
    assert every[-1].range == (0, step) and every[0].total == len(x) and every[0].shape == ()
    with pytest.raises(rg.PartialsError):
        rg.merge(every[1:])
    with pytest.raises(rg.PartialsError):
        rg.merge([])
    with pytest.raises(rg.PartialsError):
        rg.Partials.from_bytes(every[0].to_bytes()[:-1])
    with pytest.raises(rg.PartialsError):
        sums.partials(x[:100], first=1, total=len(x))
    rows = x.reshape(-1, 50)
    means = rg.reduction("op: mean, passes: [shuffle]")
    assert rg.merge(list(parts(means, rows, 1024, 0))).tobytes() == means(rows, axis=0).tobytes()
    best = rg.reduction("op: findmax")
    assert rg.merge(list(parts(best, x, best.chunk_len(len(x), dtype="f32")))) == best(x)


def test_threads_share_a_reduction():
    x = np.random.default_rng(2).random((64, 5000), np.float32)
    sums, expected, wrong = rg.reduction("op: sum"), rg.sum(x, axis=1).tobytes(), []

    def work():
        wrong.extend(1 for _ in range(20) if sums(x, axis=1).tobytes() != expected)

    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not wrong
