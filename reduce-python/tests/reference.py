"""NumPy as the reference of the named operators, with bounds of the rounding of float sums."""

import math
import warnings

import numpy as np

FLOATS = ("float16", "float32", "float64")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
NUMBERS = FLOATS + SIGNED + UNSIGNED
ALL = NUMBERS + ("bool",)

#: Operators whose result is that of NumPy, bit for bit, and the types of their elements.
EXACT = {
    "max": NUMBERS,
    "min": NUMBERS,
    "argmax": NUMBERS,
    "argmin": NUMBERS,
    "any": ALL,
    "all": ALL,
    "count_nonzero": ALL,
    "sum": SIGNED + UNSIGNED + ("bool",),
    "prod": SIGNED + UNSIGNED,
}
#: Operators that round.
ROUNDED = {"sum": FLOATS, "mean": NUMBERS, "var": NUMBERS, "std": NUMBERS}


def sum_type(name):
    """The type in which elements are added and multiplied."""
    if name == "bool":
        return "uint64"
    if name == "float16":
        return "float32"
    if name in SIGNED + UNSIGNED and np.dtype(name).itemsize < 4:
        return "int32" if name in SIGNED else "uint32"
    return name


def exact(op, x, axis, keepdims):
    """The result of NumPy."""
    axes = {"axis": axis, "keepdims": keepdims}
    if op in ("sum", "prod"):
        # Integers wrap.
        ufunc = np.add if op == "sum" else np.multiply
        return ufunc.reduce(x, dtype=sum_type(x.dtype.name), **axes)
    if op in ("argmax", "argmin") and isinstance(axis, tuple):
        return positions(op, x, axis, keepdims)
    return getattr(np, op)(x, **axes)


def positions(op, x, axis, keepdims):
    """NumPy takes one axis or all: several are one axis of a copy."""
    axis = tuple(a % x.ndim for a in axis)
    kept = [a for a in range(x.ndim) if a not in axis]
    shape = [x.shape[a] for a in kept]
    line = x.transpose(kept + sorted(axis)).reshape(shape + [math.prod(x.shape[a] for a in axis)])
    found = getattr(np, op)(line, axis=-1)
    return np.expand_dims(found, axis) if keepdims else found


def check_rounded(op, found, x, axis, keepdims):
    """Compares a result with that of NumPy in float64: the errors of n additions of magnitudes, and of a few operations more."""
    wide = x.astype(np.float64)
    result = np.dtype(np.asarray(found).dtype)
    unit = np.finfo(result).eps / 2
    axes = {"axis": axis, "keepdims": keepdims}
    count = math.prod(x.shape[a] for a in _axes(x, axis))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        # NumPy warns of means of nothing.
        warnings.simplefilter("ignore")
        expected = getattr(np, op)(wide, **axes)
        magnitude = np.sum(np.abs(wide), **axes)
        if op in ("mean", "var", "std"):
            magnitude = magnitude / max(count, 1)
        if op in ("var", "std"):
            # The mean has two words, so errors are relative to the distances from it.
            magnitude = expected
        bound = 4 * (count + 10) * unit * magnitude
        # NumPy rounds as well.
        bound = bound + 4 * (count + 10) * 2.0**-53 * np.max(np.abs(wide), initial=0.0) ** (2 if op == "var" else 1)
        # Below the normal numbers, errors are relative to the least of them all.
        bound = bound + 4 * float(np.finfo(result).smallest_subnormal)
        error = np.abs(np.asarray(found, np.float64) - expected)
    same = (np.isnan(expected) & np.isnan(found)) | (np.asarray(found) == expected)
    assert np.all(same | (error <= bound)), (op, found, expected, error, bound)


def _axes(x, axis):
    if axis is None:
        return range(x.ndim)
    return axis if isinstance(axis, tuple) else (axis,)
