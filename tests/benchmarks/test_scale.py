"""The cost model gives back runs that were made by it, and grows as it should."""

from __future__ import annotations

import math

import pytest
from benchmarks.scale.__main__ import measured_table, projected
from benchmarks.scale.model import Cluster, Model, checked, fitted, shards_for

TRUE = Model(start=2.0, lookup=2e-7, driver=5e-8, reach=8.0, sweep=3e-9)
HERE = Cluster(1, 2, math.inf)


def run(rows, shards=1, many=16):
    return {
        "rows": rows, "actions": 6, "k": 5, "shards": shards, "cpus": 2, "blocks": 4,
        "shards_asked": TRUE.asked(rows, shards), "same_bits": True,
        "many_shards": many, "many_shards_asked": TRUE.asked(rows, many),
        "many_shards_seconds": TRUE.compile_there(rows, 6, 5, many, HERE),
        "compile_seconds": TRUE.compile_here(rows, 6, 2),
        "cluster_compile_seconds": TRUE.compile_there(rows, 6, 5, shards, HERE),
        "block_rounds": 20, "block_plan_seconds": 20 * TRUE.round(rows, 6, 5, HERE),
        "read_seconds": 0.1, "save_seconds": 0.1, "plan_seconds": 0.1, "peak_bytes": 10**9,
    }  # fmt: skip


def test_its_own_runs_give_the_model_back():
    model = fitted([run(10**5), run(3 * 10**5), run(10**6)])
    for name, value in vars(TRUE).items():
        assert getattr(model, name) == pytest.approx(value, rel=1e-6), name


def test_forecasts_are_from_smaller_runs_only():
    for rows, measured, calculated in checked([run(10**6), run(10**5), run(3 * 10**5)])[1:]:
        assert rows == 10**6
        assert calculated == pytest.approx(measured, rel=1e-6)


def test_more_machines_are_faster_and_more_rows_slower():
    few, many = Cluster(4, 16), Cluster(16, 16)
    for rows in (1e7, 1e9):
        shards = shards_for(rows, 6, many)
        assert math.log2(shards).is_integer()
        assert TRUE.compile_there(rows, 6, 5, shards, many) < TRUE.compile_there(
            rows, 6, 5, shards, few
        )
    assert "1,000,000,000" in projected([run(10**5), run(10**6)], [1e9], many)
    assert "1,000,000" in measured_table([run(10**5), run(10**6)])
