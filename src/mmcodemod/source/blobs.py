"""Reads contents from git's object store through one process."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import field
from types import TracebackType

from mmcodemod.model.frozen import mutable


class Missing(Exception):
    """A content that is not there: the clone has only a part, or it is damaged."""


@mutable()
class Blobs:
    """`git cat-file --batch`, started when something is first read; a context manager ends it."""

    command: Sequence[str]
    env: Mapping[str, str] = field(repr=False)
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False, repr=False)

    def read(self, name: str) -> bytes:
        """The content of that name.

        Raises:
            Missing: when it is not there.
        """
        process = self._started()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(name.encode() + b"\n")
            process.stdin.flush()
            header = process.stdout.readline().split()
            if len(header) != 3 or header[1] != b"blob":
                raise Missing
            data = process.stdout.read(int(header[2]))
            process.stdout.read(1)  # the line end behind it
        except OSError:
            raise Missing from None
        return data

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(
                self.command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=self.env
            )
        return self._process

    def __enter__(self) -> Blobs:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is None:
            return
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.kill()  # it holds nothing that could be lost
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
        self._process = None
