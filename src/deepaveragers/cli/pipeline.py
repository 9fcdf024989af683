"""collect, compile, evaluate, info: the pipeline, one command a step; solve has its own file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .options import Lookup, OnCluster, Output, Smoothness, WorkDir, numbers
from .output import AsJson, Seed, described, seconds, show

Environment = Annotated[str, typer.Option("--env", help="Id of a Gymnasium environment.")]
EncoderName = Annotated[
    str,
    typer.Option(
        help="'standardize' (unit variance), 'identity' (raw numbers), 'random' (a network), "
        "'dynamics' (what actions do), 'outcomes' (and what followed), 'behavior' (what was "
        "done), 'dqn' or 'bcq' (trained on the data), or a file of `dac train`."
    ),
]
TrainSteps = Annotated[
    int | None,
    typer.Option(help="Updates of training; by default 3,000 of dynamics, 100,000 of others."),
]
TrainDir = Annotated[
    Path | None, typer.Option(help="Keep training's checkpoint and log here, to continue from.")
]
Candidates = Annotated[
    int | None,
    typer.Option(help="Where actions are continuous, those a state chooses among; else 20."),
]


def collect(
    env: Annotated[str, typer.Argument(help="Id of a Gymnasium environment.")],
    output: Output,
    steps: Annotated[int, typer.Option(help="Number of transitions.")] = 100_000,
    policy: Annotated[
        str,
        typer.Option(help="'random', a plan, or a network of `dac train` (.safetensors)."),
    ] = "random",
    k: Smoothness = None,
    lookup: Lookup = None,
    epsilon: Annotated[
        str,
        typer.Option(help="Chance of a random action; several, by commas: one per episode."),
    ] = "0",
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Collect transitions from a Gymnasium environment."""
    from ..data.collecting import collect as collect_transitions
    from ..storage.bundle import check_target
    from ..storage.records import save

    check_target(output, "transitions")
    actor = policy if policy == "random" else _actor(policy, k, lookup)
    chances = numbers("--epsilon", epsilon)
    data = collect_transitions(env, steps, actor, epsilon=chances, seed=seed)
    save(data, output)
    returns = data.episode_returns()
    result = {
        "output": str(output),
        "transitions": len(data),
        "episodes": data.num_episodes,
        "actions": list(data.action_names),
        "mean_return": float(returns.mean()),
    }
    text = (
        f"{len(data):,} transitions in {data.num_episodes:,} episodes, "
        f"mean return {returns.mean():.1f} -> {output}"
    )
    show(result, text, as_json=as_json)


def compile(
    data: Annotated[Path, typer.Argument(help="A bundle of transitions.")],
    output: Output,
    k: Annotated[int, typer.Option(help="Neighbours per state and action.")] = 5,
    encoder: EncoderName = "standardize",
    train_steps: TrainSteps = None,
    train_dir: TrainDir = None,
    seed: Seed = 0,
    candidates: Candidates = None,
    landing: Annotated[
        str | None, typer.Option(help="Where actions are continuous: 'change' or 'own'.")
    ] = None,
    neighbors: Annotated[
        str, typer.Option(help="Engine: auto, tree, dense, brute, torch or hnsw.")
    ] = "auto",
    time_budget: Annotated[
        float | None, typer.Option(help="Seconds that the search may take.")
    ] = None,
    approximate: Annotated[
        bool, typer.Option("--approximate", help="Allow an approximate engine to keep the budget.")
    ] = False,
    resume_dir: Annotated[
        Path | None, typer.Option(help="Keep finished blocks here; a killed compile continues.")
    ] = None,
    cluster: OnCluster = None,
    work_dir: WorkDir = None,
    as_json: AsJson = False,
) -> None:
    """Compile transitions into a finite MDP by nearest neighbours."""
    from ..data.transitions import Transitions
    from ..mdp.compilation import compile as compile_mdp
    from ..representation.catalogue import encoder_by_name
    from ..storage.bundle import check_target
    from ..storage.records import load_as, save

    check_target(output, "model")
    transitions = load_as(Transitions, data)
    mdp = compile_mdp(
        transitions,
        k,
        encoder_by_name(
            encoder, transitions, train_steps=train_steps, seed=seed, run_dir=train_dir
        ),
        candidates=candidates,
        landing=landing,  # type: ignore[arg-type]
        neighbors=neighbors,  # type: ignore[arg-type]
        time_budget=time_budget,
        allow_approximate=approximate,
        resume_dir=resume_dir,
        cluster=cluster,
        work_dir=work_dir,
    )
    save(mdp, output)
    report = mdp.graph.report
    result = {"output": str(output), **described(mdp)}
    text = (
        f"{len(mdp):,} core states x {mdp.choices_in_words} x k={mdp.graph.k}, "
        f"searched by {report.engine} in {seconds(report.seconds)} -> {output}"
    )
    show(result, text, as_json=as_json)


def evaluate(
    plan: Annotated[Path, typer.Argument(help="A plan.")],
    env: Environment,
    episodes: Annotated[int, typer.Option(help="Number of episodes.")] = 100,
    k: Smoothness = None,
    lookup: Lookup = None,
    epsilon: Annotated[float, typer.Option(help="Chance of a random action.")] = 0.0,
    max_steps: Annotated[
        int | None,
        typer.Option(help="Steps of an episode at most; 100,000 where env states none."),
    ] = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Play a plan's policy in an environment and report its returns."""
    from ..evaluation.rollouts import evaluate as evaluate_policy
    from ..solvers.plan import Plan
    from ..storage.records import load_as

    policy = load_as(Plan, plan).policy(k=k, lookup=lookup)
    report = evaluate_policy(policy, env, episodes, seed=seed, epsilon=epsilon, max_steps=max_steps)
    low, high = report.interval
    cut_off = f" ({report.cut_off} cut off)" if report.cut_off else ""
    text = (
        f"mean return {report.mean:.1f} (95 % interval {low:.1f} to {high:.1f}), "
        f"interquartile mean {report.interquartile_mean:.1f}, {episodes} episodes{cut_off} "
        f"in {seconds(report.seconds)}"
    )
    show(report.summary(), text, as_json=as_json)


def info(
    path: Annotated[Path, typer.Argument(help="Any bundle.")],
    as_json: AsJson = False,
) -> None:
    """Show what a bundle holds, after checking that it is whole."""
    from ..storage.records import load

    result = described(load(path, encoder=lambda observations: observations))
    width = max(map(len, result))
    lines = [
        f"{name.replace('_', ' '):{width}}  {_readable(value)}" for name, value in result.items()
    ]
    show(result, "\n".join(lines), as_json=as_json)


def _actor(path: str, k: int | None, lookup: Any) -> Any:
    """Return what acts by a saved plan or network."""
    from ..representation.catalogue import SUFFIX
    from ..solvers.plan import Plan
    from ..storage.records import load_as

    if not path.endswith(SUFFIX):
        return load_as(Plan, path).policy(k=k, lookup=lookup)
    from ..policy.network_policy import NetworkPolicy
    from ..representation.network_files import load_encoder

    return NetworkPolicy(load_encoder(path))  # type: ignore[arg-type]


def _readable(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(_readable, value)) or "-"
    if isinstance(value, dict):
        return ", ".join(f"{name}={_readable(entry)}" for name, entry in value.items()) or "-"
    return "-" if value is None else str(value)
