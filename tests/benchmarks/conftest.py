"""A small family's MDP, and rows of a benchmark that nobody ran."""

import pytest
from benchmarks.planner.questions import Cell, Question
from benchmarks.planner.rows import BEFORE, FIRST, Row


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("planner")


def row_of(family, states, solver, seconds, *, question=None, **changed):
    question = question or Question()
    ours = solver in (FIRST, BEFORE)
    fields = {
        **Cell(family, states, question).key,
        "actions": 4,
        "solver": solver,
        "seconds": seconds,
        "times": [seconds],
        "true_error": 0.5,
        "certified_error": 0.75 if ours else None,
        "bounds_hold": True if ours else None,
        "sweeps": 7,
        "stopped": False,
        "commit": "abc1234",
        "load": 0.1,
    }
    return Row(**{**fields, **changed})


@pytest.fixture
def made_up_rows():
    """QuantEcon takes 4, 10 and 30 times as long as ours; a first plan twice as long."""
    return [
        row_of(family, 100_000, solver, seconds * own, question=question)
        for question in (Question(), Question(gamma=0.999))
        for family, own, peer in (
            ("cartpole", 0.1, 4.0),
            ("walks", 0.2, 10.0),
            ("grid", 0.05, 30.0),
        )
        for solver, seconds in ((BEFORE, 1.0), (FIRST, 2.0), ("quantecon", peer))
    ]
