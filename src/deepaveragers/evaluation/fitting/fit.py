"""From a log to a policy, and to an honest answer whether it is better than what is done today.

1. The episodes are divided into folds. For each, every candidate is made from the others, and
   judged on the fold by judges that saw nothing else (`judges.panel`).
2. What decides is the difference to logged behaviour, in units of reward. These judges leave out
   what is clearly worse. All candidates are made from all of the log too, and simulators compare
   those that are left; of what this does not tell apart, a cautious one is taken (`choosing`).
3. What is reported is honest about the choice: each fold judges a candidate made from the *other*
   folds, chosen in the same way by the others' judges and simulators.
4. The interval reaches from the lowest to the highest end of all judges that can say something;
   its upper end also covers the policy from all of the log, judged by what it was made from.
   Its lower end is a bound for a policy made in the same way from less data.

With an environment and a budget N_e > 1, the best N_e are played in it, as in the paper, and the
best of those is chosen; the interval is still that of the log.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ...arguments import (
    check_takes,
    file_path,
    flag,
    instance,
    known_keywords,
    number,
    optional,
    seed_number,
    several,
    whole_number,
)
from ...data.environments import EnvironmentSource, maker
from ...data.observations import is_image
from ...data.transitions import Transitions
from ...errors import InputError
from ..candidates import Candidate
from .answer import Fit
from .defaults import default_candidates
from .engine import Engine
from .judges.panel import can_learn
from .judging import Judging
from .kept import kept_in
from .on_cluster import Course, judge_on_cluster, place_asked

LEAST_TO_LEARN = 60.0
"""Seconds of a time budget, below which no networks are learnt."""
INSTALL = (
    "Not installed: torch. With it, representations and a simulator are learnt from the log, which "
    "makes better policies and tells more about them: pip install 'deepaveragers[deep]'"
)
HURRIED = f"With {LEAST_TO_LEARN:g} s or more, networks would be learnt, which tell more."
PICTURES = (
    "Pictures are judged by walks from one logged picture to another, which err by their jumps: "
    "the estimate is rough, and a better policy may not be shown."
)


@known_keywords
def fit(
    data: Transitions,
    candidates: Sequence[Candidate] | None = None,
    budget: int = 1,
    env: EnvironmentSource | None = None,
    *,
    gamma: float = 0.99,
    level: float = 0.9,
    folds: int = 2,
    episodes: int = 100,
    time_budget: float | None = None,
    resume_dir: str | os.PathLike[str] | None = None,
    seed: int = 0,
    show_progress: bool | None = None,
    watch: Callable[[int, int], None] | None = None,
    cluster: str | None = None, work_dir: str | os.PathLike[str] | None = None,
) -> Fit:  # fmt: skip
    """Make a policy from a log, and say whether it is better than what is done today.

    Args:
        data: the log; two episodes at least, or one long series.
        candidates: what to try; None tries what suits the log.
        budget: N_e, candidates that may be played in the environment; 1 needs none.
        env: the environment, for a budget above 1.
        gamma: discount of the returns by which all is judged.
        level: of the intervals.
        folds: parts of the log that judge in turn.
        episodes: per candidate that is played.
        time_budget: seconds after which no further candidate is begun; None: no limit.
        resume_dir: where finished judgements are kept, so that a stopped fit can continue.
        seed: of folds, networks and simulated episodes.
        show_progress: force bars on or off; None shows them on a terminal.
        watch: called with the steps that are done and their number; what it raises ends the fit.
        cluster: judge on Ray: "auto", or an address, as in `compile`; the answer is the same.
        work_dir: for that, a folder that all nodes see; a killed fit continues from there.
    """
    began = time.perf_counter()
    instance("data", data, Transitions, "Transitions")
    gamma = number("gamma", gamma, least=0.0, below=1.0, remedy="A common choice is 0.99.")
    level = number("level", level, above=0.0, below=1.0, remedy="A common choice is 0.9.")
    budget, count = whole_number("budget", budget), whole_number("folds", folds, least=2)
    _check_calls(env, budget, watch, show_progress)
    episodes, seed = whole_number("episodes", episodes), seed_number(seed)
    seconds = optional(number, "time_budget", time_budget, above=0.0, unlimited=True)
    learn = can_learn() and (seconds is None or seconds >= LEAST_TO_LEARN)
    chosen = _checked(candidates) or default_candidates(data, gamma, networks=learn)
    settings: dict[str, Any] = {"gamma": gamma, "folds": count, "learn": learn, "seed": seed}
    alone = {"time_budget": time_budget, "resume_dir": resume_dir, "watch": watch}
    place, folder = _place(cluster, work_dir, alone)
    kept = kept_in(folder, data, chosen, (gamma, count, learn, seed))
    deadline = None if seconds is None else began + seconds
    told: dict[str, Any] = {"show_progress": show_progress, "watch": watch}
    judging = Judging(data, chosen, **settings, kept=kept)
    engine = Engine(judging, chosen, level=level, deadline=deadline, **told)
    if place:
        judge_on_cluster(Course(kept, chosen, settings), data, **place, show_progress=show_progress)
    engine.judge()
    if budget > 1 and env is not None:
        engine.play(budget, env, episodes)
    return engine.answer((*engine.notes, *_what_would_help(data, learn)), began)


def _place(cluster: Any, work_dir: Any, alone: dict[str, Any]) -> tuple[Any, Path | None]:
    """Return the cluster that was asked for, or None, and where judgements are kept."""
    place = place_asked(cluster, work_dir, **alone)
    if place:
        return place, place["work_dir"]
    return None, optional(file_path, "resume_dir", alone["resume_dir"])


def _what_would_help(data: Transitions, learnt: bool) -> list[str]:
    """Return what to say of pictures, and where networks are not installed or have no time."""
    lacking = [] if learnt else [HURRIED if can_learn() else INSTALL]
    return [*lacking, PICTURES] if is_image(data.observations) else lacking


def _check_calls(
    env: EnvironmentSource | None,
    budget: int,
    watch: Callable[[int, int], None] | None,
    show_progress: bool | None,
) -> None:
    """Check what is called later: the environment, who watches, and whether bars are shown."""
    optional(flag, "show_progress", show_progress)
    if env is None and budget > 1:
        raise InputError("env", "given for a budget above 1", env, "Or choose with budget=1.")
    if env is not None:
        maker(env)
    if watch is not None:
        check_takes("watch", watch, "done", "steps")


def _checked(given: Any) -> tuple[Candidate, ...]:
    """Return the candidates; none for None."""
    if given is None:
        return ()
    candidates = several("candidates", given, "at least one Candidate", least=1)
    for candidate in candidates:
        instance("candidates", candidate, Candidate, "at least one Candidate")
    return candidates
