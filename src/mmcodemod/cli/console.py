"""Writes reports to stdout or a file, and progress to a terminal. A reader who leaves early is no error."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import field
from typing import IO

from mmcodemod.cli.options import Failure
from mmcodemod.model.frozen import mutable
from mmcodemod.report.colour import Palette


def emit(text: str | bytes, output: str | None = None) -> None:
    """Write a report.

    Raises:
        Failure: when the file cannot be written.
    """
    data = text.encode("utf-8", "backslashreplace") if isinstance(text, str) else text
    if output is None:
        _to_stream(sys.stdout, data)
        return
    try:
        with open(output, "wb") as file:
            file.write(data)
    except OSError as error:
        raise Failure(f"cannot write {output}: {error.strerror}") from None


def emit_whole(data: bytes, output: str) -> None:
    """Write a file completely or not at all; `-` is standard output.

    Raises:
        Failure: when it cannot be written.
    """
    import tempfile

    target = os.path.realpath(output)
    if output == "-" or (os.path.exists(target) and not os.path.isfile(target)):
        emit(data, None if output == "-" else output)
        return
    temporary = ""
    try:
        descriptor, temporary = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".", suffix=".part")
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            os.chmod(temporary, _mode(target))
        os.replace(temporary, target)
    except OSError as error:
        with suppress(OSError):
            os.unlink(temporary)
        raise Failure(f"cannot write {output}: {error.strerror}") from None


def _mode(target: str) -> int:
    """That of the file which is replaced, or that of a new file."""
    try:
        return os.stat(target).st_mode & 0o777
    except OSError:
        umask = os.umask(0o022)
        os.umask(umask)
        return 0o666 & ~umask


def show(text: str) -> None:
    """Write text to stderr, without a line end."""
    _to_stream(sys.stderr, text.encode("utf-8", "backslashreplace"))


def note(*lines: str) -> None:
    """Write lines to stderr."""
    _to_stream(sys.stderr, "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace"))


def palette(color: str, output: str | None, stream: IO[str] | None = None) -> Palette:
    """Colours when asked for, or on a terminal that does not decline them (NO_COLOR). `stream`: where the
    report goes, stdout when it is None."""
    if color != "auto":
        return Palette(color == "always")
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Palette(wanted and output is None and (stream or sys.stdout).isatty())


def columns() -> int:
    """The width of the terminal within reason; fixed when there is none, so that output is reproducible."""
    return min(max(_width(), 60), 120) if sys.stdout.isatty() else 100


def _width() -> int:
    """That of the terminal, or 80."""
    import shutil

    return shutil.get_terminal_size().columns


PATIENCE = 1.0
"""Seconds that a run may take before it says what it does."""


@mutable()
class Progress:
    """One line on stderr about what goes on, at most ten times a second: "reading 120/1306 files". Where no
    person looks, and after --quiet, nothing is shown."""

    off: bool = field(default_factory=lambda: not sys.stderr.isatty() or os.environ.get("TERM") == "dumb")
    due: float = field(default_factory=lambda: time.monotonic() + PATIENCE)
    shown: bool = False

    def files(self, done: int, total: int) -> None:
        """So many files are read."""
        if not self.off and time.monotonic() >= self.due:
            self._show(f"reading {done}/{total} files")

    def stage(self, what: str) -> None:
        """Something else begins. It may take long: it is shown at once when the run has taken long."""
        if not self.off and time.monotonic() + 0.1 >= self.due:
            self._show(what)

    def _show(self, what: str) -> None:
        self.due, self.shown = time.monotonic() + 0.1, True
        _to_stream(sys.stderr, f"\r\x1b[K{what[: _width() - 1]}".encode())

    def clear(self) -> None:
        if self.shown:
            self.shown = False
            _to_stream(sys.stderr, b"\r\x1b[K")


def _to_stream(stream: IO[str], data: bytes) -> None:
    try:
        for chunk in _chunks(data):
            _write(stream, chunk)
        stream.flush()
    except BrokenPipeError:
        _abandon(stream)


def _chunks(data: bytes, size: int = 1 << 16) -> Iterable[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


def _write(stream: IO[str], data: bytes) -> None:
    """Bytes as they are where the stream has a binary side: no newline or encoding is changed."""
    binary = getattr(stream, "buffer", None)
    if binary is None:
        stream.write(data.decode("utf-8", "replace"))
        return
    stream.flush()
    binary.write(data)


def _abandon(stream: IO[str]) -> None:
    """Point the stream to nowhere, so that Python's own flush at exit does not fail."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError):
        return
