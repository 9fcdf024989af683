from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys

import pytest

from deepaveragers.cli import main


def run(capsys, command):
    with pytest.raises(SystemExit) as leaving:
        main(shlex.split(command))
    output = capsys.readouterr()
    assert leaving.value.code in (0, None), output.err
    return output.out


def test_the_pipeline_by_commands(tmp_path, capsys):
    data, model, plan = (tmp_path / name for name in ("data", "model", "plan"))
    made = json.loads(run(capsys, f"collect CartPole-v1 -o {data} --steps 2000 --json"))
    assert made["transitions"] == 2000
    compiled = json.loads(run(capsys, f"compile {data} -o {model} --k 3 --json"))
    assert compiled["search"]["recall"] == 1.0
    solved = json.loads(run(capsys, f"solve {model} -o {plan} --gamma 0.95 --json"))
    assert solved["status"] == "optimal"
    played = json.loads(run(capsys, f"evaluate {plan} --env CartPole-v1 --episodes 5 --json"))
    assert played["episodes"] == 5
    assert played["interval"][0] <= played["mean_return"] <= played["interval"][1]
    for path, kind in ((data, "transitions"), (model, "model"), (plan, "plan")):
        assert json.loads(run(capsys, f"info {path} --json"))["kind"] == kind


def test_a_plan_can_be_solved_again(tmp_path, capsys, plan):
    import deepaveragers as da

    da.save(plan, tmp_path / "plan")
    run(capsys, f"solve {tmp_path / 'plan'} -o {tmp_path / 'other'} --gamma 0.5")
    assert da.load(tmp_path / "other").objective.gamma == 0.5


def test_a_bundle_never_gives_way_to_one_of_another_kind(tmp_path, capsys, cartpole, model):
    import deepaveragers as da

    da.save(cartpole, tmp_path / "data")
    da.save(model, tmp_path / "model")
    for command in (
        f"compile {tmp_path / 'data'} -o {tmp_path / 'data'}",
        f"solve {tmp_path / 'model'} -o {tmp_path / 'model'}",
        f"collect CartPole-v1 --steps 10 -o {tmp_path / 'model'}",
    ):
        with pytest.raises(SystemExit) as leaving:
            main(shlex.split(command))
        assert leaving.value.code == 2
        assert "another kind" in capsys.readouterr().err
    assert isinstance(da.load(tmp_path / "data"), da.Transitions)
    assert isinstance(da.load(tmp_path / "model"), da.DacMdp)
    with pytest.raises(da.StorageError, match="another kind"):
        da.save(model, tmp_path / "data")


def test_info_tells_what_was_asked(tmp_path, capsys, model):
    import deepaveragers as da

    rewards = model.transitions.rewards
    asked = {"forbidden_actions": [0], "slip": 0.1, "rewards": rewards, "cost": 2.0}
    da.save(model.solve(**asked), tmp_path / "plan")
    told = json.loads(run(capsys, f"info {tmp_path / 'plan'} --json"))["asked"]
    assert told == {"forbidden_actions": [0], "slip": 0.1, "rewards": "given", "cost": 2.0}


def test_ctrl_c_says_so(monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("deepaveragers.storage.records.load", interrupted)
    with pytest.raises(SystemExit) as leaving:
        main(["info", "anything"])
    assert leaving.value.code == 130
    assert "Interrupted" in capsys.readouterr().err


def test_ctrl_c_while_the_commands_are_loaded(tmp_path):
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt")
    paths = [str(tmp_path), *filter(None, sys.path)]
    ended = subprocess.run(
        [sys.executable, "-c", "from deepaveragers.cli import main; main()", "info", "--json"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 130
    assert ended.stderr == "dac: Interrupted.\n"
    assert "Interrupted" in json.loads(ended.stdout)["error"]


@pytest.mark.parametrize("kind", ["cartpole", "model", "plan"])
def test_info_is_readable(kind, request, tmp_path, capsys):
    import deepaveragers as da

    da.save(request.getfixturevalue(kind), tmp_path / "bundle")
    text = run(capsys, f"info {tmp_path / 'bundle'}")
    assert "3,000" in text


def test_help_and_version(capsys):
    assert "quickstart" in run(capsys, "--help")
    assert run(capsys, "--version").startswith("dac ")


def test_quickstart_ends_with_a_next_step_that_can_be_typed(tmp_path, capsys, monkeypatch):
    command = f"quickstart --steps 500 --episodes 2 --output {tmp_path}"
    monkeypatch.setattr(sys, "argv", [".venv/bin/dac"])
    monkeypatch.setenv("PATH", str(tmp_path))
    shown = run(capsys, command)
    assert ".venv/bin/dac import" in shown
    assert "source .venv/bin/activate" in shown
    (tmp_path / "dac").touch(mode=0o755)
    shown = run(capsys, command)
    assert ": dac import" in shown
    assert "activate" not in shown


def test_quickstart_small(tmp_path, capsys):
    out = run(
        capsys, f"quickstart --steps 4000 --episodes 5 --output {tmp_path / 'pictures'} --json"
    )
    result = json.loads(out)
    assert result["mean_return"] > result["behaviour_mean_return"]
    assert (tmp_path / "pictures" / "quickstart.png").stat().st_size > 10_000


def test_a_command_that_is_asked_for_is_loaded_alone():
    code = """
import sys
from deepaveragers.cli import main
try:
    main(["info", "--help"])
finally:
    print("deepaveragers.cli.studio_command" in sys.modules)
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.endswith("False\n")
