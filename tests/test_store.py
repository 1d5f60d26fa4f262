"""The cache file: whatever is wrong with it, what comes out is what was put in, or nothing."""

import multiprocessing
import os
import random
import resource
import shutil
import sqlite3
import tempfile
import time
from pathlib import Path

import pytest

from mmcodemod.source import store as module
from mmcodemod.source.store import FACTS, FILE, REPORT, Store, remove

VALUES = {bytes([number]) * 16: random.Random(number).randbytes(200 * number) for number in range(40)}


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "cache")


@pytest.fixture
def filled(store):
    store.put_many(FACTS, VALUES)
    return store


def test_what_is_put_comes_out(filled):
    assert filled.get_many(FACTS, [*VALUES, b"unknown"]) == VALUES
    key = next(iter(VALUES))
    assert filled.get(FACTS, key) == VALUES[key]
    assert filled.get(REPORT, key) is None, "kinds do not mix"


def test_a_value_is_replaced(filled):
    key = next(iter(VALUES))
    filled.put(FACTS, key, b"new")
    assert filled.get(FACTS, key) == b"new"


def test_more_keys_than_one_query_takes(store):
    many = {str(number).encode(): b"x" for number in range(2_500)}
    store.put_many(FACTS, many)
    assert store.get_many(FACTS, many) == many


def test_asking_makes_no_file(store):
    assert store.get(FACTS, b"key") is None
    assert not store.folder.exists()


def test_nobody_else_can_read_it(filled):
    assert filled.folder.stat().st_mode & 0o777 == 0o700
    assert filled.file.stat().st_mode & 0o777 == 0o600


def test_backup_programs_and_git_leave_it_alone(filled):
    assert (
        (filled.folder / "CACHEDIR.TAG")
        .read_bytes()
        .startswith(b"Signature: 8a477f597d28d172789f06886806bc55")
    )
    assert (filled.folder / ".gitignore").read_bytes() == b"*\n"


def test_a_folder_that_was_there_gets_nothing_else(tmp_path):
    (tmp_path / ".gitignore").write_text("mine")
    Store(tmp_path).put(FACTS, b"key", b"value")
    assert sorted(os.listdir(tmp_path)) == [".gitignore", FILE]
    assert remove(tmp_path)
    assert (tmp_path / ".gitignore").read_text() == "mine"


def test_removing(filled):
    assert remove(filled.folder)
    assert not filled.folder.exists()
    assert not remove(filled.folder)


def truncated(data, dice):
    return data[: dice.randrange(len(data))]


def one_bit(data, dice):
    at = dice.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << dice.randrange(8)]) + data[at + 1 :]


def garbage(data, dice):
    return dice.randbytes(dice.randrange(1, 3_000))


def page_of_zeros(data, dice):
    at = dice.randrange(0, len(data), 4_096)
    return data[:at] + bytes(4_096) + data[at + 4_096 :]


def many_bytes(data, dice):
    changed = bytearray(data)
    for _ in range(200):
        changed[dice.randrange(len(data))] = dice.randrange(256)
    return bytes(changed)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("damage", [truncated, one_bit, garbage, page_of_zeros, many_bytes])
def test_a_damaged_file(filled, damage, seed):
    filled.file.write_bytes(damage(filled.file.read_bytes(), random.Random(seed)))
    found = filled.get_many(FACTS, VALUES)
    assert found.items() <= VALUES.items(), "a wrong value came out"
    filled.put_many(FACTS, VALUES)
    assert filled.get_many(FACTS, VALUES) == VALUES, "it was not made anew"


def test_values_that_changed_places_are_not_believed(filled):
    with sqlite3.connect(filled.file) as connection:
        connection.execute(
            "UPDATE entries SET value = (SELECT value FROM entries WHERE key = ?)", [b"\x07" * 16]
        )
    connection.close()
    assert filled.get_many(FACTS, VALUES).items() <= VALUES.items()


@pytest.mark.parametrize(
    "script",
    [
        "PRAGMA user_version = 99",
        "PRAGMA user_version = 0",
        "DROP TABLE entries",
        "DROP TABLE entries; CREATE TABLE entries (kind, key, value)",
        "CREATE TABLE more (x)",
        "CREATE TRIGGER t AFTER UPDATE ON entries BEGIN DELETE FROM entries; END",
        "DROP TABLE entries; CREATE VIEW entries AS SELECT 1 AS kind",
    ],
)
def test_another_table_is_made_anew(filled, script):
    connection = sqlite3.connect(filled.file)
    connection.executescript(script)
    connection.close()
    assert filled.get_many(FACTS, VALUES) == {}
    filled.put_many(FACTS, VALUES)
    assert filled.get_many(FACTS, VALUES) == VALUES


def test_a_locked_file_is_left_alone_soon(filled):
    notes = []
    other = sqlite3.connect(filled.file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    begun = time.monotonic()
    patient = Store(filled.folder, notes.append)
    assert patient.get_many(FACTS, VALUES) == {}
    patient.put(FACTS, b"key", b"value")
    assert time.monotonic() - begun < 5
    other.execute("ROLLBACK")
    other.close()
    assert notes == ["the cache is not used: database is locked"] * 2
    assert filled.get_many(FACTS, VALUES) == VALUES, "a locked file is not a damaged one"


@pytest.mark.parametrize("mode", [0o666, 0o620])
def test_a_file_that_others_may_write_is_not_used(filled, mode):
    filled.file.chmod(mode)
    assert filled.get_many(FACTS, VALUES) == {}
    before = filled.file.read_bytes()
    filled.put(FACTS, b"key", b"value")
    assert filled.file.read_bytes() == before


def test_a_link_is_not_followed(filled, tmp_path):
    filled.file.rename(tmp_path / "elsewhere")
    filled.file.symlink_to(tmp_path / "elsewhere")
    assert filled.get_many(FACTS, VALUES) == {}


def test_a_folder_that_cannot_be(tmp_path):
    (tmp_path / "file").touch()
    notes = []
    nowhere = Store(tmp_path / "file" / "cache", notes.append)
    nowhere.put(FACTS, b"key", b"value")
    assert nowhere.get(FACTS, b"key") is None
    assert all(note.startswith("the cache is not used") for note in notes)
    assert notes


def in_a_process(work):
    """Run `work` in a fork, which has no special rights; True when it says so."""

    def run(results):
        if os.getuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        results.put(work())

    context = multiprocessing.get_context("fork")
    results = context.Queue()
    process = context.Process(target=run, args=(results,))
    process.start()
    found = results.get(timeout=60)
    process.join()
    return found


@pytest.fixture
def anyones():
    """A cache that belongs to a user without rights, in a folder that all may enter."""
    base = Path(tempfile.mkdtemp())
    base.chmod(0o777)
    found = Store(base / "cache")
    assert in_a_process(lambda: found.put_many(FACTS, VALUES) or True)
    yield found
    base.chmod(0o777)
    shutil.rmtree(base)


def test_a_cache_that_is_read_only_can_be_read(anyones):
    anyones.file.chmod(0o400)
    anyones.folder.chmod(0o500)

    def use():
        anyones.put(FACTS, b"key", b"value")
        return anyones.get_many(FACTS, [b"key", *VALUES])

    assert in_a_process(use) == VALUES
    anyones.folder.chmod(0o700)


def test_a_folder_that_is_read_only_gets_nothing(anyones):
    anyones.folder.parent.chmod(0o555)
    elsewhere = Store(anyones.folder.parent / "other")
    assert (
        in_a_process(lambda: elsewhere.put(FACTS, b"k", b"v") or elsewhere.get(FACTS, b"k") or "nothing")
        == "nothing"
    )
    assert not elsewhere.folder.exists()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_the_file_of_somebody_else_is_not_used(anyones):
    assert anyones.get_many(FACTS, VALUES) == {}
    anyones.put(FACTS, b"key", b"value")
    assert in_a_process(lambda: anyones.get(FACTS, b"key") or "nothing") == "nothing"


def test_a_full_disk(filled):
    notes = []
    full = Store(filled.folder, notes.append)

    def write():
        resource.setrlimit(resource.RLIMIT_FSIZE, (filled.file.stat().st_size, resource.RLIM_INFINITY))
        full.put_many(FACTS, {bytes([number]): bytes(100_000) for number in range(20)})
        return list(notes)

    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    process = context.Process(target=lambda: results.put(write()))
    process.start()
    process.join()
    assert len(results.get()) == 1, "the limit did not bite"
    assert filled.get_many(FACTS, [*VALUES, b"\x01"]) == VALUES


def hammer(folder, seed):
    dice = random.Random(seed)
    store = Store(folder)
    for _ in range(30):
        some = dict(dice.sample(sorted(VALUES.items()), 10))
        store.put_many(FACTS, some)
        assert store.get_many(FACTS, VALUES).items() <= VALUES.items()


def test_processes_at_once(store):
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=hammer, args=(store.folder, seed)) for seed in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 4
    store.put_many(FACTS, VALUES)
    assert store.get_many(FACTS, VALUES) == VALUES


def test_a_writer_that_is_killed_leaves_what_was_there(filled):
    def die():
        with filled._writing() as connection:
            connection.execute("PRAGMA cache_size = 1")  # so that pages reach the file before the end
            connection.execute("UPDATE entries SET value = zeroblob(20000)")
            os._exit(9)

    process = multiprocessing.get_context("fork").Process(target=die)
    process.start()
    process.join()
    assert process.exitcode == 9
    assert (filled.folder / f"{FILE}-journal").exists(), "it died too early for this test"
    assert filled.get_many(FACTS, VALUES).items() <= VALUES.items()
    filled.put(FACTS, b"key", b"value")
    assert filled.get_many(FACTS, [*VALUES, b"key"]) == {**VALUES, b"key": b"value"}


def test_what_was_not_used_for_longest_goes_first(tmp_path, monkeypatch):
    store = Store(tmp_path / "cache", limit=1_000_000)
    now = time.time()
    for day in range(30):
        monkeypatch.setattr(module.time, "time", lambda day=day: now + day * 100_000)
        store.put(FACTS, bytes([day]), bytes(100_000))
        assert store.get(FACTS, b"\x00"), "what is used each day stays"
    there = [day for day in range(30) if store.get(FACTS, bytes([day]))]
    assert there == [0, *range(there[1], 30)]
    assert 5 <= len(there) <= 10
    assert store.file.stat().st_size <= 1_300_000


def test_a_giant_is_not_kept(store, monkeypatch):
    monkeypatch.setattr(module, "LARGEST", 1_000)
    store.put_many(FACTS, {b"giant": bytes(1_001), b"dwarf": bytes(1_000)})
    assert set(store.get_many(FACTS, [b"giant", b"dwarf"])) == {b"dwarf"}


def test_a_python_without_sqlite(filled, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sqlite3", None)
    filled.put(FACTS, b"key", b"value")
    assert filled.get_many(FACTS, VALUES) == {}
