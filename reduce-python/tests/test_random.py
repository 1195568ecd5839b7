"""Random arrays and views against NumPy."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import reducegen as rg
from reference import ALL, EXACT, FLOATS, ROUNDED, check_rounded, exact


@st.composite
def views(draw, names):
    """An array, seen through slices, transposition and broadcasting."""
    name = draw(st.sampled_from(names))
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=1, max_side=9))
    numbers = {"min_value": -1000, "max_value": 1000} if name in FLOATS else None
    kind = hnp.from_dtype(np.dtype(name), allow_nan=False, **(numbers or {}))
    x = draw(hnp.arrays(name, shape, elements=kind))
    if x.ndim:
        x = x[draw(hnp.basic_indices(x.shape, allow_newaxis=False, allow_ellipsis=False))]
        x = np.asarray(x).transpose(draw(st.permutations(range(np.ndim(x)))))
    if draw(st.booleans()):
        x = np.broadcast_to(x, (draw(st.integers(1, 3)), *x.shape))
    return x


@st.composite
def axes(draw, ndim):
    if ndim == 0 or draw(st.booleans()):
        return None
    if draw(st.booleans()):
        return draw(st.integers(-ndim, ndim - 1))
    return tuple(draw(st.lists(st.integers(0, ndim - 1), unique=True, max_size=ndim)))


@given(st.data())
def test_exact_operators(data):
    op = data.draw(st.sampled_from(sorted(EXACT)))
    x = data.draw(views(EXACT[op]))
    axis, keepdims = data.draw(axes(x.ndim)), data.draw(st.booleans())
    try:
        expected = exact(op, x, axis, keepdims)
    except ValueError:
        with np.testing.assert_raises(rg.EmptyError):
            getattr(rg, op)(x, axis=axis, keepdims=keepdims)
        return
    found = getattr(rg, op)(x, axis=axis, keepdims=keepdims)
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_array_equal(found, expected)


@given(st.data())
def test_rounded_operators(data):
    op = data.draw(st.sampled_from(sorted(ROUNDED)))
    x = data.draw(views(ROUNDED[op]))
    axis, keepdims = data.draw(axes(x.ndim)), data.draw(st.booleans())
    check_rounded(op, getattr(rg, op)(x, axis=axis, keepdims=keepdims), x, axis, keepdims)


@given(st.data())
def test_a_copy_has_the_same_bits(data):
    x = data.draw(views(ALL))
    axis = data.draw(axes(x.ndim))
    assert rg.sum(x, axis=axis).tobytes() == rg.sum(np.ascontiguousarray(x), axis=axis).tobytes()


@given(st.data())
def test_segments(data):
    lengths = data.draw(st.lists(st.integers(0, 40), max_size=12))
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    x = np.random.default_rng(data.draw(st.integers(0, 99))).integers(-50, 50, offsets[-1]).astype(np.int32)
    found = rg.reduction("op: sum, segments: i64")(x, offsets=offsets)
    assert found.tolist() == [int(x[a:b].sum()) for a, b in zip(offsets, offsets[1:])]


@given(st.data())
def test_keys(data):
    keys = np.sort(np.array(data.draw(st.lists(st.integers(0, 7), max_size=60)), np.uint32))
    x = np.arange(len(keys), dtype=np.float64)
    runs = rg.reduction("op: max, by: { key: u32 }, groups: runs")(x, by=keys)
    assert runs.keys.tolist() == np.unique(keys).tolist()
    assert runs.values.tolist() == [x[keys == key].max() for key in np.unique(keys)]
    counts = rg.reduction("op: count, map: |x| true, by: { key: u32 }, groups: 8")(x, by=keys)
    assert counts.tolist() == np.bincount(keys, minlength=8).tolist()
