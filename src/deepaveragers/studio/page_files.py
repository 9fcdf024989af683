"""The built page: read once, so that no path of a request ever reaches the disk."""

from __future__ import annotations

import mimetypes
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..server.problems import Problem

BUILT = Path(__file__).with_name("page")
"""Where `npm run build` in studio/ puts the page; a wheel has it inside."""
NOT_BUILT = (
    b"<!doctype html><html lang=en><meta charset=utf-8><title>deepaveragers studio</title>"
    b"<body><h1>The page is not built yet</h1><p>The server runs and answers under /api. In a "
    b"checkout of the project, <code>make studio</code> builds the page (it needs npm) and opens "
    b"it; a wheel has it inside.</p></body></html>"
)


@dataclass(frozen=True)
class PageFile:
    """A file of the page, and how long a browser may keep it."""

    content: bytes
    media_type: str
    cache_control: str


def page_route() -> Route:
    """Return what answers with the files of the page, under every path."""
    files = page_files()

    async def answer(request: Request) -> Response:
        file = files.get(request.url.path)
        if file is None:
            raise Problem(404, f"There is nothing at {request.url.path!r}.")
        return Response(
            file.content, media_type=file.media_type, headers={"cache-control": file.cache_control}
        )

    return Route("/{path:path}", answer, methods=["GET"])


def page_files(folder: Path = BUILT) -> dict[str, PageFile]:
    """Return the files of the page by their paths in an address; "/" is the page itself."""
    files = {
        f"/{path.relative_to(folder).as_posix()}": _read(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }
    index = files.get("/index.html", PageFile(NOT_BUILT, "text/html; charset=utf-8", "no-store"))
    return {**files, "/": index}


def _read(path: Path) -> PageFile:
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    if kind.startswith("text/") or kind == "application/javascript":
        kind += "; charset=utf-8"
    # Names of assets carry a digest of their content; that of the page does not.
    kept = path.parent.name == "assets"
    return PageFile(path.read_bytes(), kind, "max-age=31536000, immutable" if kept else "no-cache")
