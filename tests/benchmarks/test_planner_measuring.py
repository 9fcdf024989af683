"""The planner's benchmark judges rightly: its oracle, its peers, its rows."""

import importlib.util

import numpy as np
import pytest
from benchmarks.planner.measuring import Subject, measure
from benchmarks.planner.oracle import backup, one_step, reference
from benchmarks.planner.peers import PEERS
from benchmarks.planner.questions import SCHEDULE, Cell, Question, cells
from benchmarks.planner.rows import BEFORE, FIRST
from benchmarks.planner.tables import Tables

import deepaveragers as da

SIZE = 1_000
QUESTIONS = [
    Question(),
    Question(cost=0.0),
    Question(gamma=0.95, cost=100.0),
    Question(slip=0.1),
    Question(worst_case=0.1),
]


@pytest.fixture(scope="module")
def subject(cache):
    return Subject("short", SIZE, "development", cache)


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_the_oracle_agrees_with_plans(subject, question, tmp_path):
    plan = subject.mdp.solve(**question.fields, tolerance=1e-8)
    exact = reference(subject.mdp, question, tmp_path)
    assert exact.error < 1e-5 * one_step(subject.mdp, question) / (1.0 - question.gamma)
    assert np.abs(plan.values - exact.values).max() <= plan.error + exact.error


def test_a_reference_on_disk_is_checked_and_not_believed(subject, tmp_path):
    question = Question()
    exact = reference(subject.mdp, question, tmp_path)
    (file,) = tmp_path.glob("*.npy")
    np.save(file, exact.values + 1.0)
    wrong = reference(subject.mdp, question, tmp_path)
    assert np.abs(wrong.values - exact.values).max() <= wrong.error + exact.error


def test_one_step_is_what_tolerances_are_relative_to(subject):
    plan = subject.mdp.solve(gamma=0.9, cost=1.0, horizon=1)
    zero = backup(subject.mdp, Question(gamma=0.9), np.zeros(SIZE))
    np.testing.assert_allclose(zero, plan.values, rtol=0, atol=1e-9)


@pytest.mark.parametrize("cost", [0.0, 1.0])
def test_the_peers_tables_are_the_same_mdp(subject, cost):
    tables = Tables.of(subject.mdp, cost)
    np.testing.assert_allclose(tables.weights.sum(axis=2), 1.0)
    values = subject.mdp.solve(gamma=0.9, cost=cost, tolerance=1e-8).values
    future = (tables.sparse @ values).reshape(tables.rewards.shape)
    np.testing.assert_allclose(
        (tables.rewards + 0.9 * future).max(axis=1), values, rtol=0, atol=1e-6
    )


@pytest.mark.parametrize("name", PEERS)
def test_a_peer_finds_the_same_values(subject, name, tmp_path):
    pytest.importorskip(name)
    exact = reference(subject.mdp, Question(gamma=0.9), tmp_path)
    run = PEERS[name](Tables.of(subject.mdp, 1.0))(0.9, 1e-3)
    assert not run.stopped
    assert np.abs(run.values - exact.values).max() <= 1e-3 + exact.error


def test_a_cell_gives_a_row_for_each_solver_and_its_bounds_hold(subject):
    cell = Cell("short", SIZE, Question())
    peers = [name for name in cell.peers if importlib.util.find_spec(name)]
    rows = {row.solver: row for row in measure(subject, cell, peers, "abc1234")}
    assert list(rows) == [BEFORE, FIRST, *peers]
    for solver in (BEFORE, FIRST):
        assert rows[solver].bounds_hold
        assert rows[solver].true_error <= 1.01
        assert rows[solver].certified_error <= 1.0


def test_a_plan_that_lies_is_found_out(subject, monkeypatch):
    solve = da.DacMdp.solve

    def shifted(mdp, **asked):
        plan = solve(mdp, **asked)
        object.__setattr__(plan, "values", plan.values + 10.0 * plan.error + 1.0)
        return plan

    cell = Cell("short", SIZE, Question())
    subject.reference(cell)
    monkeypatch.setattr(da.DacMdp, "solve", shifted)
    assert not any(row.bounds_hold for row in measure(subject, cell, (), "abc1234"))


def test_the_schedule_has_what_the_page_promises():
    asked = list(cells())
    assert {cell.states for cell in asked} == set(SCHEDULE)
    assert len({cell.family for cell in asked if cell.states == 1_000_000}) >= 8
    small = {cell.question for cell in asked if cell.states == 100_000}
    assert {question.cost for question in small} == {0.0, 1.0, 100.0}
    assert {question.gamma for question in small} == {0.95, 0.99, 0.999, 0.9999}
    assert any(question.slip for question in small)
    assert any(question.worst_case for question in small)


def test_families_and_sizes_can_be_chosen():
    chosen = list(cells(["rooms"], [4_000_000], [0.9]))
    assert chosen == [Cell("rooms", 4_000_000, Question(gamma=0.9))]
    assert {cell.family for cell in cells(None, [4_000_000])} == {"walks", "latent"}
    assert not list(cells(["pictures"], [4_000_000]))
