"""What kernels emit as LLVM themselves: reading and writing vectors, asking for memory early.

Rows that are read in another order than they lie in come from memory one by one, and the
processor waits for each. Told a few rows ahead (`prefetch_row`), it does not.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ..arrays import Array
from .jit import inlined

FLOAT = ir.FloatType()
INDEX = ir.IntType(64)
ROWS_AHEAD = 8
"""How early a row should be asked for."""
LINE = 16
"""Numbers of 4 bytes that come from memory together."""
TO_READ, TO_KEEP, DATA = (ir.IntType(32)(number) for number in (0, 3, 1))


def start_of(context: Any, builder: Any, array_type: Any, array: Any) -> Any:
    """Emit the pointer to an array's first number."""
    return context.make_array(array_type)(context, builder, array).data


def load(builder: Any, start: Any, position: Any, kind: Any) -> Any:
    """Emit the reading of a number or vector, `position` numbers from the start."""
    pointer = builder.bitcast(builder.gep(start, [position]), kind.as_pointer())
    return builder.load(pointer, align=4)


def store(builder: Any, start: Any, vector: Any) -> None:
    """Emit the writing of a vector at the start of an array."""
    builder.store(vector, builder.bitcast(start, vector.type.as_pointer()), align=4)


def splat(builder: Any, number: Any, lanes: int) -> Any:
    """Emit a vector that holds one number in every lane."""
    vector = ir.VectorType(number.type, lanes)
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), number, INDEX(0))
    order = ir.Constant(ir.VectorType(ir.IntType(32), lanes), [0] * lanes)
    return builder.shuffle_vector(first, ir.Constant(vector, ir.Undefined), order)


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
