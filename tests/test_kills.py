"""`fix --apply` is killed: whatever the moment, every file is the old one or the new one, and a later run
goes on as if nothing had been. 20 kills of real processes; MMCODEMOD_KILLS=200 for more."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

import mmcodemod
from mmcodemod.engine import leftovers
from mmcodemod.engine import write as writing
from mmcodemod.engine.write import write
from mmcodemod.source.discover import discover

KILLS = int(os.environ.get("MMCODEMOD_KILLS", "20"))
SOURCE = Path(mmcodemod.__file__).parents[1]
FILES = 12
TRAIN = """from transformers import HfArgumentParser, Trainer, TrainingArguments

(args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
Trainer(model=None, args=args).train()
"""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")


def small_tree(folder):
    """A tree with FILES configurations that each need a fix."""
    (folder / "runs").mkdir(parents=True)
    for n in range(FILES):
        (folder / "runs" / f"{n}.json").write_text('{"zero_optimization": {"stage": 2}}\n' + " " * 50_000)
        (folder / f"{n}.sh").write_text(f"deepspeed train.py --deepspeed runs/{n}.json --seed {n}\n")
    (folder / "train.py").write_text(TRAIN)
    (folder / "requirements.txt").write_text("deepspeed==0.14.4\ntransformers==4.44.0\n")
    return folder


def contents(folder):
    found = (f for f in folder.rglob("*") if f.is_file() and not f.name.endswith(".mmcodemod"))
    return {f.relative_to(folder).as_posix(): f.read_bytes() for f in found}


def left_behind(folder):
    return list(folder.rglob(".*.mmcodemod"))


def fixing(folder):
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-m", "mmcodemod", "fix", "--apply", "--unsafe", "--jobs", "1", "."]
    return subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def each_is_old_or_new(now, old, new):
    assert now.keys() == old.keys()
    for path, data in now.items():
        assert data in (old[path], new[path]), f"{path} is neither the old file nor the new one"
    return sum(now[path] == new[path] != old[path] for path in now)


@pytest.fixture(scope="module")
def trees(tmp_path_factory):
    """The tree before and after, and how many seconds a whole run takes."""
    folder = tmp_path_factory.mktemp("kills")
    before = small_tree(folder / "before")
    after = Path(shutil.copytree(before, folder / "after"))
    assert fixing(after).communicate() and left_behind(after) == []  # and fills the cache
    again = Path(shutil.copytree(before, folder / "again"))
    begun = time.monotonic()
    fixing(again).communicate()
    old, new = contents(before), contents(after)
    assert sum(old[path] != new[path] for path in old) == FILES
    return before, old, new, time.monotonic() - begun


@pytest.mark.parametrize("kind", ["anywhere", "while it writes"])
def test_killed_at_random_moments(trees, tmp_path, kind):
    before, old, new, seconds = trees
    rng, seen = random.Random(kind), Counter()
    for number in range(KILLS // 2):
        folder = Path(shutil.copytree(before, tmp_path / str(number)))
        process = fixing(folder)
        if kind == "anywhere":
            time.sleep(rng.uniform(0, 1.1 * seconds))
        else:
            _until_it_writes(process, folder)
            time.sleep(rng.uniform(0, 0.03))
        process.kill()
        process.communicate()
        done = each_is_old_or_new(contents(folder), old, new)
        seen["none" if not done else "all" if done == FILES else "some"] += 1
        seen["with leftovers"] += bool(left_behind(folder))
        if number < 3:
            _a_later_run_goes_on(folder, new)
        shutil.rmtree(folder)
    print(f"\n{kind}: files written {dict(seen)}")


def _until_it_writes(process, folder):
    """Until the first temporary file is seen, or the process ends."""
    while process.poll() is None and not left_behind(folder / "runs"):
        time.sleep(0.0005)


def _a_later_run_goes_on(folder, new):
    """It ignores what was left behind while that is young, and removes it once it is old."""
    assert not [path for path in discover([folder]).tree.paths if path.endswith(".mmcodemod")]
    for file in left_behind(folder):
        os.utime(file, (time.time() - 2 * leftovers.AGE,) * 2)
    assert fixing(folder).wait() == 0
    assert contents(folder) == new and left_behind(folder) == []


# -- every step of writing --------------------------------------------------------------------------------

STEPS = ("open", "fdopen", "fsync", "chmod", "fchown", "replace", "unlink", "close", "lstat")


def _killed_at(step, folder, changed, before):
    """Forks a process that is killed right before its `step`-th call of the system.

    Returns whether it got that far."""
    child = os.fork()
    if child == 0:
        calls = iter(range(step))

        def counted(real):
            def call(*arguments, **keywords):
                if next(calls, None) is None:
                    os.kill(os.getpid(), signal.SIGKILL)
                return real(*arguments, **keywords)

            return call

        for name in STEPS:
            setattr(os, name, counted(getattr(os, name)))
        code = 1
        try:
            code = len(writing.write(folder, changed, before, [set(changed)]))
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return True
    assert os.WEXITSTATUS(status) == 0
    return False


def test_killed_at_every_step_of_writing(tmp_path):
    old = {f"{n}.py": b"old %d\n" % n * 5000 for n in range(3)}
    new = {path: data.replace(b"old", b"new") for path, data in old.items()}
    step, seen = 0, Counter()
    while True:
        folder = tmp_path / str(step)
        folder.mkdir()
        for path, data in old.items():
            (folder / path).write_bytes(data)
        killed = _killed_at(step, folder, new, old)
        seen[each_is_old_or_new(contents(folder), old, new)] += 1
        if not killed:
            break
        assert write(folder, new, contents(folder)) == (), "a later run goes on"
        assert contents(folder) == new
        step += 1
    assert contents(folder) == new and left_behind(folder) == []
    assert set(seen) == {0, 1, 2, 3} and step > 20
