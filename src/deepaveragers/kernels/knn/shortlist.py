"""The shortlist of a query: its sixteen nearest points so far, in vector registers.

Sums of squared gaps stand in ascending order, and beside them the places of the points. A
point is put in by one vector step without a branch: lanes up to its own stay, those after it
take over from the lane before. A branch for every comparison, mostly mispredicted, costs more
than all the rest of the search of narrow data.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ..llvm import FLOAT, INDEX, load, splat, start_of, store
from .simd import POINT_LANES, scan

SHORTLIST = 16
PLACE = ir.IntType(32)


def _put_in(builder: Any, number: Any, place: Any, sums: Any, places: Any) -> tuple[Any, Any]:
    """Emit the shortlist after a point was put in; of equal sums the earlier stay before it."""
    number, place = splat(builder, number, SHORTLIST), splat(builder, place, SHORTLIST)
    lane_before = [SHORTLIST, *range(SHORTLIST - 1)]
    order = ir.Constant(ir.VectorType(ir.IntType(32), SHORTLIST), lane_before)
    before = ir.Constant(sums.type, [-1.0] * SHORTLIST)
    sums_before = builder.shuffle_vector(sums, before, order)
    places_before = builder.shuffle_vector(places, ir.Constant(places.type, None), order)
    stays = builder.fcmp_ordered("<=", sums, number)
    moves = builder.fcmp_ordered(">", sums_before, number)
    return (
        builder.select(stays, sums, builder.select(moves, sums_before, number)),
        builder.select(stays, places, builder.select(moves, places_before, place)),
    )


def _put_all_in(builder: Any, near: Any, first: Any, gaps: Any, sums: Any, places: Any) -> None:
    """Emit a loop that puts the lanes `near`, as bits, of the leaf that begins at `first` in."""
    begin, put, end, done = (builder.append_basic_block(n) for n in ("begin", "put", "end", "done"))
    builder.cbranch(builder.icmp_unsigned("!=", near, INDEX(0)), begin, done)

    builder.position_at_end(begin)
    sums_then = load(builder, sums, INDEX(0), ir.VectorType(FLOAT, SHORTLIST))
    places_then = load(builder, places, INDEX(0), ir.VectorType(PLACE, SHORTLIST))
    builder.branch(put)

    builder.position_at_end(put)
    left = builder.phi(INDEX)
    now = builder.phi(sums_then.type), builder.phi(places_then.type)
    lane = builder.cttz(left, ir.IntType(1)(1))
    place = builder.trunc(builder.add(first, lane), PLACE)
    after = _put_in(builder, load(builder, gaps, lane, FLOAT), place, *now)
    rest = builder.and_(left, builder.sub(left, INDEX(1)))
    for node, outside, inside in zip((left, *now), (near, sums_then, places_then), (rest, *after)):
        node.add_incoming(outside, begin)
        node.add_incoming(inside, put)
    builder.cbranch(builder.icmp_unsigned("!=", rest, INDEX(0)), put, end)

    builder.position_at_end(end)
    store(builder, sums, after[0])
    store(builder, places, after[1])
    builder.branch(done)
    builder.position_at_end(done)


def _shortlist_step(
    typing: Any, leaves: Any, leaf: Any, query: Any, dimensions: Any, bound: Any, gaps: Any,
    sums: Any, places: Any,
) -> Any:  # fmt: skip
    """Put the points of a leaf within the squared bound of the query in; return which, as bits.

    `sums` [SHORTLIST] float32, ascending, and `places` [SHORTLIST] int32, leaf * lanes + lane, are
    the shortlist; `gaps` [lanes] is scratch.
    """

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        leaf, dimensions, bound = args[1], args[3], args[4]
        data, query, gaps, sums, places = (
            start_of(context, builder, signature.args[i], args[i]) for i in (0, 2, 5, 6, 7)
        )
        first = builder.mul(leaf, INDEX(POINT_LANES))
        data = builder.gep(data, [builder.mul(first, dimensions)])
        found, near = scan(builder, data, query, dimensions, bound, lanes=POINT_LANES, boxes=False)
        store(builder, gaps, found)
        _put_all_in(builder, near, first, gaps, sums, places)
        return near

    index = types.int64
    return index(leaves, index, query, index, types.float32, gaps, sums, places), emit


# Called from kernels without the typing context, hence Any.
shortlist_leaf: Any = intrinsic(_shortlist_step)
