"""The page of figures."""

from __future__ import annotations

from typing import Any

TOP = """# Serving: figures

What `dac act` and `dac serve` do under load, in the hands of the hostile, and when they are killed.
Each part has the command that made it; peers are measured in the same run. The pages on
[serving](../serving.md) say how to use both.
"""


def page(figures: dict[str, Any]) -> str:
    """Return the page of all parts that have figures."""
    parts = {
        "load": _load,
        "act": _act,
        "soak": _soak,
        "hostile": _hostile,
        "kills": _kills,
    }
    texts = [TOP]
    for name, write in parts.items():
        if name in figures:
            texts.append(write(figures[name]["figures"]) + _about(figures[name]["about"]))
    return "\n".join(texts)


def _about(about: dict[str, Any]) -> str:
    shared = (
        "beside another part" if about["load"] is None else f"load {about['load']:.1f} at the end"
    )
    return (
        f"\n`{about['command']}`, commit {about['commit']}, {about['processor']}, "
        f"{about['cores']} cores, {shared}, Python {about['python']}.\n"
    )


def _table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def _load(found: dict[str, Any]) -> str:
    singles = [
        [
            name,
            f"{one['saturated']['per_second']:,.0f}",
            f"{one['half']['per_second']:,.0f}",
            f"{one['half']['milliseconds']['p50']:.2f}",
            f"{one['half']['milliseconds']['p99']:.2f}",
            f"{one['half']['slowest']:.1f}",
            str(_failed(one["saturated"]) + _failed(one["half"])),
        ]
        for name, one in found["singles"].items()
        if one["half"]["requests"]
    ]
    batches = [
        [
            name,
            f"{one['decisions_per_second']:,.0f}",
            f"{one['decisions_per_second'] / one['per_second']:,.0f}",
            f"{one['milliseconds']['p50']:.0f}",
            f"{one['milliseconds']['p99']:.0f}",
            str(_failed(one)),
        ]
        for name, one in found["batches"].items()
        if one["requests"]
    ]
    header = ["single requests", "saturated, 1/s", "half of it, 1/s", "p50, ms", "p99, ms"]
    batch_header = ["batches", "decisions/s", "in a request", "p50, ms", "p99, ms", "failed"]
    return (
        "## Load\n\nA policy of 100,000 core states, 16 connections from a second process on the "
        "same machine; latency at half of the saturated rate, from when a request was due.\n\n"
        + _table([*header, "slowest, ms", "failed"], singles)
        + "\n'each alone' is `dac serve --max-together 1`: what deciding upon single requests "
        "together gains. The generator shares the two cores with the server, so the last percent "
        "differs from run to run. BentoML answers with the number of the action alone.\n\n"
        + _table(batch_header, batches)
        + _unanswered(found)
    )


def _unanswered(found: dict[str, Any]) -> str:
    """Say which servers have no row, for a measurement without any answer in time."""
    names = [name for name, one in found["singles"].items() if not one["half"]["requests"]]
    names += [name for name, one in found["batches"].items() if not one["requests"]]
    return f"\nWithout an answer in time, and so without a row: {', '.join(names)}.\n" * bool(names)


def _failed(one: dict[str, Any]) -> int:
    return sum(count for status, count in one["statuses"].items() if status != "200")


def _act(found: dict[str, Any]) -> str:
    rows = [
        [name, f"{one['rows']:,}", f"{one['seconds']:.1f}", f"{one['rows_per_second']:,.0f}"]
        for name, one in found["act"].items()
    ]
    load = found["load"]
    return (
        "## dac act\n\nThe same policy; the command as a whole, from the start of Python to the "
        "last row in its file.\n\n"
        + _table(["format", "rows", "seconds", "rows/s"], rows)
        + f"\nA policy of {load['states']:,} core states is loaded in {load['full']:.2f} s with "
        f'all its checksums, and in {load["quick"]:.2f} s without (`verify="quick"`).\n'
    )


def _soak(found: dict[str, Any]) -> str:
    answer, memory = found["answer"], found["memory_megabytes"]
    later = memory[len(memory) // 3 :]
    return (
        f"## Hot swaps under load\n\n{answer['requests']:,} requests in "
        f"{answer['seconds']:,.0f} s: {_failed(answer)} failed, {answer['mixed']} whose action is "
        f"not that of the plan they name (the two policies differ on "
        f"{found['differing_bodies']} of 256 observations). "
        f"{found['swapped']} swaps, {found['refused']} refusals of bad policies. Resident memory "
        f"{memory[1]:.0f} MB in the beginning, {min(later):.0f} to {max(later):.0f} MB in the last "
        f"two thirds, {memory[-1]:.0f} MB at the end. {found['audit_lines']:,} lines in the audit "
        f"log.\n"
    )


def _hostile(found: dict[str, Any]) -> str:
    statuses = sorted(name for name in found if name.startswith("status "))
    told = ", ".join(f"{name.removeprefix('status ')}: {found[name]:,}" for name in statuses)
    return (
        f"## Hostile requests\n\n{found['requests']:,} of them, half with the token: {told}. "
        f"Status 500: {found.get('status 500', 0)}. Hangs: {found['hangs']}. Answers with paths or "
        f"traces: {found['leaks']}. Answered without the token, liveness aside: "
        f"{found['answered without token']}. The slowest took {found['slowest_seconds']:.1f} s. "
        f"{found['sound answered']} of {found['sound']} sound requests in between were answered, "
        f"and {found['slow clients cut off']} of 20 clients that stopped in the middle were cut "
        "off.\n"
    )


def _kills(found: dict[str, Any]) -> str:
    return (
        f"## kill -9\n\n{found['kills']} kills at random moments under load, {found['answered']:,} "
        f"answered decisions: {found['lost']} are not in the audit log, the oldest of those "
        f"{1e3 * found['oldest_lost_seconds']:.0f} ms before its kill; {found['late']} older than "
        f"a batch. {found['broken']} of {found['lines']:,} lines are not whole ({found['cut']} "
        f"starts removed a line that was cut off). {found['clean_starts']} of {found['kills']} "
        "starts were clean.\n"
    )
