"""The picture of the method is the one that its command draws."""

from pathlib import Path

from experiments.method_picture import picture

FILE = Path(__file__).parents[2] / "docs" / "images" / "method.svg"


def test_the_picture_is_what_the_command_draws():
    assert FILE.read_text() == picture()
