"""What an installation takes on disk: `python -m benchmarks.install_sizes`.

Follows the requirements of deepaveragers through the metadata of installed packages, and adds up
the files that each package recorded, compiled Python included. An extra counts what it adds to
the core. Run `make test` first: its environment has all extras that are listed.
"""

from __future__ import annotations

import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

PACKAGE = "deepaveragers"
EXTRAS = ("serve", "studio", "data", "sql", "ann", "deep", "cluster")
LARGEST = 4
"""Packages that are named beside a size."""


def main() -> None:
    """Print a table of the core and of what each extra adds."""
    core = needed(PACKAGE, frozenset()) - {PACKAGE}
    print("| install | adds, MB | packages | largest, MB |\n|---|---:|---:|---|")
    print(line(f"`pip install {PACKAGE}`", core))
    for extra in EXTRAS:
        added = needed(PACKAGE, frozenset({extra})) - core - {PACKAGE}
        print(line(f"`{PACKAGE}[{extra}]`", added))


def needed(name: str, extras: frozenset[str]) -> set[str]:
    """Return the names of a package and of all that it needs, with some of its extras."""
    found: set[str] = set()
    asked = [(name, extras)]
    seen: set[tuple[str, frozenset[str]]] = set()
    while asked:
        one = asked.pop()
        if one in seen:
            continue
        seen.add(one)
        found.add(one[0])
        for text in package(one[0]).requires or ():
            requirement = Requirement(text)
            if wanted(requirement, one[1]):
                asked.append((canonical(requirement.name), frozenset(requirement.extras)))
    return found


def wanted(requirement: Requirement, extras: frozenset[str]) -> bool:
    """Return whether a requirement holds here, for one of these extras or without any."""
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": one}) for one in ("", *extras))


def canonical(name: str) -> str:
    """Return a package's name as metadata of all kinds are found by."""
    return name.lower().replace("_", "-")


def line(title: str, names: set[str]) -> str:
    """Return a row of the table."""
    sizes = {name: size(name) for name in names}
    largest = sorted(sizes, key=sizes.__getitem__, reverse=True)[:LARGEST]
    said = ", ".join(f"{name} {sizes[name] / 1e6:.0f}" for name in largest if sizes[name] > 1e6)
    return f"| {title} | {sum(sizes.values()) / 1e6:.0f} | {len(names)} | {said} |"


def size(name: str) -> int:
    """Return the bytes of a package's files."""
    found = package(name)
    paths = (Path(str(found.locate_file(file))) for file in found.files or ())
    return sum(path.stat().st_size for path in paths if path.is_file())


def package(name: str) -> Distribution:
    """Return an installed package; without it there is nothing to measure."""
    try:
        return distribution(name)
    except PackageNotFoundError:
        sys.exit(f"{name} is not installed here: run this with .venv/bin/python after `make test`.")


if __name__ == "__main__":
    main()
