"""The rooms need MiniWorld (an extra) and OpenGL; without them these tests are skipped."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session", autouse=True)
def _drawing_works() -> None:
    from experiments.navigation.rooms import SimpleRoom

    try:
        SimpleRoom()
    except Exception as error:  # pyglet raises many kinds where OpenGL is missing
        pytest.skip(f"OpenGL cannot draw here: {error}")
