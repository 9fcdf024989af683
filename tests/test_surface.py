from __future__ import annotations

import inspect
import pydoc
import subprocess
import sys
from dataclasses import fields

import deepaveragers as da
from deepaveragers.mdp.objective import ObjectiveFields
from deepaveragers.solvers.planner import solve


def test_every_public_name_is_there():
    for name in da.__all__:
        assert getattr(da, name) is not None
    assert set(dir(da)) == {*da.__all__, "__version__"}


def test_importing_loads_nothing_heavy():
    script = (
        "import sys, deepaveragers as da\n"
        "da.Transitions, da.Objective, da.compile, da.InputError\n"
        "heavy = {'torch', 'ray', 'faiss', 'minari', 'matplotlib', 'numba', 'gymnasium', 'rich'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_help_shows_everything_that_can_be_asked_of_solve(model):
    shown = inspect.signature(model.solve).parameters
    planner = inspect.signature(solve).parameters
    for name in planner.keys() - {"mdp", "objective"}:
        assert shown[name].default == planner[name].default, name
    for field in fields(da.Objective):
        assert shown[field.name].default == field.default, field.name
    assert shown.keys() == (planner.keys() - {"mdp"}) | da.Objective.field_names()
    text = pydoc.render_doc(da.DacMdp.solve)
    assert all(name in text for name in shown)


def test_editors_know_the_fields_of_an_objective():
    own = {field.name: field.type for field in fields(da.Objective)}
    assert inspect.get_annotations(da.Objective) == own
    declared = {
        name: hint.__forward_arg__ for name, hint in ObjectiveFields.__annotations__.items()
    }
    assert declared == own
