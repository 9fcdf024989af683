"""What a studio holds is bounded and counted, and what it freed goes back to the system."""

from __future__ import annotations

import gc
import json
import os
import platform
import subprocess
import sys
import threading
import time
import tracemalloc
import weakref
from pathlib import Path

import msgspec
import numpy as np
import pytest
from tests.studio.conftest import Page
from tests.studio.worlds import corridor, slope

import deepaveragers as da
from deepaveragers.studio.events import Events
from deepaveragers.studio.freed_memory import FreedMemory, trim
from deepaveragers.studio.jobs import Jobs
from deepaveragers.studio.question_messages import Question
from deepaveragers.studio.session import POLICIES_KEPT

ROWS = 20_000
MOST_PLANS = 6
QUESTIONS = 18
"""In a round; each of another plan."""
BESIDE = 2
"""The first plan, and the one that the next starts from."""


@pytest.fixture(scope="module")
def large():
    return da.compile(corridor(ROWS), k=3)


@pytest.fixture(scope="module")
def rows():
    return da.compile(slope(ROWS), k=3)


def test_memory_is_bounded_and_pins_are_kept(page):
    first = page.ask({"gamma": 0.5}).head["plan"]["id"]
    page.post("/api/pins", plan=first, label="kept")
    size = page.session.plans.nbytes
    plans = page.session.plans
    plans._most = 4 * size
    for gamma in np.linspace(0.51, 0.8, 30).tolist():
        page.ask({"gamma": gamma})
        assert plans.nbytes <= 6 * size
    assert plans.get(first) is not None
    for number, gamma in enumerate(np.linspace(0.81, 0.9, 11).tolist()):
        name = page.ask({"gamma": gamma}).head["plan"]["id"]
        page.post("/api/pins", plan=name, label=str(number))
    page.post("/api/pins", status=422, plan=page.ask({}).head["plan"]["id"], label="one more")


def planned(page, question):
    """Return the plan of a question, as the session keeps it."""
    return page.session.plan(msgspec.json.decode(json.dumps(question), type=Question))


def rewarded(number):
    """Return a question with rewards of its own, and prices."""
    term = {"weight": 1.0 + number, "of": "state", "column": "place"}
    return {"reward": {"terms": [term]}, "penalties": {"0": 0.01 * number}}


def limited(number):
    """Return a question about actions that are rows, which leaves some states without any."""
    return {"ranges": [{"column": 0, "low": None, "high": 1.0 + 0.01 * number}]}


def asked_of_all(page, question, numbers):
    """Ask questions and what follows upon them; return weak references to the plans."""
    found = []
    for number in numbers:
        plan = page.ask(question(number), colouring="support").head["plan"]["id"]
        page.post("/api/inspect", plan=plan, state=number)
        page.get("/api/compare", left=plan, right=page.session.first_plan().summary.id)
        found.append(weakref.ref(page.session.plans.get(plan).plan))
    return found


@pytest.mark.parametrize(("kind", "question"), [("large", rewarded), ("rows", limited)])
def test_plans_that_gave_way_hold_no_memory(kind, question, request, tmp_path):
    page = Page(request.getfixturevalue(kind), tmp_path)
    page.session.first_plan()
    size = max(planned(page, question(n)).nbytes for n in (0, 1))
    page.session.plans._most = MOST_PLANS * size
    tracemalloc.start()
    try:
        plans = asked_of_all(page, question, range(2, 2 + QUESTIONS))
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        plans += asked_of_all(page, question, range(2 + QUESTIONS, 2 + 2 * QUESTIONS))
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert sum(plan() is not None for plan in plans) <= MOST_PLANS + POLICIES_KEPT + BESIDE
    assert grown < size, f"{grown / size:.1f} plans more"


def test_a_plan_counts_its_own_rewards_and_candidates(large, rows, tmp_path):
    """What it takes and what is counted of it are the same, so that the limit means something."""
    page = Page(large, tmp_path)
    plain, own = planned(page, {}), planned(page, rewarded(1))
    assert own.nbytes == plain.nbytes + 8 * len(large)
    page = Page(rows, tmp_path)
    plain, own = planned(page, {}), planned(page, limited(0))
    assert own.plan.mdp is not rows
    assert own.nbytes > plain.nbytes + own.plan.mdp.graph.indices.nbytes


def test_freed_memory_goes_back_after_work():
    given, back = [], threading.Event()

    def give_back():
        given.append(time.monotonic())
        back.set()

    freed = FreedMemory(give_back, seconds=0.5)
    with freed.running():
        assert not back.wait(0.2), "without work there is nothing to give back"
        began = time.monotonic()
        for _ in range(3):
            freed.worked()
        assert back.wait(10)
        assert given[0] - began >= 0.5
        back.clear()
        assert not back.wait(0.7)
        freed.worked()
        assert back.wait(10)
    assert len(given) == 2
    assert "freed-memory" not in [thread.name for thread in threading.enumerate()]


def test_work_of_the_studio_is_told(page):
    freed, plan = page.studio.freed, page.get("/api/opening")["plan"]["id"]
    for work in (
        lambda: page.ask({"gamma": 0.5}),
        lambda: page.get("/api/data"),
        lambda: page.get("/api/map.png", x="c0", y="c1", plan=plan),
    ):
        freed._worked.clear()
        work()
        assert freed._worked.is_set()


@pytest.mark.parametrize("fails", [False, True])
def test_a_job_tells_when_its_work_is_over(fails):
    over, early = threading.Event(), []

    def work(job):
        early.append(over.is_set())
        if fails:
            raise da.InputError("plan", "one", "none")

    Jobs(Events(), ended=over.set).start("working", work)
    assert over.wait(10)
    assert early == [False]


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc only")
def test_gaps_in_the_heap_are_given_back():
    """Blocks below glibc's limit for pages of their own; some stay, so the heap cannot shrink."""
    blocks = [np.ones(10_000) for _ in range(2_000)]
    full = resident()
    kept = blocks[::50]
    del blocks
    assert trim()
    assert resident() < full - 100 * 2**20
    assert all(block[0] == 1.0 for block in kept)


KEPT_APART = """
import os, numpy as np
from deepaveragers.studio.freed_memory import separate_large_blocks

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

if {apart}:
    assert separate_large_blocks()
np.ones(2_000_000)[:] = 2.0  # freed: from now on glibc would keep such blocks for later
blocks = [np.ones(40_000) for _ in range(500)]
full, blocks = resident(), blocks[::50]
print(full - resident())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc only")
@pytest.mark.parametrize("apart", [True, False])
def test_large_blocks_go_back_as_soon_as_they_are_freed(apart):
    script = KEPT_APART.format(apart=apart)
    given = int(subprocess.check_output([sys.executable, "-c", script], text=True))
    assert (given > 100 * 2**20) == apart


def resident():
    """Return the bytes of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
