"""Records of many files: kept ones are taken from the cache, the others made, by several processes when that
pays. Neither changes what comes out."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Protocol

from mmcodemod.facts.python import Look
from mmcodemod.facts.record import Damaged, decode, extracted, facts_key
from mmcodemod.facts.syntax import ParseError
from mmcodemod.facts.terms import Record
from mmcodemod.source.store import FACTS

PAYS = 4_000_000  # bytes of source (100,000 lines) from which starting processes is repaid
MAX_JOBS = 8
FEW = PAYS  # bytes of source (trees of 100 MB) up to which all trees are kept: rules ask for most
_CHUNK = 16  # files
_BATCH = 64  # files that are kept at once


class Kept(Protocol):
    """A cache of blobs by kind and key. It may lose or damage what it was given."""

    def get_many(self, kind: str, keys: Iterable[bytes]) -> dict[bytes, bytes]: ...

    def put_many(self, kind: str, values: Mapping[bytes, bytes]) -> None: ...


def records(
    sources: Mapping[str, bytes], jobs: int = 1, kept: Kept | None = None, look: Look | None = None
) -> Iterator[tuple[str, Record | ParseError]]:
    """The record of every file, or why it cannot be parsed, in the order of `sources`. `jobs`: how many
    processes may work, 0 for as many as pay. `look` reads a file and keeps its tree: used where there are
    few, because rules will ask for most of them."""
    keys = {} if kept is None else {path: facts_key(data) for path, data in sources.items()}
    known = {} if kept is None else _known(kept.get_many(FACTS, keys.values()))
    missing = [path for path in sources if keys.get(path) not in known]
    made = _made({path: sources[path] for path in missing}, jobs, look)
    fresh: dict[bytes, bytes] = {}
    for path in sources:
        record = known.get(keys.get(path, b""))
        if record is None:
            blob = next(made)
            record = _read(blob)
            if kept is not None:
                fresh[keys[path]] = blob
                if len(fresh) >= _BATCH:
                    kept.put_many(FACTS, fresh)
                    fresh = {}
        assert record is not None
        yield path, record
    if kept is not None and fresh:
        kept.put_many(FACTS, fresh)


def _known(blobs: dict[bytes, bytes]) -> dict[bytes, Record | ParseError]:
    """What was kept; damaged blobs are left out, and so made anew."""
    read = {key: _read(blob) for key, blob in blobs.items()}
    return {key: record for key, record in read.items() if record is not None}


def _read(blob: bytes) -> Record | ParseError | None:
    """None for what is no record."""
    try:
        return decode(blob)
    except ParseError as error:
        return error
    except Damaged:
        return None


def _made(sources: dict[str, bytes], jobs: int, look: Look | None) -> Iterator[bytes]:
    workers = min(jobs or _cores(), MAX_JOBS)
    size = sum(map(len, sources.values()))
    if workers > 1 and size >= PAYS and sys.platform == "linux":
        yield from _by_processes(list(sources.values()), workers)
    elif look is not None and size <= FEW:
        yield from (extracted(data, partial(look, path)) for path, data in sources.items())
    else:
        yield from map(extracted, sources.values())


def _by_processes(sources: list[bytes], workers: int) -> Iterator[bytes]:
    """Forked, so that nothing is imported again; where that is not possible, this process does the work."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    done = 0
    try:
        context = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(workers, context, initializer=gc.disable) as pool:
            for blob in pool.map(extracted, sources, chunksize=_CHUNK):
                yield blob
                done += 1
    except (OSError, ImportError, BrokenProcessPool):
        yield from map(extracted, sources[done:])


def _cores() -> int:
    affinity: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
