"""Revisions and working trees as trees: the same files as on disk, whatever is in them."""

import os
import subprocess

import pytest
from repositories import Repository

from mmcodemod.source import workshop
from mmcodemod.source.discover import SIZE_LIMIT, discover
from mmcodemod.source.git import GitError, open_repository
from mmcodemod.source.revision import below, revision
from mmcodemod.source.tree import UnreadableFile
from mmcodemod.source.working import working_tree

ODD = {
    "train.py": "x = 1\n",
    "run.sh": b"#!/bin/sh\r\necho \xff\n",
    "picture.png": b"\x89PNG",
    "Makefile": "all:\n",
    "docker/Dockerfile.gpu": "FROM x\n",
    "node_modules/x.py": "x = 1\n",
    "deep/build/x.py": "x = 1\n",
    "deep/keep/__pycache__/x.py": "x = 1\n",
    "skipped/x.py": "x = 1\n",
    "deep/skip.py": "x = 1\n",
    "deep/\u00fcber.py": "x = 1\n",
    "-x.py": "x = 1\n",
    "empty.json": "",
}
EXCLUDE = ("skipped", "skip.py")


@pytest.fixture
def repository(tmp_path):
    made = Repository.made(tmp_path / "repo", ODD)
    for name, target in {"in.py": "train.py", "out.py": "/etc/passwd", "up.sh": "../../x.sh",
                         "folder": "deep", "deep/top": "..", "gone": "nothing", "a.png": "picture.png",
                         "skipped/l.py": "x.py"}.items():  # fmt: skip
        (made.root / name).symlink_to(target)
    made.commit({"large.json": b"[" + b" " * SIZE_LIMIT + b"]", os.fsdecode(b"caf\xe9.py"): "x = 1\n"})
    return made


def opened(repository):
    found = open_repository(repository.root)
    return found, workshop.opened(found.objects, found.hash)


def contents(tree):
    found = {}
    for path in tree.paths:
        try:
            found[path] = tree.read_bytes(path)
        except UnreadableFile as error:
            found[path] = (error.kind, error.message)
    return found


@pytest.mark.parametrize("folder", ["", "deep"])
def test_a_revision_holds_what_is_found_on_disk(repository, folder):
    disk = discover([repository.root / folder], EXCLUDE)
    found, shop = opened(repository)
    with shop as open_shop:
        tree = revision(open_shop, below(open_shop.entries(found.commit("HEAD")), folder), EXCLUDE)
        assert contents(tree.tree) == contents(disk.tree)
        beyond = {p for p in disk.problems if folder and p.path == "top"}  # nobody knows what is up there
        assert set(tree.problems) == set(disk.problems) - beyond
        with pytest.raises(UnreadableFile):
            tree.tree.read_bytes("picture.png")


def working(repository):
    """Path -> content of the working tree as a tree of git."""
    found, shop = opened(repository)
    with shop as open_shop:
        name = working_tree(found, open_shop)
        return name, contents(revision(open_shop, open_shop.entries(name)).tree)


def test_a_clean_working_tree_is_the_commit(repository):
    assert working(repository)[0] == repository.git("rev-parse", "HEAD^{tree}").strip()


def test_the_working_tree_has_what_is_tracked_as_it_is_on_disk(repository):
    repository.write({"train.py": "x = 2\n", "untracked.py": "x\n", "Makefile": None, "added.py": "new\n"})
    repository.git("add", "added.py")
    (repository.root / "-x.py").unlink()
    (repository.root / "-x.py").symlink_to("train.py")
    found = working(repository)[1]
    assert (found["train.py"], found["added.py"]) == (b"x = 2\n", b"new\n")
    assert not {"untracked.py", "Makefile", "-x.py"} & set(found)


def test_a_folder_that_became_a_link_is_not_followed(repository, tmp_path):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "skip.py").write_text("secret = 1\n")
    (repository.root / "deep").rename(tmp_path / "deep")
    (repository.root / "deep").symlink_to(tmp_path / "secret")
    assert b"secret = 1\n" not in working(repository)[1].values()


def test_line_ends_of_a_checkout_and_sparse_files_are_no_change(repository):
    (repository.root / "train.py").write_bytes(b"x = 1\r\n")
    repository.git("update-index", "--skip-worktree", "empty.json")
    (repository.root / "empty.json").unlink()
    assert working(repository)[0] == repository.git("rev-parse", "HEAD^{tree}").strip()


def test_a_file_in_conflict_counts_as_it_is_on_disk(repository):
    repository.git("checkout", "-q", "-b", "topic")
    repository.commit({"train.py": "x = 3\n"})
    repository.git("checkout", "-q", "main")
    repository.commit({"train.py": "x = 4\n"})
    with pytest.raises(subprocess.CalledProcessError):
        repository.git("merge", "-q", "topic")
    assert b"<<<<<<<" in working(repository)[1]["train.py"]


def test_a_linked_worktree_and_a_shared_clone_are_read(repository, tmp_path):
    repository.git("worktree", "add", "-q", str(tmp_path / "linked"), "HEAD")
    repository.git("clone", "-q", "--shared", ".", str(tmp_path / 'shared, with: odd "name" ü'))
    tree = repository.git("rev-parse", "HEAD^{tree}").strip()
    for folder in (tmp_path / "linked", tmp_path / 'shared, with: odd "name" ü'):
        assert working(Repository(folder))[0] == tree


def test_a_repository_of_sha256_is_read(tmp_path):
    made = Repository(tmp_path / "new")
    made.root.mkdir()
    try:
        made.git("init", "-q", "--object-format=sha256")
    except subprocess.CalledProcessError:
        pytest.skip("this git makes no such repository")
    made.commit({"train.py": "x = 1\n"})
    made.write({"train.py": "x = 2\n"})
    assert working(made)[1] == {"train.py": b"x = 2\n"}


def test_contents_that_a_partial_clone_lacks_are_problems(repository, tmp_path):
    repository.git("config", "uploadpack.allowFilter", "true")
    target = tmp_path / "partial"
    repository.git(
        "clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{repository.root}", str(target)
    )
    found, shop = opened(Repository(target))
    with shop as open_shop:
        tree = revision(open_shop, open_shop.entries(found.commit("HEAD"))).tree
        assert contents(tree)["train.py"] == ("io", "its content is not in this clone")


def test_what_is_no_revision_and_no_repository_is_told(repository, tmp_path):
    found = open_repository(repository.root)
    for name in ("nothing", "-x", "--all", "", "HEAD^{tree}", "a\0b", "HEAD..main"):
        with pytest.raises(GitError, match="no such revision"):
            found.commit(name)
    with pytest.raises(GitError, match="not a git repository"):
        open_repository(tmp_path)
    assert open_repository(repository.root / "deep").folder == "deep"
