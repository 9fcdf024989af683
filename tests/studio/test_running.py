"""Several tabs, overtaken questions, events, jobs; a whole server on a real port."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import uvicorn
from tests.studio.conftest import TOKEN, Page

import deepaveragers as da
from deepaveragers.cli import main
from deepaveragers.server.patience import protocol_with
from deepaveragers.server.problems import Problem
from deepaveragers.solvers.iteration.limits import Progress
from deepaveragers.studio.events import Events
from deepaveragers.studio.jobs import Jobs
from deepaveragers.studio.plans import Plans
from deepaveragers.studio.replanning import Overtaken, Replanning
from deepaveragers.studio.serving import LIMITS


def test_a_newer_question_stops_an_older_one():
    began, seen = threading.Event(), []

    def endless(turn):
        began.set()
        while True:
            turn.check()
            time.sleep(0.001)

    async def course():
        turns = Replanning()
        older = asyncio.create_task(turns.run("a", 1, endless))
        await asyncio.to_thread(began.wait, 10)
        waiting = asyncio.create_task(turns.run("a", 2, seen.append))
        await asyncio.sleep(0)
        newest = asyncio.create_task(turns.run("a", 3, lambda turn: "the newest"))
        with pytest.raises(Overtaken):
            await older
        with pytest.raises(Overtaken):
            await waiting
        assert await newest == "the newest"
        with pytest.raises(Overtaken):
            await turns.run("a", 2, seen.append)
        assert await turns.run("b", 1, lambda turn: "another tab") == "another tab"

    asyncio.run(course())
    assert seen == []


def test_tabs_do_not_stop_each_other():
    order = []

    def work(name):
        def working(turn):
            for _ in range(20):
                turn.check()
                time.sleep(0.001)
            order.append(name)
            return name

        return working

    async def course():
        turns = Replanning()
        tabs = [turns.run(f"tab {n}", 1, work(n)) for n in range(5)]
        assert await asyncio.gather(*tabs) == list(range(5))

    asyncio.run(course())
    assert order == list(range(5))


def test_the_planner_is_stopped_between_sweeps(page, mdp):
    page.get("/api/model")
    sweeps = []

    def stop(seen):
        sweeps.append(seen.sweeps)
        raise Overtaken

    from deepaveragers.studio.question_messages import Question

    with pytest.raises(Overtaken):
        page.session.plan(Question(gamma=0.95), stop)
    assert len(sweeps) == 1
    told = page.ask({"gamma": 0.95}).head["plan"]
    expected = mdp.solve(gamma=0.95)
    assert told["mean_value"] == pytest.approx(expected.values.mean(), abs=2 * expected.error)


def test_old_sequences_are_told_that_they_are(page):
    page.post("/api/plans", question={}, tab="a", sequence=5)
    page.post("/api/plans", status=204, question={"gamma": 0.5}, tab="a", sequence=4)


def test_plans_that_are_gone_are_made_again(page):
    page.session.plans = Plans(most_bytes=1)
    names = [page.ask({"gamma": gamma}).head["plan"]["id"] for gamma in (0.5, 0.6, 0.7)]
    assert page.session.plans.get(names[0]) is None
    assert page.get(f"/api/plans/{names[0]}")["question"]["gamma"] == 0.5
    assert page.session.plans.get(names[2]) is None


def test_events_reach_the_tabs_they_are_for():
    async def course():
        events = Events()
        streams = {tab: events.listen(tab) for tab in ("a", "b")}
        for stream in streams.values():
            assert (await anext(stream)).startswith(b":")
        await asyncio.to_thread(events.tell, {"type": "progress", "job": "x"}, "a")
        await asyncio.to_thread(events.tell, {"type": "findings", "count": 3})
        told = {tab: await asyncio.wait_for(anext(s), 5) for tab, s in streams.items()}
        assert b'"progress"' in told["a"]
        assert told["b"] == b'data: {"type":"findings","count":3}\n\n'
        for _ in range(1000):
            events.tell({"type": "findings", "count": 0})
        await asyncio.sleep(0.05)
        for stream in streams.values():
            await stream.aclose()
        assert events.listeners == 0

    asyncio.run(course())


def test_jobs_end_and_can_be_dropped():
    events, go = Events(), threading.Event()
    jobs = Jobs(events)
    quick = jobs.start("quick", lambda job: {"x": 1})
    slow = jobs.start("slow", lambda job: go.wait(20))
    _until(lambda: quick.state == "done")
    assert quick.told()["result"] == {"x": 1}
    second = jobs.start("slow, too", lambda job: go.wait(20))
    with pytest.raises(Problem, match="running"):
        jobs.start("too many", lambda job: None)
    slow.cancel()
    assert slow.told()["state"] == "cancelled"
    go.set()
    _until(lambda: second.state == "done")
    assert slow.told()["state"] == "cancelled"

    def refused(job):
        raise da.InputError("x", "y", "z")

    failing = jobs.start("failing", refused)
    _until(lambda: failing.state == "failed")
    assert "x must be y" in failing.told()["error"]
    with pytest.raises(Problem, match="no job"):
        jobs.known("job-99")


def _until(done):
    deadline = time.monotonic() + 300
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.slow
def test_a_cancelled_estimate_ends_at_its_next_step(page):
    plan = page.get("/api/opening")["plan"]["id"]
    job = page.post("/api/trust/estimate", status=202, plan=plan)["job"]
    assert page.delete(f"/api/jobs/{job}")["state"] == "cancelled"
    _until(lambda: job not in {thread.name for thread in threading.enumerate()})
    assert page.get("/api/trust", plan=plan)["estimate"] is None


@pytest.mark.slow
def test_an_estimate_on_held_out_episodes(page):
    plan = page.get("/api/opening")["plan"]["id"]
    job = page.post("/api/trust/estimate", status=202, plan=plan)["job"]
    _until(lambda: page.get(f"/api/jobs/{job}")["state"] != "running")
    told = page.get(f"/api/jobs/{job}")
    assert told["state"] == "done", told
    assert re.match("This plan|A plan made like this|Nothing can be said", told["result"]["answer"])
    assert "candidate" not in told["result"]["answer"]
    assert told["result"]["notes"] == []
    assert page.get("/api/trust", plan=plan)["estimate"] == told["result"]
    assert page.delete(f"/api/jobs/{job}")["state"] == "done"


@pytest.fixture
def served(mdp, tmp_path):
    """The address of a whole studio, run by the command."""
    da.save(mdp, tmp_path / "model")
    command = "from deepaveragers.cli import main; main()"
    options = ["--port", "0", "--no-browser", "--json", "--output", str(tmp_path)]
    with subprocess.Popen(
        [sys.executable, "-c", command, "studio", str(tmp_path / "model"), *options],
        stdout=subprocess.PIPE,
    ) as process:
        yield json.loads(process.stdout.readline())["address"]
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


@pytest.mark.slow
def test_a_browser_comes_in_by_the_printed_address(served):
    host, _, rest = served.removeprefix("http://").partition("/")
    connection = http.client.HTTPConnection(host, timeout=20)
    connection.request("GET", f"/{rest}")
    answer = connection.getresponse()
    answer.read()
    assert (answer.status, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].partition(";")[0]
    assert cookie.startswith(f"dac_studio_{host.rpartition(':')[2]}=")
    for path in ("/", "/api/model"):
        connection.request("GET", path, headers={"cookie": cookie})
        answer = connection.getresponse()
        content = answer.read()
        assert answer.status == 200
    assert json.loads(content)["states"] == 900
    connection.request("GET", "/api/events?tab=x", headers={"cookie": cookie})
    assert connection.getresponse().readline() == b": here\n"
    connection.close()


@pytest.fixture
def listening(page):
    """The port of a server in this process."""
    config = uvicorn.Config(
        page.app, port=0, http=protocol_with(LIMITS), lifespan="off", log_config=None
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    _until(lambda: server.started)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join(60)


def _posted(port, gamma, tab):
    """Return a connection that has asked a question."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    asked = {"question": {"gamma": gamma}, "tab": tab, "sequence": 1}
    headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
    connection.request("POST", "/api/plans", json.dumps(asked), headers)
    return connection


def test_a_closed_tab_holds_nobody_up(listening, monkeypatch):
    began, ended = threading.Event(), threading.Event()

    def endless(self, objective, *, callback, solve=da.DacMdp.solve, **more):
        if objective.gamma < 0.9999999:
            return solve(self, objective, callback=callback, **more)
        began.set()
        try:
            while not callback(Progress(1, 1.0, 0.1, 1.0)):
                time.sleep(0.01)
        finally:
            ended.set()

    monkeypatch.setattr(da.DacMdp, "solve", endless)
    closed = _posted(listening, 0.9999999, "a")
    assert began.wait(20)
    waiting = _posted(listening, 0.93, "b")
    closed.sock.close()
    answer = waiting.getresponse()
    assert answer.status == 200
    assert b'"gamma":0.93' in answer.read()
    assert ended.is_set()


def test_a_plan_that_takes_too_long_is_shown_as_far_as_it_is(page):
    from deepaveragers.studio.question_messages import Question

    told = page.session.plan(Question(gamma=0.9999), seconds=0.0).summary
    assert told.status == "interrupted"
    assert "stopped after" in told.warnings[0]
    assert 0.0 < told.error < np.inf


def test_commands_that_cannot_be_begun(tmp_path, capsys):
    for command in (
        ["studio", str(tmp_path / "nothing"), "--no-browser"],
        ["studio", str(tmp_path), "--port", "99999", "--no-browser"],
        ["studio", str(tmp_path), "--port", "x", "--no-browser"],
    ):
        with pytest.raises(SystemExit) as left:
            main(command)
        assert left.value.code == 2
        told = capsys.readouterr().err
        assert told.startswith("dac: ")
        assert told.count("\n") == 1


def test_pictures_have_to_be_compiled_first(picture_mdp, tmp_path):
    with pytest.raises(da.InputError, match="--encoder"):
        Page(picture_mdp.transitions, tmp_path)


def test_data_are_compiled(mdp, tmp_path):
    model = Page(mdp.transitions, tmp_path).get("/api/model")
    assert (model["k"], model["states"]) == (5, len(mdp))


def test_plans_end_with_the_session(page):
    from deepaveragers.studio.question_messages import Question

    page.get("/api/model")
    page.session.close()
    with pytest.raises(Overtaken):
        page.session.plan(Question(gamma=0.91))


@pytest.mark.slow
def test_random_requests_meet_no_mistake(page, mdp):
    random = np.random.default_rng(0)
    plans = [page.get("/api/opening")["plan"]["id"]]
    fields = {
        "gamma": lambda: float(random.choice([0.0, 0.3, 0.9, 0.99, 0.9999])),
        "cost": lambda: float(random.choice([0.0, 0.1, 100.0])),
        "k": lambda: int(random.integers(1, 5)),
        "weighting": lambda: "uniform",
        "slip": lambda: float(random.choice([0.1, 1.0])),
        "worst_case": lambda: float(random.choice([0.2, 1.0])),
        "horizon": lambda: int(random.integers(1, 20)),
        "support": lambda: float(random.choice([0.3, 1.0])),
        "forbidden": lambda: random.choice(3, int(random.integers(1, 3)), replace=False).tolist(),
        "penalties": lambda: {"1": float(random.normal())},
        "reward": lambda: {"terms": [{"weight": 1.0, "of": "state", "column": "place"}]},
    }
    for number in range(40):
        names = random.choice(list(fields), int(random.integers(0, 4)), replace=False)
        question = {name: fields[name]() for name in names.tolist()}
        by = str(random.choice(["value", "action", "support", "reward", "gap", "changed"]))
        told = page.ask(question, against=str(random.choice(plans)), colouring=by).head["plan"]
        plan, other = told["id"], str(random.choice(plans))
        plans.append(plan)
        state = int(random.integers(len(mdp)))
        page.post("/api/inspect", plan=plan, state=state)
        far = random.normal(0, 10.0 ** random.integers(0, 4), 3).tolist()
        page.post("/api/inspect", plan=plan, observation=far)
        page.post("/api/imagine", plan=plan, state=state)
        chosen = random.choice(len(mdp), number, replace=False).tolist()
        page.post("/api/inspect/group", plan=plan, states=chosen)
        for path in ("data", "trust"):
            page.get(f"/api/{path}", plan=plan)
        page.get("/api/compare", left=plan, right=other)
        page.get("/api/map.png", x="p0", y="c1", plan=plan, by="difference", other=other)
