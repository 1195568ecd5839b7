"""Write a reduction once, as a specification; get the same bits on every device.

    import reducegen as rg

    dot = rg.reduction("inputs: { x: f32, y: f32 }, map: |x, y| x * y, op: sum")
    dot(x, y)                                            # NumPy: on the host; CuPy, PyTorch: on their GPU
    rg.reduction("op: mean, axes: b h w c -> b c")(images)
    rg.max(x, axis=1)                                    # a named operator
"""

import functools as _functools
import os as _os

from ._errors import (
    AxisError,
    DeviceError,
    DtypeError,
    EmptyError,
    Error,
    InputError,
    InternalError,
    OutOfMemoryError,
    PartialsError,
    SpecificationError,
)
from ._native import DeviceArray, Partials, Reduction, __version__, merge, operators
from ._native import _forked
from ._operators import *  # noqa: F403
from ._operators import __all__ as _names

if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_forked)
del _forked


@_functools.lru_cache(maxsize=512)
def reduction(spec: str) -> Reduction:
    """Returns the reduction of a specification. Equal texts give the same object, with all that it has compiled.

    The specification may leave out the types of its inputs: then they are those of the arrays.
    """
    return Reduction(spec)


__all__ = [
    *_names,
    "AxisError",
    "DeviceArray",
    "DeviceError",
    "DtypeError",
    "EmptyError",
    "Error",
    "InputError",
    "InternalError",
    "OutOfMemoryError",
    "Partials",
    "PartialsError",
    "Reduction",
    "SpecificationError",
    "__version__",
    "merge",
    "operators",
    "reduction",
]
