"""The commands on the pages: each exists with its options, and the examples run as written."""

from __future__ import annotations

import csv
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
import typer

import deepaveragers as da
from deepaveragers.cli import main
from deepaveragers.cli.app import application

ROOT = Path(__file__).parents[1]
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text()
    for path in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
    if path.name != "CHANGELOG.md"  # it also names what is gone
}
STARTS = ("dac ", "python -m ", "make ")
WAITING = ("dac serve", "dac studio")
"""Commands that go on until they are stopped; their tests are elsewhere."""
QUICK = ("dac fit", ["--time-budget", "30"])
"""Added to this command, so that it learns no networks."""
TARGETS = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
DAC = typer.main.get_command(application())


def shell_lines(page: str) -> list[str]:
    """Return the commands of all blocks of a page, without comments, in their order."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```", page, flags=re.DOTALL | re.MULTILINE)
    text = "\n".join(block for language, block in blocks if language in ("", "sh"))
    lines = text.replace("\\\n", " ").splitlines()
    return [re.sub(r"\s+#.*", "", line).strip() for line in lines if line.startswith(STARTS)]


def quoted(page: str) -> list[str]:
    """Return the commands that stand in the text or indented, whole or in part."""
    text = re.sub(r"^```.*?^```", "", page, flags=re.DOTALL | re.MULTILINE)
    indented = re.findall(r"^    (\S.*)$", text, flags=re.MULTILINE)
    found = [*re.findall(r"`([^`]+)`", text), *indented]
    return [" ".join(one.split()) for one in found if one.startswith(STARTS)]


COMMANDS = sorted(
    {(name, one) for name, page in PAGES.items() for one in [*shell_lines(page), *quoted(page)]}
)


@pytest.mark.parametrize(("page", "command"), COMMANDS)
def test_the_command_exists_with_its_options(page, command):
    words = command.split()
    options = {word.split("=")[0] for word in words if re.match(r"--[a-z]", word)}
    if words[0] == "make":
        assert words[1] in TARGETS
    elif words[0] == "dac":
        if not re.fullmatch(r"[a-z]+", words[1]):  # dac --help, dac ...
            return
        known = DAC.commands[words[1]].params
        assert options <= {word for one in known for word in one.opts} | {"--help"}
    elif words[2] != "pytest":
        assert options <= set(re.findall(r"--[a-z][\w-]*", source_of(words[2])))


@pytest.mark.parametrize("page", ["Makefile", ".github/workflows/ci.yml"])
def test_modules_and_targets_of_the_build_exist(page):
    text = (ROOT / page).read_text()
    own = re.findall(r"-m ((?:benchmarks|experiments|tests)\.[\w.]+)", text)
    for module in own:
        source_of(module)
    assert set(re.findall(r"run: make ([\w-]+)", text)) <= TARGETS


def source_of(module: str) -> str:
    """Return what a module of this repository, or its package, is written as."""
    path = ROOT.joinpath(*module.split("."))
    files = sorted(path.glob("*.py")) if path.is_dir() else [path.with_suffix(".py")]
    assert files, module
    assert all(file.is_file() for file in files), module
    return "\n".join(file.read_text() for file in files)


def run(lines: list[str]) -> None:
    for line in lines:
        if not line.startswith("dac ") or line.startswith(WAITING):
            continue
        with pytest.raises(SystemExit) as left:
            main(shlex.split(line)[1:] + (QUICK[1] if line.startswith(QUICK[0]) else []))
        assert left.value.code == 0, line


@pytest.fixture
def house(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("page", ["comparison", "fit", "gymnasium", "objectives", "report"])
def test_shell_examples_on_cartpole(page, house):
    data = da.collect("CartPole-v1", steps=200, seed=0)
    mdp = da.compile(data, k=5)
    for name, thing in {"data": data, "model": mdp, "plan": mdp.solve()}.items():
        da.save(thing, house / name)
    da.save(mdp.solve(slip=0.1), house / "other")
    np.save("allowed.npy", np.ones((len(data), 2), dtype=bool))
    with open("goals.csv", "w", newline="") as file:
        csv.writer(file).writerows([["centre"], *([-abs(x)] for x in data.observations[:, 0])])
    run(shell_lines(PAGES[f"docs/{page}.md"]))


def test_shell_example_of_continuous_actions(house):
    random = np.random.default_rng(0)
    with open("log.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["run", "speed", "gap", "throttle", "steering", "r", "end"])
        for place in range(120):
            rows.writerow([place // 12, *random.random(4).round(3), 1, int(place % 12 == 11)])
    Path("new.csv").write_text("speed,gap\n0.3,0.4\n")
    run(shell_lines(PAGES["docs/continuous.md"]))
    assert len(Path("decisions.csv").read_text().splitlines()) == 2


@pytest.mark.slow
def test_shell_example_of_representations(house):
    pytest.importorskip("torch")
    da.save(da.collect("CartPole-v1", steps=200, seed=0), house / "data")
    lines = shell_lines(PAGES["docs/representations.md"])
    run([re.sub(r"steps \d+", "steps 20", line) for line in lines])


def test_shell_example_of_data(house):
    page = PAGES["docs/data.md"]
    exec(re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)[0], {})
    Path("columns.toml").write_text(
        'episode = "patient"\ntime = "hour"\nobservations = ["pulse", "lab_*"]\n'
        'action = "drug"\nreward = "score"\nterminated = "died"\n'
    )
    run(shell_lines(page))


@pytest.mark.slow
def test_shell_example_of_the_readme(house):
    script = re.findall(r"```python\n(.*?)```", PAGES["docs/tables.md"], flags=re.DOTALL)[0]
    exec(script.replace("range(300)", "range(40)"), {})
    Path("new.csv").write_text("age,sex,lactate,pressure\n60,F,4.1,67\n")
    run([line for line in shell_lines(PAGES["README.md"]) if "quickstart" not in line])
    assert len(Path("decisions.csv").read_text().splitlines()) == 2
