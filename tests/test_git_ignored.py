"""What git leaves out by a `.gitignore`: the same as git says."""

import shutil
import subprocess

import pytest

from mmcodemod.pipeline import build_project
from mmcodemod.project.git_ignored import ignored_by
from mmcodemod.source.tree import text_tree

CASES = [
    ("data\n", "data/x.json", 1),
    ("data/\n", "data/x.json", 1),
    ("data/\n", "data", 0),  # a file of that name
    ("/data\n", "own/data/x.json", 0),
    ("data\n", "own/data/x.json", 1),
    ("own/*.json\n", "own/x.json", 1),
    ("own/*.json\n", "own/more/x.json", 0),  # `*` matches no `/`
    ("*.json\n", "own/more/x.json", 1),
    ("own/**/x.json\n", "own/x.json", 1),
    ("own/**/x.json\n", "own/a/b/x.json", 1),
    ("**/x.json\n", "own/x.json", 1),
    ("own/**\n", "own/a/x.json", 1),
    ("own/**\n!own/x.json\n", "own/x.json", 0),
    ("x.js?n\n", "x.json", 1),
    ("x[^0-9].json\n", "xa.json", 1),
    ("x[^0-9].json\n", "x1.json", 0),
    ("*.json\n!x.json\n", "x.json", 0),
    ("*.json\n!x.json\n", "y.json", 1),
    ("!x.json\n*.json\n", "x.json", 2),
    ("data/\n!data/x.json\n", "data/x.json", 1),  # nothing comes back of a folder that is left out
    ("data/*\n!data/x.json\n", "data/x.json", 0),
    ("*\n!*.py\n!*/\n", "own/x.json", 1),
    ("*\n!*.py\n!*/\n", "own/x.py", 0),
    ("# x.json\n\n  \n/\n", "x.json", 0),
    ("\\#x.json\n", "#x.json", 1),
]


@pytest.mark.parametrize(("lines", "path", "at"), CASES)
def test_the_line_that_leaves_a_path_out(lines, path, at):
    found = ignored_by(build_project(text_tree({".gitignore": lines, "a.py": ""})), path)
    assert (found.line if found else 0) == at


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize(("lines", "path", "at"), CASES)
def test_git_says_the_same(tmp_path, lines, path, at):
    (tmp_path / ".gitignore").write_text(lines)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    own = ["git", "-C", str(tmp_path), "-c", "core.excludesFile=/dev/null"]  # not what the user leaves out
    command = [*own, "check-ignore", "-q", "--no-index", path]
    assert subprocess.run(command, check=False).returncode == (0 if at else 1)


def test_a_file_counts_for_its_folder():
    tree = text_tree({"own/.gitignore": "x.json\n", "a.py": ""})
    assert ignored_by(build_project(tree), "own/more/x.json").path == "own/.gitignore"
    assert ignored_by(build_project(tree), "x.json") is None
