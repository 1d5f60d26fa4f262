"""An answer from the cache is the answer: the same bytes, never those of another tree, option or version."""

import json
import os
import random
import shutil
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest

from mmcodemod import pipeline
from mmcodemod.engine import replay, version
from mmcodemod.engine.registry import names
from mmcodemod.model.given import Given
from mmcodemod.pipeline import Settings
from mmcodemod.project import extraction
from mmcodemod.report import json as reporter
from mmcodemod.source.cache import CachingTree
from mmcodemod.source.cache_folder import default_folder
from mmcodemod.source.store import FILE, REPORT, Store
from mmcodemod.source.tree import MemoryTree, UnreadableFile

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "samples" / "showcase_llava_like" / "before"
FILES = {f.relative_to(SAMPLE).as_posix(): f.read_bytes() for f in sorted(SAMPLE.rglob("*")) if f.is_file()}
HIT = b"answered from the cache"


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


@pytest.fixture
def folder(tmp_path):
    return Path(shutil.copytree(SAMPLE, tmp_path / "tree"))


DEFAULT = Settings()


def key(files=FILES, settings=DEFAULT):
    return replay.Question(CachingTree(MemoryTree(files)), settings.deciding, settings.codemods).key()


def rendered(store, files=FILES, **choices):
    return reporter.render(pipeline.check(MemoryTree(files), Settings(store=store, **choices)), names())


@pytest.fixture
def never_again(monkeypatch):
    """After a call of it, every real check fails."""

    def check(tree, settings):
        raise AssertionError("the answer was not taken from the cache")

    return lambda: monkeypatch.setattr(pipeline, "_check", check)


def test_the_sample_has_all_that_a_report_can_hold():
    report = pipeline.check(MemoryTree(FILES))
    assert report.findings and report.dismissed and report.contexts
    assert any(finding.fix for finding in report.findings)


def test_the_second_answer_is_the_first(store, never_again):
    first = rendered(store)
    assert first == rendered(None)
    never_again()
    assert rendered(store) == first
    assert rendered(store, dict(reversed(FILES.items()))) == first


def test_each_file_decides():
    base = key()
    for path, data in FILES.items():
        assert key({**FILES, path: data + b"\n"}) != base, path
        assert key({p: d for p, d in FILES.items() if p != path}) != base, path
        assert key({**{p: d for p, d in FILES.items() if p != path}, f"{path}2": data}) != base, path
    assert key({**FILES, "new.txt": b""}) != base


def test_fields_do_not_run_together():
    assert key({"a": b"b", "c": b"d"}) != key({"a": b"bcd"})
    assert key({"ab": b"c"}) != key({"a": b"bc"})


def test_what_cannot_be_read_decides():
    class Partly(MemoryTree):
        def read_bytes(self, path):
            raise UnreadableFile(path, "io", "no permission")

    question = replay.Question(CachingTree(Partly(FILES)), {}, ())
    assert question.key() != replay.Question(CachingTree(MemoryTree(FILES)), {}, ()).key()


def test_each_option_decides():
    """A new option of Settings must be told apart, or named here as one that changes no answer."""
    others = {
        "select": ("MM2",),
        "ignore": ("MM2",),
        "per_file_ignores": {"*.py": ("MM2",)},
        "codemods": (str(ROOT / "codemods"),),
        "given": Given(("torchrun", "train.py")),
        "assume": {"deepspeed": "0.16.9"},
        "gpu_memory": 24 * 2**30,
        "preview": True,
        "suppressions": False,
    }
    no_answer = {"store", "jobs", "tell", "profile"}
    assert {field.name for field in fields(Settings)} == {*others, *no_answer, "base"}
    for name, value in others.items():
        assert key(settings=replace(Settings(), **{name: value})) != key(), name


def test_the_base_of_patterns_decides_where_there_are_patterns():
    """A tree that is checked from another folder keeps its answer."""
    patterns = Settings(per_file_ignores={"pkg/*.py": ("MM2",)})
    assert key(settings=replace(patterns, base="pkg")) != key(settings=patterns)
    assert key(settings=Settings(base="pkg")) == key()


def test_options_that_look_alike_decide():
    assert key(settings=Settings(select=("MM1", "MM2"))) != key(settings=Settings(select=("MM1, MM2",)))
    assert key(settings=Settings(select=("MM1",), ignore=())) != key(
        settings=Settings(select=(), ignore=("MM1",))
    )


def test_another_option_is_another_answer(store):
    assert rendered(store, select=("MM3",)) == rendered(None, select=("MM3",)) != rendered(store)


def test_one_byte_of_a_configuration(store):
    [path] = [p for p in FILES if p.endswith("zero3.json")]
    rendered(store)
    changed = {**FILES, path: FILES[path].replace(b'"stage": 3', b'"stage": 2')}
    assert changed != FILES
    assert rendered(store, changed) == rendered(None, changed) != rendered(store)


def test_a_module_that_shadows(store):
    rendered(store)
    shadowed = {**FILES, "deepspeed.py": b"x = 1\n", "transformers/__init__.py": b"class Trainer: pass\n"}
    assert rendered(store, shadowed) == rendered(None, shadowed) != rendered(store)


def test_a_fix_sees_what_a_check_without_cache_sees(store):
    plain = pipeline.fix(MemoryTree(FILES), Settings(), unsafe=True)
    assert plain.changed
    for _ in range(2):
        assert pipeline.fix(MemoryTree(FILES), Settings(store=store), unsafe=True) == plain
    after = {**FILES, **plain.changed}
    assert rendered(store, after) == rendered(None, after), "trees in memory count by their content"


@pytest.mark.parametrize("data", [b"", b"null", b"[]", b"\xff", b'{"findings": []}'])
def test_a_planted_report_is_not_believed(store, data):
    store.put(REPORT, key(), data)
    assert rendered(store) == rendered(None)


def test_a_tree_too_large_to_keep_is_not_replayed(store, monkeypatch):
    """Its files are read again by later stages, and may have changed since the digest was made."""
    monkeypatch.setattr("mmcodemod.source.cache.MAX_BYTES", 100)
    rendered(store)
    assert store.get(REPORT, key()) is None


def test_a_file_is_read_once(store):
    class Changing(MemoryTree):
        def read_bytes(self, path):
            reads.append(path)
            return super().read_bytes(path)

    reads = []
    pipeline.check(Changing(FILES), Settings(store=store))
    assert sorted(reads) == sorted(FILES)


class TestVersion:
    """What decides besides the tree: our own files, the rules of --codemods, what is installed."""

    @pytest.fixture(autouse=True)
    def fresh(self):
        version.version.cache_clear()
        yield
        version.version.cache_clear()

    def test_our_own_files(self, tmp_path, monkeypatch):
        copy = Path(shutil.copytree(version.PACKAGE, tmp_path / "mmcodemod"))
        monkeypatch.setattr(version, "PACKAGE", copy)
        before = version.version(())
        for one in ("models/torch__utils__data.py", "knowledge/layers.py", "project/reach.py"):
            version.version.cache_clear()
            (copy / one).write_bytes((copy / one).read_bytes() + b"\n")
            assert version.version(()) != before, one
            before = version.version(())

    def test_a_file_that_is_as_long_as_before(self, tmp_path):
        (tmp_path / "rule.py").write_text("x = 1\n")
        os.utime(tmp_path / "rule.py", ns=(0, 5))
        before = version.version((str(tmp_path),))
        version.version.cache_clear()
        assert version.version((str(tmp_path),)) == before
        (tmp_path / "rule.py").write_text("x = 2\n")
        version.version.cache_clear()
        assert version.version((str(tmp_path),)) != before

    def test_what_python_compiles(self, tmp_path):
        before = version.version((str(tmp_path),))
        (tmp_path / "__pycache__").mkdir()
        (tmp_path / "__pycache__" / "rule.cpython-311.pyc").touch()
        version.version.cache_clear()
        assert version.version((str(tmp_path),)) == before

    def test_rules_of_codemods(self, tmp_path):
        (tmp_path / "a_rule").mkdir()
        (tmp_path / "a_rule" / "rule.py").touch()
        before = version.version((str(tmp_path),))
        assert before != version.version(())
        (tmp_path / "a_rule" / "rule.py").write_text("x = 1\n")
        version.version.cache_clear()
        assert version.version((str(tmp_path),)) != before

    def test_what_is_installed(self, tmp_path, monkeypatch):
        monkeypatch.syspath_prepend(str(tmp_path))
        (tmp_path / "plug_in-1.0.dist-info").mkdir()
        before = version.version(())
        (tmp_path / "plug_in-1.0.dist-info").rename(tmp_path / "plug_in-1.1.dist-info")
        version.version.cache_clear()
        assert version.version(()) != before

    def test_a_folder_that_cannot_be_read(self, store, tmp_path):
        assert version.version((str(tmp_path / "nowhere"),)) is None

    def test_a_loop_of_links_and_a_pipe(self, tmp_path):
        (tmp_path / "again").symlink_to(tmp_path)
        os.mkfifo(tmp_path / "pipe")
        assert version.version((str(tmp_path),)) is not None


def run(command, folder, *more, seed=0, **environment):
    """What a fresh process prints, and what it says on stderr."""
    words = [sys.executable, "-m", "mmcodemod", command, *more, str(folder)]
    every = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONHASHSEED": str(seed), **environment}
    done = subprocess.run(words, capture_output=True, env=every, cwd=folder.parent)
    assert done.returncode in (0, 1), done.stderr.decode()
    assert b"Traceback" not in done.stderr
    return done.stdout, done.stderr


def without_seconds(text):
    return text.rpartition(b" in ")[0]


def test_cold_warm_and_without(folder):
    cold, said = run("check", folder, "--format", "json", "--verbose")
    assert HIT not in said
    warm, said = run("check", folder, "--format", "json", "--verbose", seed=1)
    assert HIT in said
    without, said = run("check", folder, "--format", "json", "--verbose", "--no-cache", seed=2)
    assert HIT not in said
    assert cold == warm == without
    assert json.loads(cold)["findings"]


@pytest.mark.parametrize("command", [("check", "--show-dismissed"), ("contexts",), ("fix", "--unsafe")])
@pytest.mark.parametrize("format", ["text", "json"])
def test_every_format_is_the_same_from_the_cache(folder, command, format):
    name, *more = command
    fresh, told = run(name, folder, *more, "--format", format, "--no-cache")
    for _ in range(2):
        again, told_again = run(name, folder, *more, "--format", format, seed=3)
        if (name, format) == ("check", "text"):
            assert without_seconds(again) == without_seconds(fresh)
        else:
            assert again == fresh
        assert told_again == told
    assert fresh


def test_a_file_that_cannot_be_read_is_told_again(folder):
    (folder / "broken.py").write_text("def f(:\n")
    (folder / "link.py").symlink_to("/etc/hostname")
    cold = run("check", folder, "--format", "json")
    assert run("check", folder, "--format", "json") == cold
    assert {p["path"] for p in json.loads(cold[0])["problems"]} == {"broken.py", "link.py"}


def test_the_level_that_fails_is_not_part_of_the_answer(folder):
    words = [sys.executable, "-m", "mmcodemod", "check", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    levels = (["--exit-zero"], [], ["--exit-zero"])
    codes = [
        subprocess.run([*words, *more], capture_output=True, env=environment).returncode for more in levels
    ]
    assert codes == [0, 1, 0]


def test_a_replay_imports_nothing_heavy(folder):
    code = (
        "import sys\nfrom mmcodemod.cli.main import main\n"
        "try:\n    main(['check', '--verbose', sys.argv[1]])\nexcept SystemExit:\n    pass\n"
        "print(*sorted(sys.modules), file=sys.stderr)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    for wanted in (False, True):
        words = [sys.executable, "-c", code, str(folder)]
        done = subprocess.run(words, capture_output=True, env=environment, check=True)
        assert (HIT in done.stderr) is wanted
    loaded = done.stderr.decode().splitlines()[-1].split()
    assert "sqlite3" in loaded
    heavy = {"libcst", "networkx", "yaml", "importlib.metadata", "multiprocessing"}
    assert not heavy & set(loaded)
    assert not [
        name for name in loaded if name.startswith(("mmcodemod.project", "mmcodemod.facts", "mmcodemod.scan"))
    ]


@pytest.mark.parametrize("seed", range(3))
def test_a_damaged_cache_gives_the_same_answer(folder, cache_folder, seed):
    answer = run("check", folder, "--format", "json")
    dice = random.Random(seed)
    data = bytearray((cache_folder / FILE).read_bytes())
    for _ in range(20 * seed):
        data[dice.randrange(len(data))] = dice.randrange(256)
    (cache_folder / FILE).write_bytes(data[: len(data) * (seed + 1) // 3])
    assert run("check", folder, "--format", "json") == answer


def test_processes_at_once(folder):
    words = [sys.executable, "-m", "mmcodemod", "check", "--format", "json", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    running = [
        subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        for _ in range(4)
    ]
    answers = {process.communicate() for process in running}
    assert answers == {run("check", folder, "--format", "json", "--no-cache")}


RULE = """
'''MM199 says hello.'''
{first}
from mmcodemod.api import Rule, Severity
ERROR = Severity.ERROR
RULE = Rule("MM199", "says-{word}", "Says hello", "sharding", ERROR, "0.1.0", lambda p: (), lambda p, s: ())
"""


def write_rule(folder, word, first=""):
    (folder / f"says_{word}").mkdir(parents=True, exist_ok=True)
    (folder / f"says_{word}" / "__init__.py").touch()
    (folder / f"says_{word}" / "rule.py").write_text(RULE.format(word=word, first=first))


def test_rules_of_codemods_are_read_again_when_they_change(folder, tmp_path):
    write_rule(tmp_path / "rules", "hello")
    more = ("--codemods", str(tmp_path / "rules"), "--verbose", "--select", "MM199")
    assert HIT not in run("check", folder, *more)[1]
    assert HIT in run("check", folder, *more)[1]
    shutil.rmtree(tmp_path / "rules" / "says_hello")
    write_rule(tmp_path / "rules", "goodbye")
    assert HIT not in run("check", folder, *more)[1]


def test_rules_that_import_what_is_being_worked_on_are_never_replayed(folder, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "my_helpers.py").touch()
    write_rule(tmp_path / "rules", "hello", first="import my_helpers")
    more = ("--codemods", str(tmp_path / "rules"), "--verbose")
    path = os.pathsep.join([str(ROOT / "src"), str(tmp_path / "mine")])
    for _ in range(2):
        assert HIT not in run("check", folder, *more, PYTHONPATH=path)[1]


def test_the_folder_of_the_user(folder, tmp_path, monkeypatch):
    monkeypatch.delenv("MMCODEMOD_CACHE_DIR")
    run("check", folder, XDG_CACHE_HOME=str(tmp_path / "xdg"))
    assert (tmp_path / "xdg" / "mmcodemod" / FILE).is_file()
    if sys.platform == "linux":
        run("check", folder, XDG_CACHE_HOME="relative", HOME=str(tmp_path / "home"))
        assert (tmp_path / "home" / ".cache" / "mmcodemod" / FILE).is_file()


def test_nothing_is_written_into_the_tree_unless_asked(folder, monkeypatch):
    monkeypatch.delenv("MMCODEMOD_CACHE_DIR")
    before = sorted(folder.rglob("*"))
    said = run("check", folder, "--verbose", XDG_CACHE_HOME=str(folder / "cache"))[1]
    assert b"it would lie inside the checked tree" in said
    assert sorted(folder.rglob("*")) == before
    run("check", folder, "--cache-dir", str(folder / "cache"))
    assert (folder / "cache" / FILE).is_file()


def test_a_link_into_the_tree_is_seen(tmp_path, monkeypatch):
    (tmp_path / "tree").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "tree")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "link"))
    assert default_folder(tmp_path / "tree") is None
    assert default_folder(tmp_path / "elsewhere") == tmp_path / "link" / "mmcodemod"


@pytest.mark.parametrize("way", [("--no-cache",), ("--profile",), {"MMCODEMOD_NO_CACHE": "1"}])
def test_switching_it_off(folder, cache_folder, way):
    more, environment = ((), way) if isinstance(way, dict) else (way, {})
    run("check", folder, *more, **environment)
    assert os.listdir(cache_folder) == []


def test_clean(folder, cache_folder):
    def clean():
        words = [sys.executable, "-m", "mmcodemod", "clean"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        return subprocess.run(words, capture_output=True, env=environment, check=True).stderr

    run("check", folder)
    assert b"deleted" in clean()
    assert not (cache_folder / FILE).exists()
    assert b"nothing is kept" in clean()


@pytest.mark.parametrize("command", ["contexts", "graph"])
def test_commands_without_cache_options_hear_the_variables(command, tmp_path):
    folder, home = tmp_path / "tree", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    (folder / "train.py").write_text("print(1)\n")
    run(command, folder, HOME=str(home), XDG_CACHE_HOME="", MMCODEMOD_CACHE_DIR=str(tmp_path / "given"))
    assert not list(home.rglob("*.sqlite3")) and list((tmp_path / "given").rglob("*.sqlite3"))
    run(command, folder, HOME=str(home), XDG_CACHE_HOME="", MMCODEMOD_CACHE_DIR="", MMCODEMOD_NO_CACHE="1")
    assert not list(home.rglob("*.sqlite3"))


def test_after_an_edit_only_the_changed_file_is_read_again(store, monkeypatch):
    path = next(p for p in FILES if p.endswith(".py"))
    changed = {**FILES, path: FILES[path] + b"\n# edited\n"}
    plain = reporter.render(pipeline.check(MemoryTree(changed), Settings()), names())
    rendered(store)
    made, extracted = [], extraction.extracted
    monkeypatch.setattr(
        extraction, "extracted", lambda data, *rest: made.append(data) or extracted(data, *rest)
    )
    assert rendered(store, changed) == plain
    assert made == [changed[path]]
