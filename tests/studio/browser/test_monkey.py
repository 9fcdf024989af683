"""A short random walk; `python -m benchmarks.studio.monkey` takes a long one."""

from __future__ import annotations

from benchmarks.studio.monkey import Monkey

DEEDS = 120


def test_random_deeds_break_nothing(enter):
    visit = enter("table")
    monkey = Monkey(visit, seed=7)
    for _ in range(DEEDS):
        monkey.act()
    visit.page.reload()
    visit.page.wait_for_selector(".legend")
