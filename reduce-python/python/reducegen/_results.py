"""Arrays for results, in the library of the inputs."""

import collections
import functools
import sys

from reducegen._cuda import torch_stream

Runs = collections.namedtuple("Runs", ["keys", "values"])
Runs.__doc__ = "The key of each run, and its result."


@functools.lru_cache(maxsize=256)
def record(name, fields):
    """Returns the class of results with several fields."""
    return collections.namedtuple(name, fields, module="reducegen")


@functools.lru_cache(maxsize=None)
def numpy_type(name):
    """Returns the class of NumPy's scalars of that name."""
    if name == "bfloat16":
        import ml_dtypes

        return ml_dtypes.bfloat16
    import numpy

    return numpy.dtype(name).type


def numpy_on_host(shape, name):
    return sys.modules["numpy"].empty(shape, numpy_type(name))


def _torch_type(name):
    found = getattr(sys.modules["torch"], name, None)
    if found is None:
        raise TypeError(f"this version of PyTorch has no {name}, the type of the result; convert it with `finish`")
    return found


def torch_on_host(shape, name):
    return sys.modules["torch"].empty(shape, dtype=_torch_type(name), device="cpu")


@functools.lru_cache(maxsize=None)
def _torch_prototype(name, ordinal):
    return sys.modules["torch"].empty(0, dtype=_torch_type(name), device=ordinal)


def torch_on_gpu(shape, name, ordinal, stream):
    if torch_stream(ordinal) == stream:
        # A third faster than `torch.empty`, which reads the type and the device again.
        return _torch_prototype(name, ordinal).new_empty(shape)
    torch = sys.modules["torch"]
    # Memory of PyTorch is reused in the order of the stream that was current when it was allocated.
    with torch.cuda.stream(torch.cuda.ExternalStream(stream, device=ordinal)):
        return torch.empty(shape, dtype=_torch_type(name), device=ordinal)


def cupy_on_gpu(shape, name, ordinal, stream):
    cupy = sys.modules["cupy"]
    if cupy.cuda.runtime.getDevice() == ordinal and cupy.cuda.get_current_stream().ptr == stream:
        return cupy.empty(shape, numpy_type(name))
    with cupy.cuda.Device(ordinal), cupy.cuda.ExternalStream(stream, ordinal):
        return cupy.empty(shape, numpy_type(name))


def jax_of(array):
    return sys.modules["jax"].dlpack.from_dlpack(array)
