"""The whole story on three kinds of data, with nothing to complain about."""

from __future__ import annotations

import pytest
from tests.studio.browser import story

import deepaveragers as da


@pytest.mark.parametrize("name", ["cartpole", "table", "pictures"])
def test_the_whole_story(enter, name):
    visit = enter(name)
    assert visit.colours() > 5
    story.ask_questions(visit)
    story.look_closer(visit)
    if name == "pictures":
        seen = visit.page.locator("img.seen")
        assert seen.evaluate("image => image.naturalWidth") > 0
    story.compare_pins(visit)
    story.read_about(visit)
    story.take_away(visit)
    story.come_back(visit)
    assert isinstance(da.load(visit.studio.output / "policy"), da.CompactPolicy)


def test_the_story_of_continuous_actions(enter):
    visit = enter("pendulum")
    story.ask_about_rows(visit)
    story.look_closer(visit)
    story.compare_pins(visit)
    story.read_about(visit)
    story.take_away(visit)
    story.come_back(visit)
    policy = da.load(visit.studio.output / "policy")
    assert policy.act([1.0, 0.0, 0.0]).shape == (1,)
