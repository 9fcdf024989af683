"""Tables, JSON and the picture."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

PACKAGES = ("deepaveragers", "numpy", "numba", "scipy", "quantecon", "mdpsolver")


def circumstances(command: str) -> dict[str, Any]:
    """Return what the figures depend on."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True
    ).stdout.strip()
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = None
    return {
        "command": command,
        "commit": commit,
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        "versions": versions,
    }


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor()


def write(folder: Path, stem: str, result: dict[str, Any]) -> None:
    """Write the figures as JSON, as a page and, where sizes were measured, as a picture."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{stem}.json").write_text(json.dumps(result, indent=1) + "\n")
    (folder / f"{stem}.md").write_text(_page(result))
    if result["sizes"]:
        _picture(folder / "planner.png", result)


def _page(result: dict[str, Any]) -> str:
    about = result["circumstances"]
    lines = [
        "# Planner benchmark",
        "",
        f"`{about['command']}`, commit `{about['commit']}`, {about['processor']}, "
        f"{about['cores']} cores, load {about['load']:.1f} at the start, "
        + ", ".join(f"{name} {v}" for name, v in about["versions"].items() if v)
        + f"; {result['seconds'] / 60.0:.0f} minutes in all.",
        "",
        "Seconds are wall-clock, from V = 0; the others' preparation (matrices, lists) is not "
        "counted. Ours is, in a first plan. `MDP solved before`, under whatever objective: what "
        "depends on the graph only is kept from then, as the others' matrices are; nothing else "
        "is. `Times slower` is against either. Errors are in units of the "
        "tolerance, against a plan certified to 1e-10, whose own error is added. `~` is "
        "extrapolated from a number of sweeps, `>` was stopped before it was done.",
        "",
    ]
    names = list(dict.fromkeys(row["problem"] for row in result["rows"]))
    for name in names:
        lines += _comparison(name, [row for row in result["rows"] if row["problem"] == name])
    if result["replans"]:
        lines += _replans(result["replans"])
    if result["sizes"]:
        lines += _sizes(result)
    return "\n".join(lines)


def _comparison(name: str, rows: list[dict[str, Any]]) -> list[str]:
    lines = [
        f"## {name}",
        "",
        "| times slower than the first | than solved before | gamma | tolerance | solver "
        "| seconds | true error | certified | sweeps |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        mark = {"extrapolated": "~", "stopped": ">"}.get(row["note"], "")
        true, proved = (
            "" if row[key] is None else f"{row[key]:.2g}"
            for key in ("error_over_tolerance", "certified_over_tolerance")
        )
        lines.append(
            f"| {mark}{_short(row['times_slower'])} "
            f"| {mark}{_short(row['times_slower_prepared'])} "
            f"| {row['gamma']:g} | {row['tolerance']:g} "
            f"| {row['solver']} | {mark}{_short(row['seconds'])} | {true} | {proved} "
            f"| {row['sweeps'] or ''} |"
        )
    return [*lines, ""]


def _replans(rows: list[dict[str, Any]]) -> list[str]:
    lines = [
        "## Another objective",
        "",
        "After a plan with gamma 0.99 and cost 1, tolerance 1e-3; the warm start is from it.",
        "",
        "| problem | change | seconds | sweeps | warm start, seconds | sweeps |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row['problem']} | {row['change']} | {row['seconds']:.3f} | {row['sweeps']} "
        f"| {row['warm_start_seconds']:.3f} | {row['warm_start_sweeps']} |"
        for row in rows
    ]
    return [*lines, ""]


def _sizes(result: dict[str, Any]) -> list[str]:
    lines = [
        "## Size",
        "",
        f"gamma 0.99, tolerance 1e-3. Memory reads at {result['bandwidth'] / 1e9:.1f} GB/s; the "
        "limit is the time to read the graph once.",
        "",
        "| states | seconds | one thread | sweeps | limit | times the limit |",
        "|---|---|---|---|---|---|",
    ]
    for row in result["sizes"]:
        limit = row["seconds_to_read_the_graph_once"]
        lines.append(
            f"| {row['states']:,} | {row['seconds']:.3f} | {row['one_thread_seconds']:.3f} "
            f"| {row['sweeps']} | {limit:.4f} | {row['seconds'] / limit:.0f} |"
        )
    return [*lines, "", "![seconds against states](planner.png)", ""]


def _short(number: float) -> str:
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"


def _picture(path: Path, result: dict[str, Any]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6.4, 4.4), layout="constrained")
    sizes = result["sizes"]
    states = [row["states"] for row in sizes]
    axes.loglog(states, [row["seconds"] for row in sizes], "o-", lw=2, label="deepaveragers")
    for solver in dict.fromkeys(row["solver"] for row in result["rows"]):
        points = sorted(
            (_states(row["problem"]), row["seconds"])
            for row in result["rows"]
            if row["solver"] == solver
            and row["problem"].startswith("synthetic")
            and (row["gamma"], row["tolerance"]) == (0.99, 1e-3)
        )
        if not solver.startswith("deepaveragers") and points:
            axes.loglog(*np.transpose(points), "s--", ms=4, lw=1, label=solver)
    limits = [row["seconds_to_read_the_graph_once"] for row in sizes]
    axes.loglog(states, limits, color="0.5", label="memory: reading the graph once")
    axes.set(xlabel="states (6 actions, 5 neighbours)", ylabel="seconds to 1e-3, gamma 0.99")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=7)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)


def _states(problem: str) -> int:
    return int(float(problem.split()[1].replace("k", "e3").replace("M", "e6")))
