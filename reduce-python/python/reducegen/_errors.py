"""The exceptions of reducegen. Each message names the fix."""


class Error(Exception):
    """The base of all exceptions of reducegen."""


class SpecificationError(Error, ValueError):
    """The text is no specification. The message shows the text, with a mark at each mistake."""


class InputError(Error, ValueError):
    """The arrays do not fit the specification or each other: shapes, offsets or keys."""


class EmptyError(InputError):
    """There are no elements, and the reduction has no result of nothing."""


class AxisError(InputError, IndexError):
    """An axis is out of range, or named twice."""


class DtypeError(Error, TypeError):
    """The number or the type of arrays or params differs from the specification."""


class PartialsError(Error, ValueError):
    """There are no partials of a part, bytes are damaged, or parts do not fit each other."""


class DeviceError(Error, RuntimeError):
    """A GPU, its driver or its compiler is missing, or reports an error."""


class OutOfMemoryError(DeviceError, MemoryError):
    """The memory of the GPU ran out."""


class InternalError(Error, RuntimeError):
    """A bug of reducegen."""
