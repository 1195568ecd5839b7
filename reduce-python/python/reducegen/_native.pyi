"""The compiled part of the package."""

from collections.abc import Sequence
from typing import Any, final

__version__: str

@final
class Reduction:
    """A specification that is called with arrays."""

    def __new__(cls, spec: str, *, _template: bool = False, _nonempty: bool = False) -> Reduction: ...
    def __call__(
        self,
        *arrays: Any,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
        offsets: Any = None,
        by: Any = None,
        stream: Any = None,
        check: bool = False,
        **params: float,
    ) -> Any: ...
    def partials(
        self,
        *arrays: Any,
        first: int,
        total: int,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
        **params: float,
    ) -> Partials: ...
    def chunk_len(self, total: int, *, dtype: Any = None) -> int: ...
    def emit(self, to: str = "cuda", *, n: int | None = None, dtype: Any = None) -> str: ...
    def explain(self, *, n: int | None = None, dtype: Any = None) -> str: ...
    @property
    def spec(self) -> str: ...

@final
class Partials:
    """The reduction of a part of the data."""

    @staticmethod
    def from_bytes(bytes: bytes) -> Partials: ...
    def to_bytes(self) -> bytes: ...
    @property
    def spec(self) -> str: ...
    @property
    def range(self) -> tuple[int, int]: ...
    @property
    def total(self) -> int: ...
    @property
    def shape(self) -> tuple[int, ...]: ...

@final
class DeviceArray:
    """Results on a GPU, for libraries that read DLPack or `__cuda_array_interface__`."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> str: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def numpy(self) -> Any: ...
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

def merge(parts: Sequence[Partials]) -> Any: ...
def operators() -> list[str]: ...
def _forked() -> None: ...
