"""What kernels emit as LLVM themselves: reading and writing vectors."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

FLOAT = ir.FloatType()
INDEX = ir.IntType(64)


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
