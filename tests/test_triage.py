"""`mmcodemod triage`: which place ranks first, what is said when none does, the command and its answers."""

from __future__ import annotations

import io
import json
import re
import shutil
from functools import lru_cache
from pathlib import Path

import pytest
from cases import SAMPLES
from click.testing import CliRunner
from proving import spec, table

from mmcodemod import pipeline
from mmcodemod.cli.main import commands
from mmcodemod.model.context import Context, Entry, Strategy
from mmcodemod.model.finding import Dismissal, Finding, Note
from mmcodemod.model.fix import Edit, Fix
from mmcodemod.model.grade import Applicability, Severity
from mmcodemod.model.place import Place
from mmcodemod.model.report import Report
from mmcodemod.model.triage import Likely, Triage
from mmcodemod.report.triage import text as text_report
from mmcodemod.report.triage.page import Style
from mmcodemod.source.discover import discover
from mmcodemod.triage.places import Files
from mmcodemod.triage.ranking import triage, unchecked
from mmcodemod.triage.reading import read
from mmcodemod.triage.signatures import signatures

ROOT = Path(__file__).parents[1]
EVERY = signatures()
PROOFS = {p.name: p for p in spec.all_proofs(SAMPLES)}
ROWS = [
    row
    for row in table.rows((ROOT / "docs" / "proofs.md").read_text(encoding="utf-8"))
    if row.result == table.PROVED and not PROOFS[row.name].silent
]
# Which rule of a system a text speaks of, where the row names several.
OF_A_SYSTEM = {"size mismatch": "MM103", "Recomputed values": "MM115", "Timed out waiting 20000": "MM402"}
HANG = "RuntimeError: [unbound_buffer.cc:78] Timed out waiting 15000ms for recv operation to complete"


@lru_cache(maxsize=64)
def checked(folder: str) -> tuple[Report, tuple[str, ...]]:
    tree = discover((folder,), ()).tree
    return pipeline.check(tree, pipeline.Settings(preview=True)), tree.paths


def asked(log: str, folder: Path) -> Triage:
    report, paths = checked(str(folder))
    return triage(read(io.BytesIO(log.encode()), EVERY), report, paths)


def died(rank: int, error: str, *frames: tuple[str, int, str]) -> str:
    body = "".join(f'[rank{rank}]:   File "/job/code/{p}", line {n}, in {f}\n' for p, n, f in frames)
    return f"[rank{rank}]: Traceback (most recent call last):\n{body}[rank{rank}]: {error}\n"


def line_of(folder: Path, path: str, piece: str) -> int:
    rows = (folder / path).read_text(encoding="utf-8").splitlines()
    return next(i for i, row in enumerate(rows, 1) if piece in row)


# -- the documented failures ---------------------------------------------------------------------------


def shown_by(row: table.Row) -> str:
    """What the run of a proof wrote. The page writes apostrophes for backticks, and shortens."""
    text = row.line.split(" | ")[2].strip("`")
    text = text.replace("'", "`") if row.name in ("MM104", "MM306", "MM307") else text
    more = "recomputed metadata: {'shape': torch.Size([0])}" if "Recomputed" in text else ""
    return f"[rank0]: {text}\n[rank1]: {text}\n[rank1]: {more}\n"


@pytest.mark.parametrize("row", ROWS, ids=[f"{r.name}-{i}" for i, r in enumerate(ROWS)])
def test_the_error_of_a_proof_leads_to_the_place_of_its_rule(row: table.Row) -> None:
    """Two ranks die with the text that a run has shown; the log tells nothing else."""
    proof, log = PROOFS[row.name], shown_by(row)
    named = [code for piece, code in OF_A_SYSTEM.items() if piece in log and code in proof.rules]
    found = asked(log, proof.before)
    assert found.explained, log
    assert found.candidates[0].rule == (named[0] if named else proof.rules[0])


@pytest.mark.parametrize("name", ["MM103", "MM201", "MM401", "MM503"])
def test_the_mended_tree_explains_nothing(name: str) -> None:
    proof = PROOFS[name]
    found = asked(shown_by(next(r for r in ROWS if r.name == name)), proof.showcase / "after")
    assert not found.explained
    assert name in {u.rule for u in found.unplaced} | {c.rule for c in found.candidates}


@pytest.mark.parametrize("name", sorted(PROOFS))
def test_a_healthy_log_is_not_explained(name: str) -> None:
    """However sick the tree is."""
    rows = [f"diary {{'rank': {i % 2}, 'step': {i}, 'loss': {2 / (i + 1)}}}\n" for i in range(200)]
    log = "DeepSpeed info: version=0.14.4\n" + "".join(rows) + f"{PROOFS[name].marker}\n"
    found = asked(log, PROOFS[name].before)
    assert not found.explained and not found.seen.died and not found.candidates


def test_the_frames_choose_between_places_of_one_kind(tmp_path: Path) -> None:
    """seed 4: the saves of two ranks; the frames name the one that hung, although the lines have moved."""
    folder = SAMPLES / "seed_minicpm" / "before"
    report, _ = checked(str(folder))
    place = next(f for f in report.findings if f.rule == "MM402").at
    log = died(0, HANG, (place.path, place.line + 1, "x")) + died(1, HANG, (place.path, 1, "train"))
    first = asked(log, folder).candidates[0]
    assert first.rule == "MM402" and first.likely is Likely.EXPLAINS
    assert any("which is the place" in r.text and r.quote and r.quote.rank == "0" for r in first.reasons)


def test_the_command_of_the_log_chooses_the_run() -> None:
    """seed 1 dies under finetune.sh (ZeRO-3); pretrain.sh (ZeRO-2) speaks against the place."""
    folder = SAMPLES / "seed_llava" / "before"
    error = "size mismatch for a.b: copying a param with shape torch.Size([1, 2]) from checkpoint, "
    error += "the shape in current model is torch.Size([0])."
    launch = "cmd = /x/python -m deepspeed.launcher.launch train.py --deepspeed configs/{}.json\n"
    sick = asked(launch.format("zero3") + error + "\n", folder)
    assert sick.contexts == ("scripts/finetune.sh:8",)
    assert sick.explained and sick.candidates[0].rule == "MM103"
    sound = asked(launch.format("zero2") + error + "\n", folder)
    assert sound.contexts == ("scripts/pretrain.sh:8",)
    assert not sound.explained
    assert any(r.points < 0 for c in sound.candidates for r in c.reasons)


# -- made-up findings ----------------------------------------------------------------------------------


def finding(
    path: str, line: int, severity: Severity = Severity.ERROR, rule: str = "MM401", **more: object
) -> Finding:
    return Finding(rule, Place(path, line), f"It hangs in {path}.", severity, **more)  # type: ignore[arg-type]


def answer(
    log: str, *findings: Finding, dismissed: tuple[Dismissal, ...] = (), contexts: tuple[Context, ...] = ()
) -> Triage:
    paths = {f.at.path for f in findings} | {"train.py"}
    return triage(read(io.BytesIO(log.encode()), EVERY), Report(findings, dismissed, (), contexts), paths)


def test_an_info_is_possible_and_a_dismissal_is_thought_safe() -> None:
    safe = Dismissal("MM406", Place("c.py", 3), "every rank returns", (Note(Place("c.py", 1), "here"),))
    found = answer(HANG, finding("a.py", 1, Severity.INFO), finding("b.py", 1), dismissed=(safe,))
    assert [(c.place.at.path, c.likely) for c in found.candidates] == [
        ("b.py", Likely.EXPLAINS),
        ("a.py", Likely.POSSIBLE),
        ("c.py", Likely.THOUGHT_SAFE),
    ]
    unexplained = answer(HANG, finding("a.py", 1, Severity.INFO), dismissed=(safe,))
    shown = text_report.render(unexplained, "log", {})
    assert "because every rank returns" in shown and "c.py:1   here" in shown and "--all" not in shown
    assert not unexplained.explained


def test_what_is_thought_safe_is_left_out_where_something_explains_the_log() -> None:
    safe = [Dismissal("MM406", Place("c.py", line), "every rank returns", ()) for line in range(1, 9)]
    found = answer(HANG, finding("b.py", 1), dismissed=tuple(safe))
    shown = text_report.render(found, "log", {})
    assert "every rank returns" not in shown
    assert "\n8 places are thought safe (--all)\n" in shown
    every = text_report.render(found, "log", {}, text_report.Style(every=True))
    assert every.count("every rank returns") == 8 and "(--" not in every
    one = answer(HANG, finding("b.py", 1), dismissed=(safe[0],))
    assert "\n1 place is thought safe (--all)\n" in text_report.render(one, "log", {})


def test_a_symptom_of_many_causes_does_not_explain() -> None:
    oom = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB\n"
    found = answer(oom, finding("a.py", 1, rule="MM101"))
    assert [c.likely for c in found.candidates] == [Likely.POSSIBLE] and not found.explained
    assert [h.signature.about for h in found.elsewhere]


def test_another_run_than_that_of_the_log() -> None:
    def context(name: str, script: str) -> Context:
        return Context(
            f"{name}.sh:1",
            Entry(script),
            Place(f"{name}.sh", 1),
            Strategy.ZERO3,
            command=f"torchrun {script}",
        )

    both = (context("a", "train.py"), context("b", "other.py"))
    there = finding("x.py", 1, contexts=("b.sh:1",))
    here = finding("x.py", 9, contexts=("a.sh:1",))
    found = answer("+ torchrun train.py\n" + HANG, there, here, contexts=both)
    assert [c.place.at.line for c in found.candidates] == [9, 1]
    assert [c.likely for c in found.candidates] == [Likely.EXPLAINS, Likely.POSSIBLE]


def _runs(*names: str) -> tuple[Context, ...]:
    return tuple(
        Context(f"{name}.sh:1", Entry("train.py"), Place(f"{name}.sh", 1), Strategy.ZERO3) for name in names
    )


def test_the_runs_that_the_log_can_be_of_are_said_in_plain_words() -> None:
    elsewhere = Context("z.sh:1", Entry("other.py"), Place("z.sh", 1), Strategy.ZERO3)
    one = finding("train.py", 9, contexts=("b.sh:1",))
    log = died(0, HANG, ("train.py", 3, "<module>"))
    found = answer(log, one, contexts=(*_runs("a", "b", "c"), elsewhere))
    shown = " ".join(text_report.render(found, "log", {}).split())
    assert (
        "the log can be of 3 of the 4 runs here, those that start train.py, as the traceback does; "
        "this place concerns b.sh:1"
    ) in shown
    assert "the run one of 3: a.sh:1, b.sh:1, c.sh:1" in shown


def test_a_traceback_that_ends_in_the_place_outweighs_a_low_severity() -> None:
    note = finding("train.py", 9, Severity.INFO, rule="MM103")
    error = "RuntimeError: size mismatch for a: copying a param with shape torch.Size([1]) from checkpoint, "
    error += "the shape in current model is torch.Size([0])."
    inside = ("/env/lib/python3.11/site-packages/torch/nn/module.py", 5, "load")
    (best,) = answer(died(0, error, ("train.py", 9, "<module>"), inside), note).candidates
    assert best.likely is Likely.EXPLAINS and not [r for r in best.reasons if r.points < 0]
    assert any("its traceback ends there" in r.text for r in best.reasons)
    (passed,) = answer(died(0, error, ("train.py", 9, "<module>"), ("train.py", 40, "f")), note).candidates
    assert [r.text for r in passed.reasons if r.points < 0] == ["the check says info"]
    assert not any("its traceback ends there" in r.text for r in passed.reasons)


@pytest.mark.parametrize(
    ("written", "own"),
    [
        ("/opt/ml/code/llava/model/arch.py", "llava/model/arch.py"),
        ("llava/model/arch.py", "llava/model/arch.py"),
        ("./train.py", "train.py"),
        ("/job/train.py", "train.py"),
        ("model/arch.py", "llava/model/arch.py"),
        ("C:\\job\\llava\\model\\arch.py", "llava/model/arch.py"),
        ("/env/lib/python3.11/site-packages/llava/model/arch.py", "llava/model/arch.py"),
        ("/env/lib/python3.11/site-packages/train.py", ""),
        ("/env/lib/python3.11/site-packages/torch/arch.py", ""),
        ("/job/model/arch.py", ""),
        ("<frozen runpy>", ""),
    ],
)
def test_frames_are_found_by_the_end_of_their_path(written: str, own: str) -> None:
    assert Files(["llava/model/arch.py", "train.py", "readme.md"]).own(written) == own


# -- honest answers ------------------------------------------------------------------------------------

UNRELATED = {
    "a GPU had no memory left": died(
        0, "torch.OutOfMemoryError: CUDA out of memory.", ("train.py", 3, "main")
    ),
    "a package is missing": died(
        0, "ModuleNotFoundError: No module named 'flash_attn'", ("train.py", 3, "main")
    ),
    "is full": died(1, "OSError: [Errno 28] No space left on device", ("train.py", 3, "main")),
    "the system killed a process": "failed (exitcode: -9) local_rank: 0 (pid: 12) of binary: python\n",
    "NCCL itself failed": died(
        0, "DistBackendError: NCCL error, unhandled system error", ("train.py", 3, "main")
    ),
}


@pytest.mark.parametrize("about", sorted(UNRELATED))
def test_an_unrelated_failure_is_told_as_such(about: str) -> None:
    found = asked(UNRELATED[about], PROOFS["MM201"].before)
    assert not found.explained and found.seen.died
    shown = text_report.render(found, "log", {})
    assert about in shown
    assert "No place of this repository explains this failure" in shown


def test_consequences_alone_are_said_to_be_such() -> None:
    found = asked(
        died(3, "RuntimeError: Connection reset by peer", ("train.py", 3, "main")), PROOFS["MM201"].before
    )
    assert "What is there are consequences" in text_report.render(found, "log", {})


def test_where_ranks_part() -> None:
    stand = "[Rank {}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={}, OpType={}, "
    stand += "NumelIn=8, NumelOut=8, Timeout(ms)=600000) ran\n"

    def verdict(*rows: tuple[int, int, str]) -> str:
        log = "".join(stand.format(*row) for row in rows) + "[rank7]: error\n"
        return " ".join(
            text_report.render(unchecked(read(io.BytesIO(log.encode()), EVERY)), "log", {}).split()
        )

    assert "They wait in different collectives" in verdict((0, 5, "ALLREDUCE"), (1, 5, "BROADCAST"))
    assert "They are not at the same collective" in verdict((0, 5, "ALLREDUCE"), (1, 6, "ALLREDUCE"))
    assert "Without such a line: rank 7." in verdict((0, 5, "ALLREDUCE"), (1, 5, "ALLREDUCE"))


WATCHDOG = (
    "[rank3]:[E1122 10:00:00.123456789 ProcessGroupNCCL.cpp:616] [Rank 3] Watchdog caught collective "
    "operation timeout: WorkNCCL(SeqNum=12, OpType=ALLREDUCE, NumelIn=8, NumelOut=8, "
    "Timeout(ms)=1800000) ran\n"
)


def test_one_rank_alone_says_nothing_of_the_others() -> None:
    told = " ".join(text_report.render(answer(WATCHDOG), "log", {}).split())
    assert "what died, 11-22 10:00:00" in told
    assert "Of the other ranks this log says nothing" in told and "never came" not in told
    heard = " ".join(text_report.render(answer(WATCHDOG + "[rank5]: bye\n"), "log", {}).split())
    assert "It waits for a rank that never came. Without such a line: rank 5." in heard


def test_rules_that_one_line_looks_like_are_told_together() -> None:
    told = text_report.render(answer(WATCHDOG), "log", {})
    assert told.count("line 1 | ") == 1 and told.count("no place here is known") == 1
    assert all(code in told for code in ("MM108", "MM113", "MM401", "MM403", "MM404", "MM405"))


def test_a_place_for_inference_is_left_out() -> None:
    safe = Dismissal("MM406", Place("c.py", 3), "every rank returns", ())
    idle = Dismissal("MM406", Place("d.py", 3), "runs only for inference", ())
    found = answer(HANG, dismissed=(safe, idle))
    told = text_report.render(found, "log", {})
    assert "c.py:3" in told and "d.py:3" not in told
    assert "1 place that runs only for inference left out (--all)" in told
    assert "d.py:3" in text_report.render(found, "log", {}, Style(every=True))
    hit = Dismissal("MM406", Place("train.py", 3), "runs only for inference", ())
    there = answer(died(0, HANG, ("train.py", 3, "f")), dismissed=(hit,))
    assert "train.py:3  MM406" in text_report.render(there, "log", {})


def test_the_fix_of_a_note_says_what_writes_it() -> None:
    edit = Edit("a.py", (1, 0), (1, 0), "x")
    note, loud = (
        finding("a.py", 1, s, fix=Fix("let all in", Applicability.UNSAFE, (edit,)))
        for s in (Severity.INFO, Severity.ERROR)
    )
    said = " ".join(text_report.render(answer(HANG, note), "log", {}).split())
    assert (
        "let all in (mmcodemod fix --select MM401 --unsafe: a note is mended only where its rule is" in said
    )
    said = " ".join(text_report.render(answer(HANG, loud), "log", {}).split())
    assert "mmcodemod fix --select MM401 --unsafe shows the patch" in said and "a note is" not in said


# -- the command ---------------------------------------------------------------------------------------


def run(*arguments: str, stdin: str | bytes | None = None) -> tuple[int, str]:
    done = CliRunner().invoke(commands, ["triage", *arguments], input=stdin, standalone_mode=False)
    code = done.return_value if done.exception is None else getattr(done.exception, "exit_code", 99)
    return code, done.output or str(done.exception)


@pytest.fixture
def guard(tmp_path: Path) -> tuple[Path, Path]:
    """A log of MM401 with frames, and its tree."""
    folder = PROOFS["MM401"].before
    line = line_of(folder, "train.py", "dist.barrier()")
    log = tmp_path / "run.log"
    log.write_text(died(0, HANG, ("train.py", 57, "<module>"), ("train.py", line, "save")))
    return log, folder


def test_the_command_explains(guard: tuple[Path, Path]) -> None:
    code, out = run(str(guard[0]), str(guard[1]))
    assert code == 0
    for piece in (
        "what died",
        "rank 0",
        "1. train.py:",
        "MM401",
        "which is the place",
        "fix --select MM401 --unsafe",
    ):
        assert piece in out


def test_standard_input_and_json(guard: tuple[Path, Path]) -> None:
    code, out = run("-", str(guard[1]), "--format", "json", stdin=guard[0].read_text())
    answer = json.loads(out)
    assert code == 0 and answer["explained"] and answer["checked"] and answer["log"] == "standard input"
    best = answer["candidates"][0]
    assert (best["rule"], best["likely"], best["finding"]["path"]) == ("MM401", "explains", "train.py")
    assert best["reasons"][0]["quote"]["text"].startswith("RuntimeError: ")
    assert answer["seen"]["deaths"][0]["frames"][1]["file"] == "train.py"
    assert run("-", str(guard[1]), "--format", "json", stdin=guard[0].read_text()) == (code, out)


def test_without_a_check(guard: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "check", lambda *_: pytest.fail("checked"))
    code, out = run(str(guard[0]), "nowhere", "--no-check")
    assert code == 1 and "as many failures do" in out
    guard[0].write_text("RuntimeError: still have inflight params [1]\n")
    code, out = run(str(guard[0]), "--no-check")
    assert code == 0 and "MM201" in out and "without --no-check" in out


def test_a_rule_without_a_place(guard: tuple[Path, Path]) -> None:
    guard[0].write_text("ValueError: DeepSpeed Zero-3 is not compatible with passing a `device_map`.\n")
    code, out = run(str(guard[0]), str(guard[1]))
    assert code == 1
    assert "no place here is known to cause it" in " ".join(out.split()) and "mmcodemod explain MM104" in out


def test_what_a_configuration_leaves_out_can_have_killed_the_run(
    guard: tuple[Path, Path], tmp_path: Path
) -> None:
    config = tmp_path / "mmcodemod.toml"
    config.write_text('ignore = ["MM401"]\n')
    assert run(str(guard[0]), str(guard[1]), "--config", str(config))[0] == 0


def test_what_a_comment_silences_can_have_killed_the_run(guard: tuple[Path, Path], tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(guard[1], tree)
    text = (tree / "train.py").read_text().split("\n")
    line = next(f.at.line for f in checked(str(guard[1]))[0].findings if f.rule == "MM401")
    text[line - 1] += "  # mmcodemod: ignore[MM401] it was fine so far"
    (tree / "train.py").write_text("\n".join(text))
    assert not any(f.rule == "MM401" for f in checked(str(tree))[0].findings)
    assert run(str(guard[0]), str(tree))[0] == 0


def test_wrong_arguments_end_with_2(tmp_path: Path) -> None:
    assert run(str(tmp_path / "none.log"))[0] == 2
    (tmp_path / "broken.gz").write_bytes(b"not gzip")
    code, out = run(str(tmp_path / "broken.gz"), "--no-check")
    assert code == 2 and "cannot read" in out
    (tmp_path / "log").write_text("x\n")
    assert run(str(tmp_path / "log"), str(tmp_path / "none"))[0] == 2


def test_hostile_text_does_not_steer_the_terminal(tmp_path: Path) -> None:
    log = tmp_path / "log"
    bad = "\u202e\x07\x9b31m"
    log.write_text(
        died(0, f"RuntimeError: {bad} still have inflight params [{bad}", (f"a{bad}.py", 3, f"f{bad}"))
    )
    _, out = run(str(log), str(PROOFS["MM201"].before))
    assert out.isprintable() or not re.search("[\u202e\x07\x9b]", out)
    assert "\\u202e" in out


def test_equal_quotes_are_told_once_and_cut_texts_say_so() -> None:
    """Three places that one line of the log speaks for, and a message of many words."""
    found = answer(HANG, *(finding(path, 1) for path in ("a.py", "b.py", "c.py")))
    told = text_report.render(found, "log.txt", {})
    assert told.count("It hangs in") == 3 and told.count(f"| {HANG[:40]}") == 1
    long = died(0, "RuntimeError: " + "word " * 110, ("a.py", 1, "f"))
    narrow = text_report.render(answer(long), "log.txt", {}, Style(columns=60)).splitlines()
    assert [line[-1] for line in narrow if " word" in line] == ["d", "d", "d", "…"]


def test_a_long_fix_wraps_like_everything_else() -> None:
    fix = Fix("set this and that " * 9, Applicability.SAFE, ())
    told = text_report.render(answer(HANG, finding("a.py", 1, fix=fix)), "log.txt", {}).splitlines()
    begun = next(at for at, line in enumerate(told) if line.startswith("     fix    safe: set this"))
    assert told[begun + 1].startswith("            ") and max(map(len, told[begun : begun + 3])) <= 100
    assert told[begun + 2] == "     more   mmcodemod explain MM401"
