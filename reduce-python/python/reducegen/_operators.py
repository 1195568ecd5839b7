"""The named operators as functions of arrays, with the arguments of NumPy.

`axis` is an axis, several, or None for all; `keepdims` keeps reduced axes with length 1; elements where `where` is false are absent;
`nan="ignore"` makes NaN absent. `dtype` is the type of the accumulator, such as "f64". `stream` is the stream of a call on a GPU, in
place of the current one of the arrays' library. Results of arrays without elements are errors where they are in NumPy. If all elements of
a group are absent, the result is the one in the table of operators, such as -inf for `max`.
"""

import functools

from ._native import Reduction

_NAN = ("propagate", "ignore")
#: Positions and counts as NumPy has them: uint64 and int64 together would become float64.
_SIGNED = ", finish: |n| n as i64"


@functools.lru_cache(maxsize=4096)
def _reduction(op, inputs, has_where, fields, nonempty):
    text = f"op: {op}{fields}"
    if has_where:
        text = f"inputs: {{ x: $0, mask: bool }}, filter: |x, mask| mask, map: |x, mask| x, {text}"
    elif inputs == 2:
        text = f"inputs: {{ x: $0, y: $1 }}, {text}"
    else:
        text = f"ty: $0, {text}"
    return Reduction(text, _template=True, _nonempty=nonempty)


@functools.lru_cache(maxsize=256)
def _acc(dtype):
    name = getattr(dtype, "__name__", None) or getattr(dtype, "name", None) or str(dtype)
    name = name.rsplit(".", 1)[-1]
    for long, short in (("bfloat", "bf"), ("float", "f"), ("uint", "u"), ("int", "i")):
        if name.startswith(long):
            name = short + name[len(long) :]
            break
    return f", acc: {name}"


def _call(op, arrays, axis, keepdims, where, nan, stream, fields="", dtype=None, nonempty=False, **params):
    if dtype is not None:
        fields += _acc(dtype)
    if nan != "propagate":
        if nan not in _NAN:
            raise ValueError(f"`nan` is one of {_NAN}, not {nan!r}")
        fields += ", nan: ignore"
    if where is None:
        reduction = _reduction(op, len(arrays), False, fields, nonempty)
    else:
        reduction = _reduction(op, len(arrays), True, fields, nonempty)
        arrays = (*arrays, where)
    return reduction(*arrays, axis=axis, keepdims=keepdims, stream=stream, **params)


def sum(x, axis=None, *, dtype=None, keepdims=False, where=None, nan="propagate", stream=None):
    """The sum. Sums of 16-bit floats are float32, of 8- and 16-bit integers 32 bits, of bool uint64."""
    return _call("sum", (x,), axis, keepdims, where, nan, stream, dtype=dtype)


def sum_compensated(x, axis=None, *, keepdims=False, where=None, nan="propagate", stream=None):
    """The sum of floats, with the rounding errors of all additions added to it at the end."""
    return _call("sum_compensated", (x,), axis, keepdims, where, nan, stream)


def prod(x, axis=None, *, dtype=None, keepdims=False, where=None, nan="propagate", stream=None):
    """The product."""
    return _call("prod", (x,), axis, keepdims, where, nan, stream, dtype=dtype)


def mean(x, axis=None, *, dtype=None, keepdims=False, where=None, nan="propagate", stream=None):
    """The mean: finite wherever it is."""
    return _call("mean", (x,), axis, keepdims, where, nan, stream, dtype=dtype)


def average(x, weights, axis=None, *, dtype=None, keepdims=False, nan="propagate", stream=None):
    """The mean of weighted elements. Weights that add up to 0 give NaN or infinity."""
    return _call("weighted_mean", (x, weights), axis, keepdims, None, nan, stream, dtype=dtype)


def var(x, axis=None, *, ddof=0, dtype=None, keepdims=False, where=None, nan="propagate", stream=None):
    """The variance: the sum of the squared distances from the mean, divided by n - ddof."""
    fields = ", params: { ddof: u64 }"
    return _call("var", (x,), axis, keepdims, where, nan, stream, fields, dtype, ddof=ddof)


def std(x, axis=None, *, ddof=0, dtype=None, keepdims=False, where=None, nan="propagate", stream=None):
    """The standard deviation: the root of `var`."""
    fields = ", params: { ddof: u64 }"
    return _call("std", (x,), axis, keepdims, where, nan, stream, fields, dtype, ddof=ddof)


def skewness(x, axis=None, *, keepdims=False, where=None, nan="propagate", stream=None):
    """The skewness, biased, as float64."""
    return _call("skewness", (x,), axis, keepdims, where, nan, stream)


def kurtosis(x, axis=None, *, keepdims=False, where=None, nan="propagate", stream=None):
    """The kurtosis minus 3, biased, as float64."""
    return _call("kurtosis", (x,), axis, keepdims, where, nan, stream)


def describe(x, axis=None, *, keepdims=False, where=None, nan="propagate", stream=None):
    """A named tuple of n, mean, m2 (the sum of the squared distances from the mean), min and max."""
    return _call("describe", (x,), axis, keepdims, where, nan, stream)


def min(x, axis=None, *, keepdims=False, where=None, nan="propagate", stream=None):
    """The smallest element; -0 is below +0. Of nothing, it is an EmptyError."""
    return _call("min", (x,), axis, keepdims, where, nan, stream, nonempty=True)


def max(x, axis=None, *, keepdims=False, where=None, nan="propagate", stream=None):
    """The largest element; -0 is below +0. Of nothing, it is an EmptyError."""
    return _call("max", (x,), axis, keepdims, where, nan, stream, nonempty=True)


def minmax(x, axis=None, *, keepdims=False, where=None, nan="propagate", stream=None):
    """A named tuple of min and max."""
    return _call("minmax", (x,), axis, keepdims, where, nan, stream, nonempty=True)


def argmin(x, axis=None, *, keepdims=False, where=None, nan="propagate", stream=None):
    """The position of the smallest element among the reduced ones, as int64: the first of equals, or the first NaN."""
    return _call("argmin", (x,), axis, keepdims, where, nan, stream, _SIGNED, nonempty=True)


def argmax(x, axis=None, *, keepdims=False, where=None, nan="propagate", stream=None):
    """The position of the largest element among the reduced ones, as int64: the first of equals, or the first NaN."""
    return _call("argmax", (x,), axis, keepdims, where, nan, stream, _SIGNED, nonempty=True)


def argminmax(x, axis=None, *, keepdims=False, where=None, nan="propagate", stream=None):
    """A named tuple of argmin and argmax."""
    return _call("argminmax", (x,), axis, keepdims, where, nan, stream, nonempty=True)


def findmin(x, axis=None, *, keepdims=False, where=None, nan="propagate", stream=None):
    """A named tuple: the value of the smallest element, and its index."""
    return _call("findmin", (x,), axis, keepdims, where, nan, stream, nonempty=True)


def findmax(x, axis=None, *, keepdims=False, where=None, nan="propagate", stream=None):
    """A named tuple: the value of the largest element, and its index."""
    return _call("findmax", (x,), axis, keepdims, where, nan, stream, nonempty=True)


def first(x, axis=None, *, keepdims=False, where=None, nan="propagate", stream=None):
    """The first element that is not absent."""
    return _call("first", (x,), axis, keepdims, where, nan, stream, nonempty=True)


def last(x, axis=None, *, keepdims=False, where=None, nan="propagate", stream=None):
    """The last element that is not absent."""
    return _call("last", (x,), axis, keepdims, where, nan, stream, nonempty=True)


def any(x, axis=None, *, keepdims=False, where=None, nan="propagate", stream=None):
    """Whether any element is true, or not 0."""
    return _call("any", (x,), axis, keepdims, where, nan, stream)


def all(x, axis=None, *, keepdims=False, where=None, nan="propagate", stream=None):
    """Whether every element is true, or not 0."""
    return _call("all", (x,), axis, keepdims, where, nan, stream)


def count_nonzero(x, axis=None, *, keepdims=False, where=None, nan="propagate", stream=None):
    """The number of elements that are true, or not 0, as int64."""
    return _call("count_nonzero", (x,), axis, keepdims, where, nan, stream, _SIGNED)


def bitwise_and(x, axis=None, *, keepdims=False, where=None, stream=None):
    """The bits that are set in every element."""
    return _call("and", (x,), axis, keepdims, where, "propagate", stream)


def bitwise_or(x, axis=None, *, keepdims=False, where=None, stream=None):
    """The bits that are set in any element."""
    return _call("or", (x,), axis, keepdims, where, "propagate", stream)


def bitwise_xor(x, axis=None, *, keepdims=False, where=None, stream=None):
    """The bits that are set in an odd number of elements."""
    return _call("xor", (x,), axis, keepdims, where, "propagate", stream)


def norm(x, ord=2, axis=None, *, dtype=None, keepdims=False, where=None, nan="propagate", stream=None):
    """The norm of order 1, 2 or infinity of the elements as a vector. It is finite wherever the norm is."""
    op = {1: "norm1", 2: "norm2", float("inf"): "norm_inf"}.get(ord)
    if op is None:
        raise ValueError(f"the norms are those of order 1, 2 and infinity, not {ord!r}")
    return _call(op, (x,), axis, keepdims, where, nan, stream, dtype=dtype)


def dot(x, y, axis=None, *, dtype=None, keepdims=False, nan="propagate", stream=None):
    """The sum of the products of the elements of two arrays, which broadcast."""
    return _call("dot", (x, y), axis, keepdims, None, nan, stream, dtype=dtype)


def sum_of_squares(x, axis=None, *, dtype=None, keepdims=False, where=None, nan="propagate", stream=None):
    """The sum of the squares; unsigned for integers."""
    return _call("sum_of_squares", (x,), axis, keepdims, where, nan, stream, dtype=dtype)


def squared_distance(x, y, axis=None, *, dtype=None, keepdims=False, nan="propagate", stream=None):
    """The sum of the squared differences of the elements of two arrays, which broadcast."""
    return _call("squared_distance", (x, y), axis, keepdims, None, nan, stream, dtype=dtype)


def logsumexp(x, axis=None, *, dtype=None, keepdims=False, where=None, nan="propagate", stream=None):
    """The logarithm of the sum of the exponentials, without overflow."""
    return _call("logsumexp", (x,), axis, keepdims, where, nan, stream, dtype=dtype)


def softmax_denominator(x, axis=None, *, dtype=None, keepdims=False, where=None, nan="propagate", stream=None):
    """A named tuple: the largest element as max, and the sum of exp(x - max)."""
    return _call("softmax_denominator", (x,), axis, keepdims, where, nan, stream, dtype=dtype)


__all__ = [name for name, value in dict(globals()).items() if not name.startswith("_") and callable(value)]
__all__.remove("Reduction")
