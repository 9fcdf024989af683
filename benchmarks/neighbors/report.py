"""The record of a run as JSON, as a page, and as a picture of cost against size."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from .datasets import TITLES
from .engines import ENGINES

LIBRARIES = (
    "deepaveragers",
    "numpy",
    "scipy",
    "numba",
    "scikit-learn",
    "pykdtree",
    "faiss-cpu",
    "pynndescent",
)
AUTO = "deepaveragers auto"
NOTES = """\
Lookups per second: all lookups (core states times actions) over the seconds that all of them
take, building included. The ratio is to plain scipy on the same data.

The first engine's row is the whole search of every core state and action by
`neighbors="auto"` (what it took is in brackets): the trial of both engines, and the graph that
it returns, whose memory is in the column. The other rows are one index per action, asked in
batches of runs of 250 consecutive core states, the runs in a random order, for 3 seconds
(scipy 10 seconds from a million on), and projected to all states: the last column is the share
that was asked. Approximate engines were measured on the first action only, and projected.

Recall: the share of neighbours as near as the true ones, for 100 core states and each action,
by brute force in float64. Memory: what the process's peak grew by, beyond its data.
"""


def surroundings() -> dict[str, Any]:
    """Return what a reader needs to run this again."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=12"], capture_output=True, text=True
    )
    versions = {}
    for name in LIBRARIES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {
        "command": " ".join(["python -m benchmarks.neighbors", *sys.argv[1:]]),
        "commit": commit.stdout.strip(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "hardware": _processor(),
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        "versions": versions,
    }


def write(record: dict[str, Any], output: Path) -> None:
    """Write neighbors.json, neighbors.md and neighbors.png."""
    output.mkdir(parents=True, exist_ok=True)
    (output / "neighbors.json").write_text(json.dumps(record, indent=1) + "\n")
    (output / "neighbors.md").write_text(page(record))
    plot(record, output / "neighbors.png")


def page(record: dict[str, Any]) -> str:
    """Return the page."""
    lines = ["# Neighbour engines compared", ""]
    for run in record["runs"]:
        lines += [
            f"    {run['command']}",
            "",
            f"Commit {run['commit']}, {run['date']}, {run['hardware']}, "
            f"load before: {run['load']}; "
            f"Python {run['python']}, "
            + ", ".join(f"{name} {version}" for name, version in run["versions"].items())
            + ".",
            "",
        ]
    lines += [f"Every engine had {record['threads']} threads.", "", NOTES]
    for name, results in record["datasets"].items():
        letter, size = name.split("-")
        lines += [f"## ({letter}) {TITLES[letter]}, N = {int(size):,}", ""]
        lines += [*_table(results), ""]
        failed = [ENGINES[key].title for key, result in results.items() if result is None]
        if failed:
            lines += [f"Could not take these data: {', '.join(failed)}.", ""]
    if "serving" in record and "compile" in record:
        lines += _ending(record)
    return "\n".join(lines)


def seconds(result: dict[str, Any]) -> float:
    """Return the time for all lookups, building included."""
    return float(result["build_seconds"] + result["query_seconds"])


def title(key: str, result: dict[str, Any]) -> str:
    """Return an engine's name as it stands in the table."""
    return f"**{AUTO}** ({result['engine']})" if key == "auto" else ENGINES[key].title


def _table(results: dict[str, Any]) -> list[str]:
    measured = {key: result for key, result in results.items() if result}
    lookups = max(result["answered"] for key, result in measured.items() if key == "auto")
    baseline = seconds(measured["scipy"]) if "scipy" in measured else float("nan")
    lines = [
        "| engine | ratio to scipy | lookups/s | recall@5 | memory | seconds | asked |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for key, result in sorted(measured.items(), key=lambda item: seconds(item[1])):
        share = result["answered"] / lookups
        cells = [
            title(key, result),
            f"{baseline / seconds(result):.3g}",
            f"{lookups / seconds(result):,.0f}",
            "1" if result["recall"] == 1.0 else f"{result['recall']:.4f}",
            f"{result['megabytes']:,.0f} MB",
            f"{seconds(result):,.1f}",
            f"{share:.1%}" if share < 1 else "all",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _ending(record: dict[str, Any]) -> list[str]:
    serving, whole = record["serving"], record["compile"]
    return [
        "## Cost against size, on (b)",
        "",
        "![seconds for all lookups against N](neighbors.png)",
        "",
        "## The whole compile, and serving",
        "",
        f"`da.compile` of the largest set of (b), k = 5: {whole['seconds']:.0f} s "
        f"({whole['engine']}), peak memory {whole['peak_megabytes'] / 1024:.2f} GB "
        f"with the data, of which the graph is {whole['graph_megabytes'] / 1024:.2f} GB.",
        "",
        f"One query over the smallest set of (b), k = 11, Python included: p50 "
        f"{serving['p50']:.1f} µs, p99 {serving['p99']:.1f} µs. In batches of 1,000: "
        f"{serving['batch']:.1f} µs per query.",
        "",
    ]


def plot(record: dict[str, Any], file: Path) -> None:
    """Draw microseconds per lookup against N on (b)."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    sets = {n: r for n, r in record["datasets"].items() if n.startswith("b-") and r.get("auto")}
    figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
    for key in ("auto", *ENGINES):
        points = [
            (int(name.split("-")[1]), seconds(results[key]) / results["auto"]["answered"] * 1e6)
            for name, results in sets.items()
            if results.get(key)
        ]
        if points:
            label = AUTO if key == "auto" else ENGINES[key].title
            style = "--" if key != "auto" and not ENGINES[key].exact else "-"
            axes.loglog(*zip(*points), style, marker="o", markersize=3, label=label)
            axes.lines[-1].set_linewidth(2.5 if key == "auto" else 1.0)
    axes.set(xlabel="transitions N", ylabel="µs per lookup, building included")
    axes.legend(fontsize=7, ncols=2)
    axes.grid(alpha=0.3, which="both")
    figure.savefig(file, dpi=130)
    pyplot.close(figure)


def _processor() -> str:
    name = platform.processor()
    if os.path.exists("/proc/cpuinfo"):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), name)
    return f"{name}, {os.cpu_count()} processors"
