from __future__ import annotations

import html
import json

import deepaveragers as da
from deepaveragers.cli.app import run


def test_fit_writes_the_plan_the_answer_and_a_picture(tmp_path, capsys):
    da.save(da.collect("CartPole-v1", 600, seed=0), tmp_path / "data")
    words = ["fit", str(tmp_path / "data"), "-o", str(tmp_path / "plan"), "--gamma", "0.9"]
    words += ["--time-budget", "20"]
    page = ["--report", str(tmp_path / "fit.html")]
    assert run([*words, "--picture", str(tmp_path / "fit.png"), *page, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["chosen"] in [one["candidate"] for one in found["candidates"]]
    assert found["interval"][0] <= found["better"] <= found["interval"][1]
    policy = da.load(tmp_path / "plan").policy()
    assert policy.k == found["k_pi"]
    assert policy.lookup in (found["lookup"], "nearest")
    assert (tmp_path / "fit.png").exists()
    assert html.escape(found["answer"]) in (tmp_path / "fit.html").read_text()
    assert run(words) == 0
    text = capsys.readouterr().out
    assert "held-out" in text
