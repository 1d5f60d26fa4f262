"""Writing fixes: a file is replaced completely or not at all."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import mmcodemod
from mmcodemod.engine import write as writing
from mmcodemod.engine.leftovers import remove_leftovers
from mmcodemod.engine.write import write
from mmcodemod.source.discover import discover


@pytest.fixture
def file(tmp_path):
    file = tmp_path / "a" / "x.py"
    file.parent.mkdir()
    file.write_bytes(b"x = 1\r\n")
    return file


def test_bytes_line_ends_and_mode_are_kept(tmp_path, file):
    file.chmod(0o755)
    assert write(tmp_path, {"a/x.py": b"\xef\xbb\xbfx = 2\r\n"}, {"a/x.py": b"x = 1\r\n"}) == ()
    assert file.read_bytes() == b"\xef\xbb\xbfx = 2\r\n"
    assert file.stat().st_mode & 0o7777 == 0o755
    assert os.listdir(file.parent) == ["x.py"]


def refused(tmp_path, file, reason, before=b"x = 1\r\n"):
    content = file.read_bytes()
    problems = write(tmp_path, {"a/x.py": b"x = 2\n"}, {"a/x.py": before})
    assert [(p.path, p.kind) for p in problems] == [("a/x.py", "fix")]
    assert reason in problems[0].message
    assert file.read_bytes() == content
    assert os.listdir(file.parent) == ["x.py"]


def test_a_file_that_changed_is_left_alone(tmp_path, file):
    file.write_bytes(b"x = 3\n")
    refused(tmp_path, file, "changed since it was read")


def test_a_file_that_was_never_read_is_left_alone(tmp_path, file):
    content = file.read_bytes()
    assert "changed" in write(tmp_path, {"a/x.py": b""}, {})[0].message
    assert file.read_bytes() == content


def test_a_link_is_left_alone(tmp_path, file):
    target = tmp_path / "target.py"
    file.rename(target)
    file.symlink_to(target)
    refused(tmp_path, file, "it is a link")
    assert file.is_symlink()


def test_a_folder_that_is_a_link_is_left_alone(tmp_path, file):
    outside = tmp_path / "outside"
    file.parent.rename(outside)
    (tmp_path / "a").symlink_to(outside)
    refused(tmp_path, file, "through a link")


def test_a_root_behind_a_link_is_fine(tmp_path, file):
    (tmp_path / "alias").symlink_to(tmp_path / "a")
    assert write(tmp_path / "alias", {"x.py": b"y\n"}, {"x.py": b"x = 1\r\n"}) == ()
    assert file.read_bytes() == b"y\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everything")
def test_a_read_only_file_is_left_alone(tmp_path, file):
    file.chmod(0o444)
    refused(tmp_path, file, "not writable")


def test_a_vanished_file_is_not_created(tmp_path, file):
    file.unlink()
    problems = write(tmp_path, {"a/x.py": b"y\n", "gone/x.py": b"y\n"}, {})
    assert [p.path for p in problems] == ["a/x.py", "gone/x.py"]
    assert os.listdir(file.parent) == []


@pytest.mark.parametrize("step", ["replace", "fsync", "chmod"])
def test_a_failing_step_leaves_the_old_file_and_nothing_else(tmp_path, file, monkeypatch, step):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing.os, step, fail)
    refused(tmp_path, file, "No space left on device")


def two(tmp_path):
    (tmp_path / "b.py").write_bytes(b"old")
    return {"a/x.py": b"n", "b.py": b"new"}, {"a/x.py": b"x = 1\r\n", "b.py": b"old"}


def test_files_of_one_fix_are_written_all_or_none(tmp_path, file):
    changed, before = two(tmp_path)
    (tmp_path / "b.py").write_bytes(b"other")
    problems = write(tmp_path, changed, before, [{"a/x.py", "b.py"}])
    assert [p.message for p in problems] == [
        "not written: b.py, which belongs to the same fix, cannot be: it changed since it was read",
        "not written: it changed since it was read",
    ]
    assert (file.read_bytes(), (tmp_path / "b.py").read_bytes()) == (b"x = 1\r\n", b"other")
    assert sorted(os.listdir(tmp_path)) == ["a", "b.py"] and os.listdir(file.parent) == ["x.py"]


def test_what_was_renamed_is_taken_back(tmp_path, file, monkeypatch):
    changed, before = two(tmp_path)
    file.chmod(0o755)
    replace = os.replace

    def fail(source, target):
        if Path(target).name == "b.py":
            raise OSError(5, "Input/output error")
        replace(source, target)

    monkeypatch.setattr(writing.os, "replace", fail)
    problems = write(tmp_path, changed, before, [{"a/x.py", "b.py"}])
    assert [p.path for p in problems] == ["a/x.py", "b.py"]
    assert (file.read_bytes(), (tmp_path / "b.py").read_bytes()) == (b"x = 1\r\n", b"old")
    assert file.stat().st_mode & 0o7777 == 0o755
    assert sorted(os.listdir(tmp_path)) == ["a", "b.py"] and os.listdir(file.parent) == ["x.py"]


def test_fixes_that_share_a_file_are_one(tmp_path, file):
    changed, before = two(tmp_path)
    (tmp_path / "c.py").write_bytes(b"c")
    (tmp_path / "d.py").write_bytes(b"d")
    changed, before = {**changed, "c.py": b"C", "d.py": b"D"}, {**before, "c.py": b"-", "d.py": b"d"}
    problems = write(tmp_path, changed, before, [{"a/x.py", "b.py"}, {"b.py", "c.py"}, {"d.py"}])
    assert [p.path for p in problems] == ["a/x.py", "b.py", "c.py"]
    assert (tmp_path / "d.py").read_bytes() == b"D"


def left(tmp_path, name, age=3600.0):
    (tmp_path / name).write_bytes(b"half")
    os.utime(tmp_path / name, (time.time() - age,) * 2)
    return name


def test_old_temporaries_are_removed_and_nothing_else(tmp_path, file):
    name = left(tmp_path, "a/.k3_x8ab2.mmcodemod")
    kept = [left(tmp_path, n) for n in ("a/notes.mmcodemod", "a/.mmcodemod", "a/.K3_x8ab2.mmcodemod", ".x")]
    kept.append(left(tmp_path, "a/.k3_x8ab9.mmcodemod", age=5.0))
    (tmp_path / "a" / ".abcdefgh.mmcodemod").symlink_to(file)
    assert remove_leftovers(tmp_path, ["a/x.py", "gone/y.py"]) == (name,)
    assert not (tmp_path / name).exists()
    assert all((tmp_path / n).exists() for n in kept)
    assert (tmp_path / "a" / ".abcdefgh.mmcodemod").is_symlink()


def test_a_temporary_is_no_part_of_the_tree(tmp_path, file):
    left(tmp_path, "a/.k3_x8ab2.mmcodemod")
    assert discover([tmp_path]).tree.paths == ("a/x.py",)


def test_one_failure_does_not_stop_the_others(tmp_path, file):
    (tmp_path / "b.py").write_bytes(b"old")
    problems = write(tmp_path, {"a/x.py": b"n", "b.py": b"new"}, {"a/x.py": b"other", "b.py": b"old"})
    assert [p.path for p in problems] == ["a/x.py"]
    assert (tmp_path / "b.py").read_bytes() == b"new"


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_killed_writer_leaves_the_old_file(tmp_path, file, step):
    script = f"""
        import os, pathlib, signal
        from mmcodemod.engine.write import write
        os.{step} = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        write(pathlib.Path({str(tmp_path)!r}), {{"a/x.py": b"new"}}, {{"a/x.py": b"x = 1\\r\\n"}})
    """
    env = {**os.environ, "PYTHONPATH": str(Path(mmcodemod.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], env=env)
    assert done.returncode == -signal.SIGKILL
    assert file.read_bytes() == b"x = 1\r\n"
