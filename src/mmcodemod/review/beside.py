"""Checks the base in a process beside the new version where that pays: the answer is the same."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection

from mmcodemod import pipeline
from mmcodemod.model import codec
from mmcodemod.model.report import Report
from mmcodemod.pipeline import Settings
from mmcodemod.source.cache import CachingTree
from mmcodemod.source.tree import UnreadableFile

PAYS = 500_000  # bytes of a tree from which a second process is repaid


def reports(base: CachingTree, head: CachingTree, settings: Settings) -> tuple[Report, Report]:
    """The reports of both trees. Both come to be read whole."""
    if not _pays(base, settings):
        return pipeline.check(base, settings), pipeline.check(head, settings)
    alone = replace(settings, jobs=1)
    with _started(lambda: _encoded(pipeline.check(base, alone))) as answer:
        new = pipeline.check(head, alone)
        old = _decoded(answer())
    return old or pipeline.check(base, settings), new


def _pays(tree: CachingTree, settings: Settings) -> bool:
    """May two processes work, and is there enough to do? All is read first: the process that reads git's
    objects answers one of them only."""
    if sys.platform != "linux" or settings.jobs == 1 or len(os.sched_getaffinity(0)) < 2:
        return False
    return sum(_size(tree, path) for path in tree.paths) >= PAYS and tree.is_whole


def _size(tree: CachingTree, path: str) -> int:
    try:
        return len(tree.read_bytes(path))
    except UnreadableFile:
        return 0


@contextmanager
def _started(work: Callable[[], bytes]) -> Iterator[Callable[[], bytes]]:
    """Begins the work; what is given waits for its result, which is empty when it failed."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(there, work))
    try:
        process.start()
        there.close()
        yield lambda: _received(here)
    finally:
        if process.pid is not None:
            process.kill()
            process.join()
        here.close()


def _work(there: Connection, work: Callable[[], bytes]) -> None:
    """Whatever goes wrong, the other process does the work again and tells."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other one is interrupted, and ends this one
    try:
        there.send_bytes(work())
    except Exception:
        there.close()


def _received(here: Connection) -> bytes:
    try:
        return here.recv_bytes()
    except (EOFError, OSError):
        return b""


def _encoded(report: Report) -> bytes:
    """Empty for a report that would not come back the same."""
    data = codec.encode(report)
    return data if _decoded(data) == report else b""


def _decoded(data: bytes) -> Report | None:
    try:
        return codec.decode(Report, data) if data else None
    except codec.Undecodable:
        return None
