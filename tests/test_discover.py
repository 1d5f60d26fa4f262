"""Finding files on disk: what is taken, what is left out, and that nothing hangs or leaves the root."""

import os
import pickle
import sys

import pytest

from mmcodemod.model.finding import Problem
from mmcodemod.source.discover import SIZE_LIMIT, NoSuchPath, discover, is_interesting
from mmcodemod.source.tree import UnreadableFile, may_hold, text_tree
from mmcodemod.source.watch import ProgressTree, RememberingTree

as_root = pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")


def put(root, *names, text="x = 1\n"):
    for name in names:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def test_paths_are_sorted_relative_and_interesting(tmp_path):
    put(tmp_path, "b/train.py", "a.json", "b/z.YAML", "run.sh", "Makefile", "Dockerfile.gpu", "x.png")
    put(tmp_path, "b/x.pyc", "requirements.txt", "p-1.0.dist-info/METADATA", "hostfile")
    found = discover([tmp_path])
    assert found.root == tmp_path
    assert found.problems == ()
    assert found.tree.paths == (
        "Dockerfile.gpu",
        "Makefile",
        "a.json",
        "b/train.py",
        "b/z.YAML",
        "hostfile",
        "p-1.0.dist-info/METADATA",
        "requirements.txt",
        "run.sh",
    )


@pytest.mark.parametrize("folder", [".git", ".venv", "venv", "node_modules", "build", "a/site-packages"])
def test_default_excludes(tmp_path, folder):
    put(tmp_path, f"{folder}/x.py", "a/y.py")
    assert discover([tmp_path]).tree.paths == ("a/y.py",)


def test_an_excluded_folder_is_checked_when_named(tmp_path):
    put(tmp_path, "build/x.py")
    assert discover([tmp_path / "build"]).tree.paths == ("x.py",)


@pytest.mark.parametrize("pattern", ["third_party", "third_party/", "a/third_party", "th*", "a/third*/*.py"])
def test_user_excludes(tmp_path, pattern):
    put(tmp_path, "a/third_party/x.py", "a/y.py")
    assert discover([tmp_path], exclude=[pattern]).tree.paths == ("a/y.py",)


def test_several_paths_are_relative_to_the_working_folder(tmp_path, monkeypatch):
    put(tmp_path, "a/x.py", "b/y.py", "b/notes.rst")
    monkeypatch.chdir(tmp_path)
    assert discover(["a", "b/y.py", "b"]).tree.paths == ("a/x.py", "b/y.py")
    assert discover(["b/notes.rst"]).tree.paths == ("b/notes.rst",)


def test_paths_outside_the_working_folder_share_their_common_folder(tmp_path, monkeypatch):
    put(tmp_path, "a/x.py", "b/y.py")
    (tmp_path / "c").mkdir()
    monkeypatch.chdir(tmp_path / "c")
    found = discover(["../a", "../b/y.py"])
    assert (found.root, found.tree.paths) == (tmp_path, ("a/x.py", "b/y.py"))
    assert discover(["../b/y.py"]).tree.paths == ("y.py",)


def test_a_missing_path_is_refused():
    with pytest.raises(NoSuchPath, match="no such file or folder: nowhere"):
        discover(["nowhere"])


def test_links_are_not_followed(tmp_path):
    put(tmp_path, "root/real.py", "outside/secret.py")
    root = tmp_path / "root"
    (root / "out.py").symlink_to(tmp_path / "outside/secret.py")
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "loop").symlink_to(root)
    (root / "self.py").symlink_to("self.py")
    (root / "picture.png").symlink_to("/etc/passwd")
    found = discover([root])
    assert found.tree.paths == ("real.py",)
    assert [(p.path, p.kind) for p in found.problems] == [
        (name, "link") for name in ("loop", "out", "out.py", "self.py")
    ]
    assert "out of the tree" in found.problems[1].message


def test_what_is_not_looked_into_is_known_by_name(tmp_path):
    put(tmp_path, "real.py", "ops/fused.pyx", "build/made.py", "own/left.py", "picture.png")
    (tmp_path / "alias").symlink_to("real.py")
    (tmp_path / ".gitmodules").write_text('[submodule "x"]\n\tpath = third/party\n\turl = u\n')
    tree = discover([tmp_path], ["own"]).tree
    assert tree.paths == ("real.py",)
    assert tree.unread == {"alias", "build", "ops/fused.pyx", "own", "third/party"}
    assert may_hold(tree, "third/party/kit")
    assert may_hold(tree, "ops/fused")
    assert not may_hold(tree, "op")
    assert not may_hold(tree, "real")


def test_a_root_that_is_a_link_is_the_folder_it_names(tmp_path):
    put(tmp_path, "real/x.py")
    (tmp_path / "alias").symlink_to("real")
    found = discover([tmp_path / "alias"])
    assert (found.tree.paths, found.problems) == (("x.py",), ())


def test_a_file_that_becomes_a_link_is_not_read(tmp_path):
    put(tmp_path, "x.py", "y.py")
    tree = discover([tmp_path]).tree
    (tmp_path / "x.py").unlink()
    (tmp_path / "x.py").symlink_to("y.py")
    with pytest.raises(UnreadableFile) as caught:
        tree.read_bytes("x.py")
    assert caught.value.kind == "link"


def test_a_pipe_and_a_folder_named_like_a_file(tmp_path):
    put(tmp_path, "folder.py/inner.py")
    os.mkfifo(tmp_path / "x.py")
    found = discover([tmp_path])
    assert found.tree.paths == ("folder.py/inner.py",)
    assert found.problems == (Problem("x.py", "io", "not a regular file"),)
    assert discover([tmp_path / "x.py"]).problems == found.problems


def test_a_file_that_becomes_a_pipe_does_not_hang(tmp_path):
    put(tmp_path, "x.py")
    tree = discover([tmp_path]).tree
    (tmp_path / "x.py").unlink()
    os.mkfifo(tmp_path / "x.py")
    with pytest.raises(UnreadableFile, match="not a regular file"):
        tree.read_bytes("x.py")


def test_size_limit(tmp_path):
    put(tmp_path, "x.py", "y.py")
    os.truncate(tmp_path / "x.py", SIZE_LIMIT)
    os.truncate(tmp_path / "y.py", SIZE_LIMIT + 1)
    tree = discover([tmp_path]).tree
    assert len(tree.read_bytes("x.py")) == SIZE_LIMIT
    with pytest.raises(UnreadableFile, match="larger than 10 MB") as caught:
        tree.read_bytes("y.py")
    assert caught.value.kind == "too-large"


def test_vanished_and_never_discovered_files(tmp_path):
    put(tmp_path, "root/x.py", "secret.py")
    tree = discover([tmp_path / "root"]).tree
    (tmp_path / "root/x.py").unlink()
    for path in ("x.py", "../secret.py", str(tmp_path / "secret.py")):
        with pytest.raises(UnreadableFile) as caught:
            tree.read_bytes(path)
        assert (caught.value.kind, caught.value.path) == ("io", path)


@as_root
def test_folders_without_permission(tmp_path):
    put(tmp_path, "a/x.py", "y.py")
    (tmp_path / "a").chmod(0)
    try:
        found = discover([tmp_path])
    finally:
        (tmp_path / "a").chmod(0o755)
    assert found.tree.paths == ("y.py",)
    assert [(p.path, p.kind) for p in found.problems] == [("a", "io")]


def test_names_that_are_not_utf8(tmp_path):
    with open(os.fsencode(tmp_path) + b"/\xff.py", "wb") as file:
        file.write(b"x = 1\n")
    tree = discover([tmp_path]).tree
    assert tree.read_bytes(tree.paths[0]) == b"x = 1\n"


def test_deep_and_wide_trees_take_little_work(tmp_path):
    """Counted in calls: linear in the width, at most quadratic in the depth, which the system limits."""
    for wide, deep in ((1500, 100), (3000, 200)):
        root = tmp_path / f"{wide}"
        folder = root / "/".join("d" * deep)
        folder.mkdir(parents=True)
        for number in range(wide):
            (root / f"f{number}.py").touch()
        (folder / "x.py").touch()
    small, large = (_calls_of(tmp_path / name) for name in ("1500", "3000"))
    assert large < 3 * small


def _calls_of(root):
    calls = [0]

    def count(frame, event, argument):
        calls[0] += 1

    sys.setprofile(count)
    try:
        found = discover([root]).tree.paths
    finally:
        sys.setprofile(None)
    assert len(found) == int(root.name) + 1
    return calls[0]


def test_interesting_names():
    assert all(map(is_interesting, ["t.py", "ds.json", "a.sbatch", "setup.cfg", "entry_points.txt"]))
    assert all(
        map(
            is_interesting,
            ["Pipfile", "Pipfile.lock", "uv.lock", "Dockerfile", "Dockerfile.cuda12.1", ".gitignore"],
        )
    )
    assert not any(map(is_interesting, ["t.pyi", "x.png", "LICENSE", ".gitattributes", "weights.bin"]))


def test_progress_counts_files_not_reads_and_stays_out_of_workers():
    told = []
    tree = ProgressTree(text_tree({"a.py": "", "b.py": ""}), lambda *counts: told.append(counts))
    for path in ("a.py", "a.py", "b.py"):
        assert tree.read_bytes(path) == b""
    assert told == [(1, 2), (1, 2), (2, 2)]
    assert pickle.loads(pickle.dumps(tree)) == tree.base


def test_remembering_tells_what_changed_since_the_first_read(tmp_path):
    put(tmp_path, "a.py", "b.py", "c.py")
    tree = RememberingTree(discover([tmp_path]).tree)
    for path in tree.paths:
        tree.read_bytes(path)
    put(tmp_path, "b.py", text="changed")
    (tmp_path / "c.py").unlink()
    same, problems = tree.still(["c.py", "b.py", "a.py"])
    assert same == {"a.py": b"x = 1\n"}
    assert [(p.path, p.kind) for p in problems] == [("b.py", "fix"), ("c.py", "fix")]
    assert pickle.loads(pickle.dumps(tree)).paths == tree.paths
