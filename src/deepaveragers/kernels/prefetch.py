"""Asking for memory before it is needed.

Rows that are read in another order than they lie in come from memory one by one, and the
processor waits for each. Told a few rows ahead, it does not.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ..arrays import Array
from .cpu import inlined
from .lanes import start_of

ROWS_AHEAD = 8
"""How early a row should be asked for."""
LINE = 16
"""Numbers of 4 bytes that come from memory together."""
TO_READ, TO_KEEP, DATA = (ir.IntType(32)(number) for number in (0, 3, 1))


def _prefetch(typing: Any, array: Any, position: Any) -> Any:
    """Ask for the number at a position of the array, as if that had one dimension."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = ir.IntType(8).as_pointer()
        start = start_of(context, builder, signature.args[0], args[0])
        place = builder.bitcast(builder.gep(start, [args[1]]), pointer)
        kind = ir.FunctionType(ir.VoidType(), [pointer, *[ir.IntType(32)] * 3])
        ask = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
        builder.call(ask, [place, TO_READ, TO_KEEP, DATA])
        return context.get_dummy_value()

    return types.none(array, types.int64), emit


prefetch: Any = intrinsic(_prefetch)


@inlined
def prefetch_row(array: Array, row: int) -> None:
    """Ask for array[row], of a contiguous [N, A, K] with numbers of 4 bytes."""
    width = array.shape[1] * array.shape[2]
    for place in range(row * width, (row + 1) * width, LINE):
        prefetch(array, place)
