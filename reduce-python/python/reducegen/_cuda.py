"""Streams of other libraries, and the compiler of kernels."""

import glob
import os
import sys

#: The number of a stream means the legacy default stream.
_LEGACY = (0, 1)


def torch_stream(ordinal):
    """Returns the handle of the current stream of PyTorch."""
    torch = sys.modules["torch"]
    # What PyTorch's own compiler calls: it makes no object for the stream.
    raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    return torch.cuda.current_stream(ordinal).cuda_stream if raw is None else raw(ordinal)


def cupy_stream(ordinal):
    """Returns the handle of the current stream of CuPy."""
    cuda = sys.modules["cupy"].cuda
    if cuda.runtime.getDevice() == ordinal:
        return cuda.get_current_stream().ptr
    with cuda.Device(ordinal):
        return cuda.get_current_stream().ptr


def current_stream(library, ordinal):
    """Returns the handle of the stream that a library queues its work on now."""
    if library == "torch":
        return torch_stream(ordinal)
    return cupy_stream(ordinal)


def handle(stream):
    """Returns the handle of a stream of any library."""
    if isinstance(stream, int):
        found = stream
    elif hasattr(stream, "__cuda_stream__"):
        pair = stream.__cuda_stream__
        found = (pair() if callable(pair) else pair)[1]
    else:
        names = (name for name in ("cuda_stream", "ptr", "handle") if hasattr(stream, name))
        name = next(names, None)
        if name is None:
            raise TypeError(f"{type(stream).__name__} is no stream: it has no `__cuda_stream__`")
        found = int(getattr(stream, name))
    return 0 if found in _LEGACY else int(found)


def find_compiler():
    """Names NVRTC of this environment to the library, unless the user names one."""
    if os.environ.get("REDUCEGEN_NVRTC"):
        return
    for folder in sys.path:
        found = glob.glob(os.path.join(glob.escape(folder), "nvidia", "*", "lib", "libnvrtc.so.*")) if folder else []
        if found:
            # The newest: names differ by the major version of CUDA.
            os.environ["REDUCEGEN_NVRTC"] = os.path.abspath(max(found, key=_version))
            return


def _version(path):
    digits = "".join(c if c.isdigit() else " " for c in os.path.basename(path)).split()
    return [int(it) for it in digits]
