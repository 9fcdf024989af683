"""The report is one page that needs nothing else, and says what the plan does."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from tests.data.hospital import IMPORT, patients, write_csv
from tests.mdp.explicit_candidates import random_rows
from tests.studio.worlds import slope

import deepaveragers as da
from deepaveragers.cli.app import run
from deepaveragers.mdp.jumps import FEWEST
from deepaveragers.reporting.accounts import Account
from deepaveragers.reporting.tree import grow

HOSTILE = ("<script>alert(1)</script>", '"><img src=http://x onerror=y>', "$a$ & \\b", "_z\x1b[31m")


def one_step_data(names=None, actions=None):
    random = np.random.default_rng(0)
    states = random.normal(size=(300, 2))
    taken = random.integers(0, 2, 300)
    return da.Transitions(
        observations=states,
        actions=taken,
        rewards=(taken == (states[:, 0] > 0)).astype(float),
        next_observations=states,
        terminations=np.ones(300, bool),
        observation_names=names,
        action_names=actions,
    )


def hospital(folder):
    return da.read(write_csv(folder / "patients.csv", patients(60)), **IMPORT)


def pictures(folder):
    random = np.random.default_rng(0)
    frames = random.integers(0, 255, (41, 6, 6), dtype=np.uint8)
    return da.Transitions(
        observations=frames[:-1],
        actions=np.arange(40) % 2,
        rewards=random.normal(size=40),
        next_observations=frames[1:],
        terminations=np.arange(40) % 10 == 9,
    )


DATA = {
    "cartpole": lambda folder: da.collect("CartPole-v1", steps=600, seed=0),
    "named table": hospital,
    "one-step": lambda folder: one_step_data(),
    "pictures": pictures,
    "hostile names": lambda folder: one_step_data(HOSTILE[:2], HOSTILE[2:]),
    "one row": lambda folder: one_step_data().subset(slice(0, 1)),
}


class Page(HTMLParser):
    """Collects what a browser would see."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.words = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.words.append(data)


@pytest.mark.slow
@pytest.mark.parametrize("name", DATA)
def test_the_page_needs_nothing_else(name, tmp_path):
    data = DATA[name](tmp_path)
    encoder = da.Identity() if name == "pictures" else None
    plan = da.compile(data, k=1, encoder=encoder).solve(gamma=0.9)
    text = da.report(plan).write(tmp_path / "report.html").read_text()
    page = Page(text)
    assert not {"script", "link", "iframe", "object"} & set(page.tags)
    for key, value in page.attributes:
        assert not key.startswith("on")
        assert key != "href"
        assert key != "src" or value.startswith("data:image/png;base64,")
    assert "url(" not in text
    assert "@import" not in text
    if name != "hostile names":
        assert "http" not in text
    assert "prefers-color-scheme:dark" in text
    words = " ".join(page.words)
    for action in data.action_names:
        assert action.replace("\x1b", "\\x1b") in words
    for column in data.observation_names or ():
        assert column in words


@pytest.fixture(scope="module")
def report():
    return da.report(da.compile(one_step_data(("risk", "age")), k=3).solve(gamma=0.9))


def test_changes_and_fidelity_are_counts(report):
    data = report.data
    planned = np.array([report.policy.act(state) for state in data.observations])
    assert report.share == np.mean(planned != data.actions)
    assert sum(change.states for change in report.changes) == np.sum(planned != data.actions)
    told = np.full(len(data), -1)
    for rule in report.rules:
        told[rule.holds(np.asarray(data.observations, dtype=float))] = rule.action
    assert report.fidelity == np.mean(told == planned)
    assert "risk" in report.rule_words(report.rules[0])


@pytest.mark.slow
def test_examples_are_decisions_of_the_policy(report):
    assert 1 <= len(report.examples) <= 3
    for row, decision in report.examples:
        assert decision.action == report.policy.act(report.data.observations[row])
        assert f"row {row}: " in report.html()


def test_a_policy_is_reported_as_it_acts(plan):
    policy = plan.policy(k=3, epsilon=0.5)
    found = da.report(policy)
    greedy = plan.policy(k=3).act(found.data.observations[found.decisions.rows])
    np.testing.assert_array_equal(found.decisions.planned, greedy)
    assert found.promise.logged == pytest.approx(
        np.mean([(1 - 0.99**n) / (1 - 0.99) for n in found.diagnosis.lengths])
    )
    starts = found.diagnosis.lengths.size
    assert found.promise.starts == starts


def test_unfinished_episodes_and_rare_actions_are_said(columns):
    plan = da.compile(da.Transitions(**columns), k=1).solve(gamma=0.9)
    text = da.report(plan).html()
    assert "not quite comparable" in text
    assert "fewer than 30 times" in text


def test_a_horizon_is_said_and_counted(model):
    found = da.report(model.solve(horizon=5))
    lengths = np.minimum(found.diagnosis.lengths, 6)
    assert found.promise.logged == pytest.approx(np.mean((1 - 0.99**lengths) / (1 - 0.99)))
    assert found.promise.logged < found.promise.planned < (1 - 0.99**6) / (1 - 0.99)
    assert "looks some steps ahead: both figures count the first 6" in found.html()


def test_prices_of_actions_count_on_both_sides(model):
    free, dear = (da.report(model.solve(action_penalties=prices)) for prices in (None, [2.0, 2.0]))
    assert dear.promise.logged == pytest.approx(-free.promise.logged)
    assert dear.promise.logged < dear.promise.planned < 0.0


def test_a_small_log_is_not_said_to_jump(columns):
    data = da.Transitions(**columns)
    assert len(data) < FEWEST
    found = da.report(da.compile(data, k=1).solve(gamma=0.9))
    assert found.jumps == 0.0
    assert "as far away as one step leads" not in found.html()


def test_notebooks_show_records_without_obeying_names():
    plan = da.compile(one_step_data(HOSTILE[:2], HOSTILE[2:]), k=3).solve(gamma=0.9)
    found = da.report(plan)
    shown = [plan, found.examples[0][1], found.diagnosis, found, plan.compare(plan)]
    for record in shown:
        page = Page(record._repr_html_())
        assert not {"script", "img"} & set(page.tags)


@pytest.mark.parametrize("name", ["report.txt", "report"])
def test_other_endings_are_refused(report, name, tmp_path):
    with pytest.raises(da.InputError, match="a name that ends in"):
        report.write(tmp_path / name)


@pytest.mark.slow
def test_the_command_writes_the_page(tmp_path, capsys):
    plan = da.compile(one_step_data(("risk", "age")), k=3).solve(gamma=0.9)
    da.save(plan, tmp_path / "plan")
    words = ["report", str(tmp_path / "plan"), "-o", str(tmp_path / "new" / "report.html")]
    assert run([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["fidelity"] == da.report(plan).fidelity
    assert (tmp_path / "new" / "report.html").read_text() == da.report(plan).html()
    assert run(words) == 0
    told = capsys.readouterr().out
    assert re.search(r"risk . -?0\.\d+", told)
    assert da.report(plan).accounts[0].caution in told
    assert run(["report", str(tmp_path / "plan"), "-o", str(tmp_path / "a.txt")]) == 2


def account_of(planned, *questions):
    """Return an account of actions [S] with the rules that questions [S] lead to."""
    columns = np.column_stack(questions).astype(float)
    rules = grow(columns, planned)
    return Account(None, ("a", "b", "c"), planned, planned, rules)


def test_rules_that_tell_little_are_said_to():
    random = np.random.default_rng(0)
    states = random.normal(size=(1000, 2))
    chance = random.integers(0, 3, 1000)
    assert "cannot be said" in account_of(chance, states).caution
    rare = np.where((states[:, 0] > 2) & (states[:, 1] > -1), 1, 0)
    assert "hardly more than" in account_of(rare, states).caution
    clear = (states[:, 0] > 0).astype(np.int64)
    assert "finer" in account_of(clear, states).caution


@pytest.mark.slow
def test_pictures_show_columns_of_more_than_two_values():
    random = np.random.default_rng(0)
    flags, levels = random.integers(0, 2, (300, 2)), random.normal(size=(300, 1))
    taken = random.integers(0, 2, 300)
    data = da.Transitions(
        observations=np.column_stack((flags, levels)),
        actions=taken,
        rewards=(taken == flags[:, 0]).astype(float),
        next_observations=np.column_stack((flags, levels)),
        terminations=np.ones(300, bool),
        observation_names=("fault", "open", "charge"),
    )
    found = da.report(da.compile(data, k=3).solve(gamma=0.9))
    assert {one.column for rule in found.rules for one in rule.conditions} == {0}
    assert 'alt="actions of log and plan over charge and fault"' in found.html()


def walks_by_rows(folder, columns=("push", "brake")):
    return slope(600, columns=columns)


@pytest.mark.slow
def test_rows_are_reported_by_column(tmp_path, capsys):
    plan = da.compile(walks_by_rows(tmp_path), k=3).solve(gamma=0.9)
    found, data = da.report(plan), plan.mdp.transitions
    planned = plan.policy().act(data.observations)
    apart = np.abs(planned - data.actions) > 0.05 * np.array([4.0, 1.0])
    assert found.share == apart.any(axis=1).mean()
    assert found.changes == ()
    assert [one.column for one in found.shifts] == ["push", "brake"]
    assert found.shifts[0].higher == (apart[:, 0] & (planned[:, 0] > data.actions[:, 0])).sum()
    assert found.shifts[1].mean == pytest.approx((planned - data.actions)[:, 1].mean(), abs=1e-6)
    for account in found.accounts:
        edges = np.linspace(*((-2.0, 2.0), (0.0, 1.0))[account.column], 4)[1:-1]
        labels = np.searchsorted(edges, planned[:, account.column].astype(float), side="right")
        np.testing.assert_array_equal(account.planned, labels)
        told = np.full(len(data), -1)
        for rule in account.rules:
            told[rule.holds(np.asarray(data.observations, dtype=float))] = rule.action
        assert account.fidelity == np.mean(told == labels)
        assert account.names[0].startswith(data.action_names[account.column])
    assert found.promise.planned > found.promise.logged
    page = Page(found.html())
    words = " ".join(page.words)
    assert "lower in" in words
    assert "push -2 to -0.667" in words
    assert len([key for key, _ in page.attributes if key == "src"]) == 3
    da.save(plan, tmp_path / "plan")
    target = tmp_path / "report.html"
    assert run(["report", str(tmp_path / "plan"), "-o", str(target)]) == 0
    assert "push" in capsys.readouterr().out
    assert target.read_text() == found.html()


def test_parts_that_are_whole_numbers_are_reported_as_they_are():
    data = random_rows(1, 80, whole=True)
    found = da.report(da.compile(data, k=3).solve(gamma=0.9))
    assert found.accounts[0].names[0].endswith(" -2")
    planned = found.policy.act(data.observations)
    assert found.share == (planned != data.actions).any(axis=1).mean()
