"""Which frames of a traceback are lines of this repository, wherever it lay when the run died."""

from __future__ import annotations

from collections.abc import Iterable

from mmcodemod.model.triage import Death, Frame

_INSTALLED = ("/site-packages/", "/dist-packages/", "/lib/python3")


class Files:
    """The files of a repository, found by the end of their path."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._by_name: dict[str, list[str]] = {}
        for path in paths:
            if path.endswith(".py"):
                self._by_name.setdefault(path.rpartition("/")[2], []).append(path)

    def own(self, path: str) -> str:
        """The file of the repository that a path of a log means; "" for none, or no telling which."""
        written = path.replace("\\", "/").removeprefix("./")
        known = self._by_name.get(written.rpartition("/")[2], [])
        if (found := _longest(written, known)) is not None:
            return found
        if written.startswith("/") or _installed(written):
            return ""
        longer = [p for p in known if p.endswith("/" + written)]  # the run began in a folder further down
        return longer[0] if len(longer) == 1 else ""

    def frames(self, death: Death) -> list[tuple[Frame, str]]:
        """The frames that are lines of the repository, with their files; outermost first."""
        found = ((frame, self.own(frame.path)) for frame in death.frames)
        return [(frame, path) for frame, path in found if path]


def _longest(written: str, known: list[str]) -> str | None:
    """The longest known path that `written` ends with. Of what is installed, the name alone tells nothing."""
    ends = [p for p in known if written == p or written.endswith("/" + p)]
    ends = [p for p in ends if "/" in p] if _installed(written) else ends
    return max(ends, key=len, default=None)


def _installed(written: str) -> bool:
    return any(part in written for part in _INSTALLED)
