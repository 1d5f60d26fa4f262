"""The steps of a proof, each of which can refuse it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from proving import judging, patching
from proving.running import Outcome
from proving.spec import Proof, Run

TAIL = 1500  # characters of a run's output that a refusal shows

# Runs the launch command in a folder; the name is the step's, for the log.
Runner = Callable[[Path, str], Outcome]
Judge = Callable[[Proof, Outcome], list[str]]


class Refused(Exception):
    """A proof that does not hold; the message names the step and why."""


@dataclass(frozen=True)
class Result:
    """What was seen: the text of the failure ("" where it is absent) and what was proved, by digest."""

    proof: Proof
    run: Run
    error: str
    digest: str


def prove(proof: Proof, run: Run, work: Path, runner: Runner) -> Result:
    """Prove one showcase in one environment, with all copies, logs and the patch in the folder `work`.

    Raises:
        Refused: at the first step that does not show what it must.
        PatchFault: when mmcodemod itself does not do its part.
    """
    tree = work / "tree"
    patching.copy(proof.before, tree)
    before = patching.files(tree)
    error = _first_run(proof, run, tree, runner)
    patching.found_alone(tree, proof.rule)
    patching.fix(tree, work / "fix.diff")
    after = patching.files(tree)
    if run.fails:
        _step(proof, "after", tree, runner, judging.mended)
        patching.revert(tree, work / "fix.diff", proof.before)
        _step(proof, "reverted", tree, runner, judging.failure)
    spec = (proof.folder / "proof.toml").read_bytes()
    return Result(proof, run, error, patching.digest(before, after, spec))


def _first_run(proof: Proof, run: Run, tree: Path, runner: Runner) -> str:
    judge = judging.failure if run.fails else judging.healthy
    return judging.error_seen(proof, _step(proof, "before", tree, runner, judge))


def _step(proof: Proof, name: str, tree: Path, runner: Runner, judge: Judge) -> Outcome:
    """Run a fresh copy, so that the tree under test never holds what a run writes."""
    folder = tree.parent / name
    patching.copy(tree, folder)
    outcome = runner(folder, name)
    objections = judge(proof, outcome)
    if objections:
        told = "; ".join(objections)
        raise Refused(f"{name}: {told}\n{outcome.text[-TAIL:]}")
    return outcome
