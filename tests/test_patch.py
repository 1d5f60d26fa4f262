"""The patch of `fix`: git takes it, forward and backward, whatever the files are called and hold."""

from __future__ import annotations

import os
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmcodemod.report.diff import diff

CONTENTS = [
    (b"one\ntwo\nthree\n", b"one\nTWO\nthree\n"),
    (b"one\r\ntwo\r\n", b"one\r\nTWO\r\n"),
    (b"one\r\ntwo\nthree\r", b"one\r\nTWO\nthree\r"),
    (b"one\ntwo", b"one\nTWO"),
    (b"one\ntwo", b"one\ntwo\n"),
    (b"one\ntwo\n", b"one\ntwo"),
    (b"# -*- coding: latin-1 -*-\nx = '\xe9\xff'\n", b"# -*- coding: latin-1 -*-\nx = '\xe9\xfe'\n"),
    (b"\xef\xbb\xbfx = 1\n", b"\xef\xbb\xbfx = 2\n"),
    (b"-- a/x\n++ b/x\n", b"-- a/x\n++ b/y\n"),
    (b"a\x0cb\n\x1cc\n", b"a\x0cB\n\x1cc\n"),
]
NAMES = [
    *("x.py", "a b/my file.py", 'say "so".py', "back\\slash.py", "tab\there.py", "line\nfeed.py", "é😀.json"),
    *("-dash.sh", " lead.py", "it's.yaml", "end .py", "bell\x07.py", os.fsdecode(b"latin\xe9.py")),
]


def git(folder, *arguments, data=None):
    command = ["git", "-c", "core.autocrlf=false", *arguments]
    return subprocess.run(command, cwd=folder, input=data, capture_output=True, check=False)


def applied(folder, files, patch, *how):
    """What git makes of the files."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    done = git(folder, "apply", "--whitespace=nowarn", *how, "-", data=patch)
    assert done.returncode == 0, done.stderr.decode() + patch.decode("utf-8", "replace")
    return {name: (folder / name).read_bytes() for name in files}


def holds(folder, before, after):
    patch = diff(before, after)
    assert applied(folder, before, patch) == after
    assert applied(folder, after, patch, "--reverse") == before


@pytest.mark.parametrize("name", NAMES)
def test_names(tmp_path, name):
    holds(tmp_path, {name: b"one\n"}, {name: b"two\n"})


@pytest.mark.parametrize(("before", "after"), CONTENTS)
def test_contents(tmp_path, before, after):
    holds(tmp_path, {"f": before}, {"f": after})


def test_several_files_in_a_folder_of_a_repository(tmp_path):
    """Paths are relative to the checked folder, not to the top of the repository; the mode stays."""
    git(tmp_path, "init", "-q")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "run.sh").touch(mode=0o755)
    os.chmod(tmp_path / "sub" / "run.sh", 0o755)
    before = {"run.sh": b"a\n", "b/c.py": b"b"}
    holds(tmp_path / "sub", before, {"run.sh": b"A\n", "b/c.py": b"B"})
    assert (tmp_path / "sub" / "run.sh").stat().st_mode & 0o777 == 0o755


LINES = st.lists(st.sampled_from([b"a", b"b", b"\n", b"\r\n", b"\r", b"\xe9", b"--- ", b"\\ ", b"@@", b" "]))


@settings(derandomize=True, deadline=None, max_examples=60, database=None)
@given(st.tuples(LINES, LINES))
def test_any_content(tmp_path_factory, both):
    before, after = (b"x" + b"".join(parts) for parts in both)
    if before != after:
        holds(tmp_path_factory.mktemp("git"), {"f": before}, {"f": after})
