"""The named operators against NumPy: types, axes, kept axes, and nothing."""

import warnings

import numpy as np
import pytest
import reducegen as rg
from reference import ALL, EXACT, FLOATS, ROUNDED, check_rounded, exact, sum_type

AXES = (None, 0, 1, -1, (0, 1), (1, 2), (0, 2), (2, 0), (0, 1, 2), ())


def elements(name, shape, seed=1):
    random = np.random.default_rng(seed)
    if name == "bool":
        return random.random(shape) < 0.5
    if name in FLOATS:
        return random.normal(size=shape).astype(name)
    return random.integers(*(-40, 90) if name[0] == "i" else (0, 90), size=shape).astype(name)


def cases(table):
    return [(op, name) for op, names in table.items() for name in names]


@pytest.mark.parametrize("op,name", cases(EXACT))
def test_exact(op, name):
    x = elements(name, (5, 7, 6))
    for axis in AXES:
        for keepdims in (False, True):
            found = getattr(rg, op)(x, axis=axis, keepdims=keepdims)
            expected = exact(op, x, axis, keepdims)
            assert np.shape(found) == np.shape(expected), (axis, keepdims)
            assert np.asarray(found).dtype == np.asarray(expected).dtype, (axis, keepdims)
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("op,name", cases(ROUNDED))
def test_rounded(op, name):
    x = elements(name, (5, 7, 6))
    for axis in AXES:
        for keepdims in (False, True):
            found = getattr(rg, op)(x, axis=axis, keepdims=keepdims)
            assert np.shape(found) == np.shape(np.sum(x, axis=axis, keepdims=keepdims))
            check_rounded(op, found, x, axis, keepdims)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 3), (0, 0)])
@pytest.mark.parametrize("op", [*EXACT, "mean", "var", "std"])
def test_nothing_raises_where_numpy_does(op, shape):
    for name in ("float32", "int16"):
        x = np.empty(shape, name)
        for axis in (None, *range(len(shape))):
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                try:
                    expected = getattr(np, op)(x, axis=axis)
                except ValueError:
                    with pytest.raises(rg.EmptyError):
                        getattr(rg, op)(x, axis=axis)
                    continue
            np.testing.assert_array_equal(getattr(rg, op)(x, axis=axis), expected)


def test_axes_that_numpy_refuses():
    x = np.ones((2, 3), np.float32)
    for axis in (2, -3, (0, 2), (0, 0), (1, -1)):
        with pytest.raises(ValueError) as theirs:
            np.sum(x, axis=axis)
        with pytest.raises(rg.AxisError):
            rg.sum(x, axis=axis)
        assert isinstance(theirs.value, ValueError)
    with pytest.raises(IndexError):
        rg.max(x, axis=5)


@pytest.mark.parametrize("name", ALL)
def test_types_of_sums(name):
    x = elements(name, 100)
    assert rg.sum(x).dtype == sum_type(name)
    if name != "bool":
        assert rg.sum(x, dtype=np.float64 if name in FLOATS else None).dtype.kind == np.dtype(sum_type(name)).kind


def test_nan_and_zeros():
    x = np.array([1, np.nan, 3, -0.0, 0.0], np.float32)
    assert np.isnan(rg.max(x)) and rg.argmax(x) == 1 and rg.max(x, nan="ignore") == 3
    assert np.isnan(rg.max(np.full(3, np.nan), nan="ignore"))
    assert np.signbit(rg.min(x[3:])) and not np.signbit(rg.max(x[3:]))
    with pytest.raises(ValueError, match="propagate"):
        rg.max(x, nan="drop")


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_where(axis):
    x = elements("float64", (6, 8))
    mask = elements("bool", (6, 8), 2)
    mask[:, 3], mask[2] = False, False
    np.testing.assert_array_equal(
        rg.max(x, axis=axis, where=mask), np.max(x, axis=axis, where=mask, initial=-np.inf)
    )
    np.testing.assert_array_equal(rg.count_nonzero(x, axis=axis, where=mask), np.sum(mask, axis=axis))
    column = mask[:1]
    np.testing.assert_array_equal(
        rg.min(x, axis=axis, where=column), np.min(x, axis=axis, where=column, initial=np.inf)
    )
    check_rounded("sum", rg.sum(x, axis=axis, where=mask), np.where(mask, x, 0), axis, False)


def test_more_operators():
    x, y = elements("float64", (4, 5)), elements("float64", 5, 3)
    both = rg.minmax(x, axis=0)
    np.testing.assert_array_equal(both.min, x.min(axis=0))
    np.testing.assert_array_equal(both.max, x.max(axis=0))
    best = rg.findmax(x, axis=1)
    np.testing.assert_array_equal(best.value, x.max(axis=1))
    np.testing.assert_array_equal(best.index, x.argmax(axis=1))
    assert rg.norm(x, np.inf) == np.abs(x).max()
    check_rounded("sum", rg.norm(x, 1), np.abs(x), None, False)
    assert abs(rg.norm(x) - np.linalg.norm(x)) <= 30 * 2.0**-53 * np.linalg.norm(x)
    # The second array broadcasts.
    check_rounded("sum", rg.dot(x, y, axis=1), x * y, 1, False)
    top = rg.softmax_denominator(x, axis=1)
    np.testing.assert_array_equal(top.max, x.max(axis=1))
    check_rounded("sum", top.sum, np.exp(x - x.max(axis=1, keepdims=True)), 1, False)
    bits = elements("uint16", (3, 4))
    np.testing.assert_array_equal(rg.bitwise_xor(bits, axis=0), np.bitwise_xor.reduce(bits, axis=0))
    assert rg.describe(x).n == 20 and rg.var(x, ddof=20) == np.inf
    with pytest.raises(ValueError, match="order"):
        rg.norm(x, 3)


def test_a_name_for_every_operator():
    missing = {"and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "weighted_mean": "average"}
    missing |= {"norm1": "norm", "norm2": "norm", "norm_inf": "norm", "count": "count_nonzero"}
    for name in rg.operators():
        function = getattr(rg, missing.get(name, name))
        assert callable(function) and function.__doc__, name


def test_views_are_read_in_place():
    x = elements("float32", (40, 30))
    for view in (x.T, x[::-1], x[:, ::3], x[::2, ::-2], x[5:6], np.broadcast_to(x[0], (7, 30)), x[3], x[3, 4]):
        for axis in (None, *range(view.ndim)):
            np.testing.assert_array_equal(rg.max(view, axis=axis), np.max(view, axis=axis))
            # The bits are those of a copy.
            assert rg.sum(view, axis=axis).tobytes() == rg.sum(view.copy(), axis=axis).tobytes()


def test_elements_that_must_be_copied():
    record = np.zeros(9, np.dtype([("a", "u1"), ("x", "<f4"), ("b", "?")]))
    record["x"], record["b"] = np.arange(9), [1, 0, 0, 1, 1, 1, 0, 0, 1]
    assert rg.sum(record["x"]) == 36 and rg.count_nonzero(record["b"]) == 5
    assert rg.sum(record["x"][::-2]) == 20
    swapped = np.arange(5, dtype=">i4")
    assert rg.sum(swapped) == 10 and rg.argmax(swapped) == 4
    odd = np.array([0, 2, 255], np.uint8).view(np.bool_)
    assert rg.count_nonzero(odd) == 2 and rg.all(odd) == np.False_
    assert rg.count_nonzero(np.broadcast_to(odd, (4, 3)), axis=0).tolist() == [0, 4, 4]


def test_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.arange(12).reshape(3, 4).astype(ml_dtypes.bfloat16)
    found = rg.max(x, axis=0)
    assert found.dtype == x.dtype and found.tolist() == [8, 9, 10, 11]
    assert rg.max(x) == 11 and rg.sum(x) == 66 and rg.sum(x).dtype == np.float32


def test_large_arrays_run_on_all_threads():
    x = elements("float32", (1 << 10, 1 << 12))
    np.testing.assert_array_equal(rg.max(x, axis=1), x.max(axis=1))
    check_rounded("sum", rg.sum(x), x, None, False)
