"""Names for the types of arrays."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Floats: TypeAlias = NDArray[np.floating[Any]]
Float32: TypeAlias = NDArray[np.float32]
Int64: TypeAlias = NDArray[np.int64]
