"""`check --watch`: looks at the times of the files twice a second, and checks again when one changed."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from mmcodemod.cli.console import emit, note
from mmcodemod.cli.options import Failure, Options

PAUSE = 0.5
"""Seconds between two looks; longer where a look takes long."""

SETTLING = 0.05
"""Seconds in which nothing changes: what an editor or git is still writing is not checked half-written."""

_CLEAR = "\x1b[H\x1b[2J"  # the screen alone: what scrolled by stays
Seen = dict[str, tuple[int, int, int]]
"""Path -> time in ns, bytes and inode."""


def watch(options: Options, check: Callable[[Options], int]) -> int:
    """Check, and again after every change. Ctrl-C ends it, which is no failure."""
    try:
        seen = _seen(options)
        _checked(options, check, len(seen))
        while True:
            begun = time.monotonic()
            now = _seen(options)
            if now != seen:
                now = _settled(options, now)
                changed, seen = _changed(seen, now), now
                _checked(options, check, len(seen), changed)
            else:
                time.sleep(max(PAUSE, 4 * (time.monotonic() - begun)))
    except KeyboardInterrupt:
        note("", "stopped")
        return 0


def _settled(options: Options, seen: Seen, looks: int = 20) -> Seen:
    """The state once two looks agree, or after `looks`: a log that grows all the time holds nothing up."""
    for _ in range(looks):
        time.sleep(SETTLING)
        before, seen = seen, _seen(options)
        if seen == before:
            break
    return seen


def _checked(options: Options, check: Callable[[Options], int], files: int, changed: str = "") -> None:
    """One check. A mistake in the configuration is shown; the next change may mend it."""
    if sys.stdout.isatty() and not options.output:
        emit(_CLEAR)
    if changed and not options.quiet:
        note(f"changed: {changed}")
    try:
        check(options)
    except Failure as error:
        error.show()
    if not options.quiet:
        note(f"watching {files} files, Ctrl-C ends")


def _seen(options: Options) -> Seen:
    """The state of all that decides an answer: the files of the tree, the configuration, the baseline."""
    found: Seen = {}
    for path in _paths(options):
        try:
            status = os.stat(path, follow_symlinks=False)
        except OSError:
            continue  # it vanished meanwhile: that is a change, too
        found[path] = (status.st_mtime_ns, status.st_size, status.st_ino)
    return found


def _paths(options: Options) -> list[str]:
    from mmcodemod.engine.config import ConfigError, candidates, load
    from mmcodemod.source.discover import NoSuchPath, common_root, discover

    try:
        root = common_root(options.paths)
        found = [str(path) for path in candidates(root, options.config)]
        try:
            configuration = load(root, options.config)
        except ConfigError:
            return found + [str(root / path) for path in discover(options.paths).tree.paths]
        tree = discover(options.paths, configuration.exclude).tree
    except NoSuchPath:
        return []
    found += [str(root / path) for path in tree.paths]
    if options.baseline:
        found.append(options.baseline)
    elif configuration.baseline:
        found.append(str(Path(configuration.path).parent / configuration.baseline))
    return found


def _changed(before: Seen, now: Seen) -> str:
    """`train.py (+2)`."""
    from mmcodemod.report.escape import visible
    from mmcodemod.report.words import few

    paths = sorted(path for path in {*before, *now} if before.get(path) != now.get(path))
    return few([visible(os.path.relpath(path)) for path in paths], 1)
