"""The proofs: form of proof.toml, the judge on made-up runs, the steps with a made-up runner, the table."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import prove as program
import pytest
from cases import SAMPLES
from proving import judging, patching, running, spec, table
from proving.environments import IN_ORDER, PACKAGES, Environments
from proving.patching import PatchFault
from proving.proof import Refused, Result, prove
from proving.running import BADGE, Outcome
from proving.spec import Proof, Run, SpecError

from mmcodemod import pipeline
from mmcodemod.engine.registry import rules
from mmcodemod.source.tree import MemoryTree

ROOT = Path(__file__).parents[1]
PROOFS = spec.all_proofs(SAMPLES)
TABLE = table.rows((ROOT / "docs" / "proofs.md").read_text(encoding="utf-8"))

each_proof = pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: proof.name)

KEYS = {
    "rule": "MM201",
    "launch": "bash run.sh",
    "ranks": 2,
    "timeout": 60,
    "error": "ranks disagree",
    "marker": "trained",
    "moved": ["eye.weight"],
    "runs": [{"environment": "base", "fails": True}],
}


def _proof(folder: Path = Path("some_rule"), **keys: object) -> Proof:
    return spec.parse({**KEYS, **keys}, folder)


# -- the files as they are -----------------------------------------------------------------------------


def test_there_are_proofs() -> None:
    assert {"MM101", "MM103", "MM201", "MM212", "MM303", "MM401"} <= {proof.name for proof in PROOFS}


@each_proof
def test_a_proof_is_of_the_rule_of_its_folder(proof: Proof) -> None:
    if proof.slug.startswith(spec.SYSTEM):
        assert set(proof.rules) <= {rule.code for rule in rules()}
    else:
        assert [rule.code for rule in rules() if rule.slug == proof.slug] == list(proof.rules)
    assert {run.environment for run in proof.runs} <= set(PACKAGES)


@pytest.mark.parametrize("slug", sorted(rule.slug for rule in rules()))
def test_a_rule_is_proved_or_says_why_not(slug: str) -> None:
    proof, why = (ROOT / "samples" / slug / name for name in ("proof.toml", "unproved.md"))
    assert proof.is_file() != why.is_file()


def test_the_table_tells_why_a_rule_has_no_proof() -> None:
    text = (ROOT / "docs" / "proofs.md").read_text(encoding="utf-8")
    for code, why in spec.unproved(ROOT).items():
        assert f"| {code} | {table._cell(why)} |" in text


@each_proof
def test_the_showcase_says_the_marker_and_never_the_error(proof: Proof) -> None:
    source = "\n".join(f.read_text(encoding="utf-8") for f in proof.before.rglob("*") if f.is_file())
    assert proof.marker in source
    assert all(name in source for name in (*proof.moved, *proof.loaded))
    assert not re.search(proof.error, source), "the error must come from the run"
    assert not proof.tells or not re.search(proof.tells, source), "what it tells must come from the run"


@each_proof
def test_the_launch_waits_on_a_port_that_can_be_chosen(proof: Proof) -> None:
    for launch in (proof.launch, *proof.sound):
        assert "${MASTER_PORT:-" in (proof.before / launch.split()[-1]).read_text(encoding="utf-8")


# -- reading -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "keys",
    [
        {"error": ""},
        {"error": ".*"},
        {"error": "("},
        {"moved": []},
        {"moved": "eye.weight"},
        {"ranks": 0},
        {"timeout": "60"},
        {"silent": True},
        {"rules": ["MM201"]},
        {"sound": []},
        {"hint": "try again"},
        {"runs": [{"environment": "base", "fails": False}]},
        {"runs": [{"environment": "base"}]},
    ],
    ids=str,
)
def test_a_proof_that_proves_nothing_is_refused(keys: dict[str, object]) -> None:
    with pytest.raises(SpecError):
        _proof(**keys)


def test_a_missing_key_is_refused() -> None:
    with pytest.raises(SpecError, match="moved"):
        spec.parse({k: v for k, v in KEYS.items() if k != "moved"}, Path("some_rule"))


# -- the judge -----------------------------------------------------------------------------------------


def _diary(ranks: int = 2, losses: tuple[float, ...] = (2.0, 1.5, 1.0, 0.5), **changes: object) -> str:
    """The output of a run that trains, with changes."""
    entry = {
        "moves": True,
        "marker": "trained",
        "checkpoint": "loaded",
        "start": "loaded",
        "end": "b",
        **changes,
    }
    lines = []
    for rank in range(ranks):
        for when in ("checkpoint", "start", "end"):
            lines.append({"rank": rank, "weight": "eye.weight", "when": when, "fingerprint": entry[when]})
        lines += [{"rank": rank, "step": step, "loss": loss} for step, loss in enumerate(losses)]
        lines.append({"rank": rank, "done": entry["marker"]})
    return "".join(f"diary {json.dumps(line)}\n" for line in lines)


def _outcome(text: str, code: int = 0, timed_out: bool = False) -> Outcome:
    return Outcome(text, code, timed_out, 1.0)


def test_a_run_that_trains_is_accepted() -> None:
    assert judging.mended(_proof(loaded=["eye.weight"]), _outcome(_diary())) == []


@pytest.mark.parametrize(
    ("outcome", "objection"),
    [
        (_outcome(_diary(), code=1), "exit code 1"),
        (_outcome(_diary(), timed_out=True), "time limit"),
        (_outcome(_diary(ranks=1)), "rank 1 does not say 'trained'"),
        (_outcome(_diary(marker="gave up")), "rank 0 does not say 'trained'"),
        (_outcome(_diary(end="loaded")), "`eye.weight` of rank 0 has not moved"),
        (_outcome(_diary(losses=(2.0, 2.0, 2.0, 1.95))), "does not fall"),
        (_outcome(_diary(losses=(2.0, 1.0))), "2 steps, too few"),
        (_outcome(_diary(losses=(2.0, 1.0, float("nan"), 0.5))), "not finite"),
        (_outcome(_diary(start="random")), "is not the checkpoint's"),
        (_outcome(_diary() + "ranks disagree"), "the text of the failure"),
        (_outcome(_diary().replace('"fingerprint": "b"', '"fingerprint": "c"', 1)), "another `eye.weight`"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_run_that_does_not_train_is_not_accepted(outcome: Outcome, objection: str) -> None:
    found = judging.mended(_proof(loaded=["eye.weight"]), outcome)
    assert any(objection in each for each in found), found


def test_lines_that_the_launcher_has_joined_are_read() -> None:
    joined = _diary().replace("\n", "") + "\n"
    assert judging.mended(_proof(), _outcome("50%|###   | 1/2 " + joined)) == []


def test_a_line_that_is_torn_counts_as_missing() -> None:
    assert judging.mended(_proof(), _outcome(_diary().replace('{"rank": 1, "done"', '{"rank": 1, "do')))


def test_the_documented_failure_is_accepted() -> None:
    assert judging.failure(_proof(), _outcome("RuntimeError: ranks disagree", code=250)) == []


@pytest.mark.parametrize(
    ("outcome", "objection"),
    [
        (_outcome("ModuleNotFoundError: No module named 'torch'", code=1), "documented text"),
        (_outcome("ranks disagree", code=-9, timed_out=True), "time limit"),
        (_outcome("ranks disagree"), "came to its end"),
        (_outcome(_diary() + "ranks disagree", code=1), "came to its end"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_another_failure_is_not_accepted(outcome: Outcome, objection: str) -> None:
    found = judging.failure(_proof(), outcome)
    assert any(objection in each for each in found), found


def test_a_silent_failure_trains_and_tells() -> None:
    proof = _proof(silent=True, error="clips at 0", tells="clips at 5")
    assert judging.failure(proof, _outcome(_diary() + "clips at 0")) == []
    assert judging.failure(proof, _outcome("clips at 0", code=1))
    assert judging.mended(proof, _outcome(_diary() + "clips at 5")) == []
    assert judging.mended(proof, _outcome(_diary() + "clips at 7"))


def test_weights_of_a_checkpoint_are_lost_in_a_silent_failure() -> None:
    proof = _proof(silent=True, error="holds 0", tells="holds 4", loaded=["eye.weight"])
    assert judging.failure(proof, _outcome(_diary(start="random") + "holds 0")) == []
    assert any("all the same" in each for each in judging.failure(proof, _outcome(_diary() + "holds 0")))
    untold = _outcome(_diary(start="random").replace('"checkpoint"', '"elsewhere"') + "holds 0")
    assert any("does not tell" in each for each in judging.failure(proof, untold))


# -- the steps -----------------------------------------------------------------------------------------

Answers = Callable[[bool, str], Outcome]
DIES = _outcome("ranks disagree", code=1)
TRAINS = _outcome(_diary())


@pytest.fixture
def showcase(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Proof:
    """A sample of one file, and a tool that mends it."""
    before = tmp_path / "some_rule" / "showcase" / "before"
    before.mkdir(parents=True)
    (before / "train.py").write_text("broken\n", encoding="utf-8")
    (tmp_path / "some_rule" / "proof.toml").write_text("", encoding="utf-8")
    monkeypatch.setattr(patching, "_tool", _mends)
    return _proof(tmp_path / "some_rule")


def _mends(folder: Path, *arguments: str) -> str:
    """What mmcodemod does and says, as far as the steps ask."""
    file = folder / "train.py"
    if arguments[0] == "check":
        runs = [{"id": name, "launcher": {"path": name}} for name in ("run.sh", "other.sh")]
        place = {"path": "train.py", "line": 1}
        found = {"rule": "MM201", "severity": "error", "contexts": ["run.sh"], **place}
        broken = "broken" in file.read_text(encoding="utf-8")
        return json.dumps({"findings": [found] if broken else [], "contexts": runs})
    if "--apply" in arguments:
        file.write_text(file.read_text(encoding="utf-8").replace("broken", "mended"), encoding="utf-8")
        return ""
    return "--- a/train.py\n+++ b/train.py\n@@ -1 +1 @@\n-broken\n+mended\n"


def _prove(proof: Proof, answers: Answers, fails: bool = True) -> Result:
    work = proof.folder.parent / "work"
    work.mkdir()

    def runner(folder: Path, step: str, launch: str) -> Outcome:
        (folder / "out.txt").write_text("what a run leaves behind", encoding="utf-8")
        return answers("mended" in (folder / "train.py").read_text(encoding="utf-8"), step)

    return prove(proof, Run("base", fails), work, runner)


def test_a_proof_that_holds(showcase: Proof) -> None:
    steps: list[tuple[str, bool]] = []

    def answers(mended: bool, step: str) -> Outcome:
        steps.append((step, mended))
        return TRAINS if mended else DIES

    result = _prove(showcase, answers)
    assert (result.error, list(result.seconds)) == ("ranks disagree", ["before", "after", "reverted"])
    assert steps == [("before", False), ("after", True), ("reverted", False)]
    assert "+mended" in (showcase.folder.parent / "work" / "fix.diff").read_text(encoding="utf-8")


STAYS = _outcome(_diary(end="loaded"))
LATE = _outcome("ranks disagree", code=-9, timed_out=True)


@pytest.mark.parametrize(
    ("answers", "step"),
    [
        (lambda mended, step: TRAINS, "before"),
        (lambda mended, step: _outcome("Killed", code=137), "before"),
        (lambda mended, step: TRAINS if mended else LATE, "before"),
        (lambda mended, step: DIES, "after"),
        (lambda mended, step: STAYS if mended else DIES, "after"),
        (lambda mended, step: LATE if mended else DIES, "after"),
        (lambda mended, step: DIES if step == "before" else TRAINS, "reverted"),
    ],
    ids=[
        "never fails",
        "fails otherwise",
        "hangs",
        "not mended",
        "nothing moves",
        "hangs after",
        "fails once",
    ],
)
def test_a_proof_that_does_not_hold(showcase: Proof, answers: Answers, step: str) -> None:
    with pytest.raises(Refused, match=f"^{step}: "):
        _prove(showcase, answers)


def test_a_sound_launch_must_train_unfixed(showcase: Proof) -> None:
    sound = replace(showcase, sound=("bash other.sh",))
    answers = {"sound-1": TRAINS}
    assert (
        "sound-1" in _prove(sound, lambda mended, step: answers.get(step, TRAINS if mended else DIES)).seconds
    )
    shutil.rmtree(sound.folder.parent / "work")
    with pytest.raises(Refused, match=r"^sound-1: "):
        _prove(sound, lambda mended, step: TRAINS if mended else DIES)


@pytest.mark.parametrize("launch", ["bash run.sh", "bash unknown.sh"])
def test_the_check_says_nothing_of_a_sound_launch(showcase: Proof, launch: str) -> None:
    sound = replace(showcase, sound=(launch,))
    with pytest.raises(PatchFault, match=launch):
        _prove(sound, lambda mended, step: TRAINS if mended or step == "sound-1" else DIES)


def test_where_it_does_not_fail_the_unfixed_showcase_trains(showcase: Proof) -> None:
    assert _prove(showcase, lambda mended, step: TRAINS, fails=False).error == ""


def test_where_it_should_not_fail_and_does(showcase: Proof) -> None:
    with pytest.raises(Refused, match=r"^before: "):
        _prove(showcase, lambda mended, step: DIES, fails=False)


@pytest.mark.parametrize(
    ("said", "objection"),
    [
        ({"findings": []}, "finds nothing"),
        ({"findings": [{"rule": "MM201", "severity": "info", "path": "a", "line": 1}]}, "finds nothing"),
        ({"findings": [{"rule": "MM303", "severity": "error", "path": "a", "line": 1}]}, "MM303"),
    ],
)
def test_the_check_finds_this_rule_alone(
    showcase: Proof, monkeypatch: pytest.MonkeyPatch, said: dict[str, object], objection: str
) -> None:
    monkeypatch.setattr(patching, "_tool", lambda folder, *arguments: json.dumps(said))
    with pytest.raises(PatchFault, match=objection):
        _prove(showcase, lambda mended, step: TRAINS if mended else DIES)


def _changes_more(folder: Path, *arguments: str) -> str:
    if "--apply" in arguments:
        with (folder / "train.py").open("a", encoding="utf-8") as file:
            file.write("more\n")
    return _mends(folder, *arguments)


def _changes_nothing(folder: Path, *arguments: str) -> str:
    return _mends(folder, "check")


def _leaves_the_finding(folder: Path, *arguments: str) -> str:
    if "--apply" in arguments:
        (folder / "train.py").write_text("broken, and changed\n", encoding="utf-8")
        return ""
    return _mends(folder, *arguments)


def _changes_in_silence(folder: Path, *arguments: str) -> str:
    if "--apply" in arguments:
        (folder / "hidden.py").write_text("not in the patch\n", encoding="utf-8")
    return _mends(folder, *arguments)


@pytest.mark.parametrize(
    ("tool", "objection"),
    [
        (_changes_more, "a second"),
        (_changes_nothing, "changes nothing"),
        (_leaves_the_finding, "still finds"),
        (_changes_in_silence, "something else has changed it"),
    ],
)
def test_the_patch_is_all_that_changes(
    showcase: Proof, monkeypatch: pytest.MonkeyPatch, tool: Callable[..., str], objection: str
) -> None:
    monkeypatch.setattr(patching, "_tool", tool)
    with pytest.raises(PatchFault, match=objection):
        _prove(showcase, lambda mended, step: TRAINS if "hidden" not in step and mended else DIES)


def test_the_tool_itself_mends_a_showcase(tmp_path: Path) -> None:
    proof = next(p for p in PROOFS if p.name == "MM303")
    tree = tmp_path / "tree"
    patching.copy(proof.before, tree)
    patching.found_alone(tree, ["MM303"])
    patching.fix(tree, tmp_path / "fix.diff")
    assert patching.files(tree) == patching.files(proof.showcase / "after")
    patching.revert(tree, tmp_path / "fix.diff", proof.before)


# -- running -------------------------------------------------------------------------------------------


def test_a_run_keeps_output_and_code(tmp_path: Path) -> None:
    done = running.run("echo out; echo err >&2; exit 3", tmp_path, dict(os.environ), 20, tmp_path / "log")
    assert (done.text, done.code, done.timed_out) == ("out\nerr\n", 3, False)


@pytest.mark.skipif(not running.SHARED.is_dir(), reason="Linux alone has it")
def test_a_run_gives_back_the_memory_that_its_ranks_shared(tmp_path: Path) -> None:
    port = str(running.free_port())
    names = [f"deepspeed_allreduce_buffer_0_127.0.0.1_{p}_1" for p in (port, f"{port}7")]
    command = "; ".join(f"echo 1 > {running.SHARED / name}" for name in names)
    running.run(command, tmp_path, {**os.environ, "MASTER_PORT": port}, 20, tmp_path / "log")
    left = [(running.SHARED / name).exists() for name in names]
    (running.SHARED / names[1]).unlink()
    assert left == [False, True]


def test_a_run_past_its_limit_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    """Also a process that has left the group, and one that does not listen."""
    script = "setsid sleep 300 & (trap '' TERM; while :; do sleep 0.1; done) & sleep 300"
    started = time.monotonic()
    done = running.run(script, tmp_path, dict(os.environ), 0.5, tmp_path / "log")
    assert done.timed_out
    assert time.monotonic() - started < 60
    time.sleep(0.2)
    assert _alive(tmp_path) == []


def _alive(folder: Path) -> list[str]:
    """Processes that a run has started in a folder."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(each / "cwd") == str(folder) and BADGE.encode() in (each / "environ").read_bytes():
                found.append(each.name)
        except OSError:
            continue
    return found


def test_a_time_out_clears_the_compiled_operators(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A killed run can leave a lock in them that hangs every later one."""
    known = Environments(tmp_path, {"base": Path(sys.executable)})
    lock = known.extensions("base") / "op" / "lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    one = program._runner(_proof(timeout=1), "base", known, tmp_path)
    assert one(tmp_path, "before", "sleep 300").timed_out
    assert not lock.exists()


def test_every_environment_has_its_own_operators(tmp_path: Path) -> None:
    known = Environments(tmp_path, {"base": Path(sys.executable), "old": Path(sys.executable)})
    variables = [known.variables(name, tmp_path) for name in ("base", "old")]
    assert variables[0]["TORCH_EXTENSIONS_DIR"] != variables[1]["TORCH_EXTENSIONS_DIR"]
    assert all(v["DS_ACCELERATOR"] == "cpu" and v["OMP_NUM_THREADS"] == "1" for v in variables)


def test_older_releases_of_deepspeed_run_their_collectives_in_order(tmp_path: Path) -> None:
    names = ("base", "deepspeed-0.14.4", "peft-0.16.9", "peft-0.19.8", "transformers-4.42.4")
    known = Environments(tmp_path, dict.fromkeys(names, Path(sys.executable)))
    in_order = [name for name in names if known.variables(name, tmp_path).get("PYTHONPATH") == str(IN_ORDER)]
    assert in_order == ["deepspeed-0.14.4", "peft-0.16.9"]


GLOO = """\
class ProcessGroupGloo:
    class _Options: ...
    create_default_device = staticmethod(lambda: "device")
    def __init__(self, store, rank, size, options):
        print(store, rank, size, options._devices, options._timeout, options._threads)
"""


def test_a_group_of_gloo_has_one_thread(tmp_path: Path) -> None:
    package = tmp_path / "torch" / "distributed"
    package.mkdir(parents=True)
    (package / "distributed_c10d.py").write_text(GLOO, encoding="utf-8")
    program = "from torch.distributed.distributed_c10d import *; ProcessGroupGloo('store', 1, 2, timeout=30)"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(IN_ORDER), str(tmp_path)])}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env)
    assert (done.stdout, done.stderr) == ("store 1 2 ['device'] 30 1\n", "")


# -- the table -----------------------------------------------------------------------------------------


def _row(rule: str, error: str = "ranks disagree") -> table.Row:
    result = Result(_proof(rule=rule), Run("base", True), error, "abc123", {"before": 6.6, "after": 7.0})
    return table.row(result, {"torch": "2.0"})


def test_the_row_of_a_system_names_its_rules() -> None:
    keys = {k: v for k, v in KEYS.items() if k != "rule"}
    proof = spec.parse({**keys, "rules": ["MM103", "MM303"]}, Path("seed_some"))
    found = table.row(Result(proof, Run("base", True), "dies", "abc", {"before": 3.0}), {"torch": "2.0"})
    assert found.line.startswith("| seed_some: MM103, MM303 | torch 2.0 | `dies` | proved | before 3 |")
    assert table.rows(found.line) == [found] and found.name == "seed_some"


def test_the_table_is_read_as_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "proofs.md"
    told = [_row("MM303"), _row("MM201", "a | b `c`\nd")]
    table.write(file, told, ["MM303", "MM201"], {"MM902": "no | run"})
    assert "| MM902 | no \\| run |" in file.read_text(encoding="utf-8")
    assert table.rows(file.read_text(encoding="utf-8")) == sorted(told)
    assert {r.result for r in told} == {table.PROVED}


def test_rows_of_other_rules_stay_and_a_proof_that_fails_now_goes(tmp_path: Path) -> None:
    file = tmp_path / "proofs.md"
    table.write(file, [_row("MM201"), _row("MM303")], ["MM201", "MM303"], {})
    table.write(file, [], ["MM303"], {})
    assert [r.name for r in table.rows(file.read_text(encoding="utf-8"))] == ["MM201"]


@each_proof
def test_a_row_is_of_the_files_as_they_are(proof: Proof) -> None:
    """The showcase, the judge's file and what `fix` writes now are what was proved: else prove it again."""
    before = patching.files(proof.before)
    written = pipeline.fix(MemoryTree(before), pipeline.Settings(preview=True), unsafe=True).changed
    fixed = {**before, **written}
    now = patching.digest(before, fixed, (proof.folder / "proof.toml").read_bytes())
    mine = [r for r in TABLE if r.name == proof.name]
    assert len(mine) == len(proof.runs), f"python tools/prove.py {proof.name}"
    assert {r.digest for r in mine} == {now}, f"python tools/prove.py {proof.name}"


def test_every_row_is_of_a_proof() -> None:
    assert {r.name for r in TABLE} <= {proof.name for proof in PROOFS}


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.code)
def test_a_page_says_proved_as_the_table_does(rule) -> None:
    page = ROOT / "codemods" / rule.slug / "rule.md"
    if not page.is_file():
        return
    says = re.search(r"(?i)\bproved by a run\b", page.read_text(encoding="utf-8")) is not None
    assert says == any(r.name == rule.code and r.result == table.PROVED for r in TABLE)


def test_a_proof_that_does_not_hold_is_tried_again_and_told_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    proof, known = _proof(), Environments(tmp_path)
    result = Result(proof, Run("base", True), "ranks disagree", "abc123", {"before": 3.0})
    answers = iter([Refused("after: nothing moved"), (result, {"torch": "2.0"})])

    def answer(*_: object) -> object:
        given = next(answers)
        if isinstance(given, Exception):
            raise given
        return given

    monkeypatch.setattr(program, "_proved", answer)
    found = program._row(proof, Run("base", True), known, 2)
    assert found is not None and "| before 3 (try 2) |" in found.line
    assert "NOT PROVED (try 1 of 2): after: nothing moved" in capsys.readouterr().err
    monkeypatch.setattr(program, "_proved", lambda *_: (_ for _ in ()).throw(Refused("again")))
    assert program._row(proof, Run("base", True), known, 2) is None


def test_prove_refuses_what_it_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["MM999"]) == 2
    assert program.main(["MM201", "--python", "base"]) == 2
    assert "MM999" in capsys.readouterr().err


def test_prove_runs_from_anywhere(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "tools" / "prove.py"), "--help"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and "docs/proofs.md" in done.stdout
