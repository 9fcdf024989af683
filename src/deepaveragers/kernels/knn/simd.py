"""Vector steps of the tree search: sixteen points, or eight boxes, against one query.

Numba cannot keep a small array of partial sums in registers, and pays a store and a load for
every dimension. So these steps are LLVM vectors, which every processor has in its own width.

The first two read float32 numbers laid out dimension after dimension, lane beside lane, and sum
squared gaps over the dimensions, `CHUNK` at a time, until every lane is farther than the
bound. They return the lanes still within the bound as the bits of an integer, and leave the
sums in `sums`; a sum that stopped early is still a lower bound.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ..llvm import FLOAT, INDEX, load, splat, start_of, store

POINT_LANES = 16
BOX_LANES = 8
CHUNK = 4


def _larger(builder: Any, a: Any, b: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


def scan(
    builder: Any, data: Any, query: Any, dimensions: Any, bound: Any, *, lanes: int, boxes: bool
) -> tuple[Any, Any]:
    """Emit the sums of squared gaps, dimension after dimension, and which are within the bound."""
    vector = ir.VectorType(FLOAT, lanes)
    zero = ir.Constant(vector, [0.0] * lanes)
    bound = splat(builder, bound, lanes)
    stride = lanes * (2 if boxes else 1)

    entry = builder.block
    loop = builder.append_basic_block("scan")
    done = builder.append_basic_block("scanned")
    builder.branch(loop)
    builder.position_at_end(loop)
    dimension = builder.phi(INDEX)
    total = builder.phi(vector)
    dimension.add_incoming(INDEX(0), entry)
    total.add_incoming(zero, entry)
    partial = total
    for step in range(CHUNK):
        here = builder.add(dimension, INDEX(step))
        at = builder.mul(here, INDEX(stride))
        wanted = splat(builder, load(builder, query, here, FLOAT), lanes)
        gap = builder.fsub(load(builder, data, at, vector), wanted)
        if boxes:
            high = load(builder, data, builder.add(at, INDEX(lanes)), vector)
            gap = _larger(builder, _larger(builder, gap, builder.fsub(wanted, high)), zero)
        # One rounding or two: the margins allow for both.
        square = builder.fmul(gap, gap, flags=("contract",))
        partial = builder.fadd(partial, square, flags=("contract",))
    near = builder.fcmp_ordered("<=", partial, bound)
    near = builder.bitcast(near, ir.IntType(lanes))
    following = builder.add(dimension, INDEX(CHUNK))
    more = builder.icmp_signed("<", following, dimensions)
    alive = builder.icmp_unsigned("!=", near, ir.IntType(lanes)(0))
    dimension.add_incoming(following, loop)
    total.add_incoming(partial, loop)
    builder.cbranch(builder.and_(more, alive), loop, done)
    builder.position_at_end(done)
    return partial, builder.zext(near, INDEX)


def _near(lanes: int, boxes: bool) -> Any:
    """Return the step that tells which of the points, or boxes (low, high), are near a query."""

    def step(
        typing: Any, data: Any, offset: Any, query: Any, dimensions: Any, bound: Any, sums: Any
    ) -> Any:
        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            data, query, sums = (
                start_of(context, builder, signature.args[i], args[i]) for i in (0, 2, 5)
            )
            data = builder.gep(data, [args[1]])
            found, near = scan(builder, data, query, *args[3:5], lanes=lanes, boxes=boxes)
            store(builder, sums, found)
            return near

        index = types.int64
        return index(data, index, query, index, types.float32, sums), emit

    return intrinsic(step)


def _product_step(
    typing: Any, products: Any, offset: Any, norms: Any, position: Any, bound: Any, sums: Any
) -> Any:
    """Lanes where norm - 2 product is within the bound: `POINT_LANES` inner products at once."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector = ir.VectorType(FLOAT, POINT_LANES)
        kinds = signature.args
        products = start_of(context, builder, kinds[0], args[0])
        norms = start_of(context, builder, kinds[2], args[2])
        out = start_of(context, builder, kinds[5], args[5])
        product = load(builder, products, args[1], vector)
        norm = load(builder, norms, args[3], vector)
        gap = builder.fsub(norm, builder.fadd(product, product))
        near = builder.fcmp_ordered("<=", gap, splat(builder, args[4], POINT_LANES))
        store(builder, out, gap)
        return builder.zext(builder.bitcast(near, ir.IntType(POINT_LANES)), INDEX)

    index = types.int64
    return index(products, index, norms, index, types.float32, sums), emit


def _lowest_bit(typing: Any, bits: Any) -> Any:
    """Position of the lowest bit set."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.IntType(1)(1))

    return types.int64(types.int64), emit


# Called from kernels without the typing context, hence Any.
near_points: Any = _near(POINT_LANES, boxes=False)
"""(points, offset, query, dimensions, squared bound, sums) -> lanes within it, as bits."""
near_boxes: Any = _near(BOX_LANES, boxes=True)
"""The same of boxes."""
near_products: Any = intrinsic(_product_step)
lowest_bit: Any = intrinsic(_lowest_bit)
