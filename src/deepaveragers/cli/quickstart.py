"""The whole method in one command: random CartPole experience in, a balancing policy out."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from .output import AsJson, Seed, seconds, show, table

ENVIRONMENT = "CartPole-v1"
REPLAN_GAMMA = 0.95
KERNELS = "kernels, first run"
"""The row of the time that compiling kernels took; it is in no other row."""

Result = TypeVar("Result")


def quickstart(
    steps: Annotated[int, typer.Option(help="Random transitions to learn from.")] = 100_000,
    episodes: Annotated[int, typer.Option(help="Episodes to evaluate on.")] = 100,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Directory for the picture.")
    ] = Path("quickstart"),
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Balance CartPole from random experience alone: collect, compile, plan, evaluate."""
    import deepaveragers as da

    from ..compiling import compile_clock
    from ..evaluation.pictures import check_picture, quickstart_picture

    picture = output / "quickstart.png"
    check_picture(picture)
    with compile_clock() as compiled:
        clock = _Clock(compiled)
        data = clock("collect", lambda: da.collect(ENVIRONMENT, steps, seed=seed))
        mdp = clock("compile", lambda: da.compile(data, k=5))
        plan = clock("plan", lambda: mdp.solve(gamma=0.99, cost=1.0))
        free = clock("plan, C=0", lambda: mdp.solve(gamma=0.99, cost=0.0))
        replan = clock("re-plan", lambda: mdp.solve(gamma=REPLAN_GAMMA, cost=1.0))

        def play(asked: da.Plan) -> da.EvaluationReport:
            return da.evaluate(asked.policy(k=11), ENVIRONMENT, episodes, seed=seed + 1)

        report = clock("evaluate", lambda: play(plan))
        report_free = clock("evaluate, C=0", lambda: play(free))
        returns = {
            "behaviour (random)": data.episode_returns(),
            "averager, C=0": report_free.returns,
            "DAC plan, C=1": report.returns,
        }
        clock("picture", lambda: quickstart_picture(plan, returns, picture))
    result = {
        **report.summary(),
        "behaviour_mean_return": float(data.episode_returns().mean()),
        "zero_cost_mean_return": report_free.mean,
        "status": plan.status,
        "certified_error": plan.error,
        "replan_seconds": replan.seconds,
        "seconds": clock.seconds,
        "total_seconds": sum(clock.seconds.values()),
        "picture": str(picture),
    }
    show(result, _text(result, clock, report, report_free), as_json=as_json)


class _Clock:
    """Times the steps by name, and apart from them the compiling of kernels."""

    def __init__(self, compiled: Callable[[], float]) -> None:
        self.seconds = {KERNELS: 0.0}
        self._compiled = compiled

    def __call__(self, step: str, work: Callable[[], Result]) -> Result:
        began, before = time.perf_counter(), self._compiled()
        result = work()
        kernels = self._compiled() - before
        self.seconds[step] = time.perf_counter() - began - kernels
        self.seconds[KERNELS] += kernels
        return result


def _text(result: dict[str, Any], clock: _Clock, report: Any, free: Any) -> str:
    def interval(of: Any) -> str:
        return f"{of.interval[0]:.1f} to {of.interval[1]:.1f}"

    returns = table(
        [
            ("behaviour (random)", f"{result['behaviour_mean_return']:.1f}", ""),
            ("averager, C=0", f"{free.mean:.1f}", interval(free)),
            ("DAC plan, C=1", f"{report.mean:.1f}", interval(report)),
        ],
        ("policy", "mean return", "95 % interval"),
    )
    steps = table(
        [(step, seconds(duration)) for step, duration in clock.seconds.items()], ("step", "time")
    )
    return (
        f"{returns}\n\n{steps}\n\n"
        f"Values certified to +-{result['certified_error']:.2g}; a re-plan with gamma "
        f"{REPLAN_GAMMA} took {seconds(result['replan_seconds'])}.\n"
        f"Picture: {result['picture']}\n\n{_next_step()}"
    )


def _next_step() -> str:
    """Say what to do now, with a name of this command that the reader's shell finds."""
    called = Path(sys.argv[0])
    unknown = called.stem == "dac" and shutil.which("dac") is None
    dac = str(called) if unknown else "dac"
    lines = [
        f"Next, your own log: {dac} import YOUR_LOG.csv --episode COLUMN --time COLUMN "
        "--terminated COLUMN --action COLUMN --reward COLUMN -o data",
        f"All commands: {dac} --help",
    ]
    if unknown:
        lines.append(f"For plain 'dac' in this shell: source {called.with_name('activate')}")
    return "\n".join(lines)
