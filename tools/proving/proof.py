"""The steps of a proof, each of which can refuse it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from proving import judging, patching
from proving.running import Outcome
from proving.spec import Proof, Run

TAIL = 1500  # characters of a run's output that a refusal shows

# Runs a launch command in a folder; the first text is the step's name, for the log.
Runner = Callable[[Path, str, str], Outcome]
Judge = Callable[[Proof, Outcome], list[str]]


class Refused(Exception):
    """A proof that does not hold; the message names the step and why."""


@dataclass(frozen=True)
class Result:
    """What was seen: the text of the failure ("" where it is absent), how long each run took (seconds, by
    step), and what was proved, by digest."""

    proof: Proof
    run: Run
    error: str
    digest: str
    seconds: Mapping[str, float]


def prove(proof: Proof, run: Run, work: Path, runner: Runner) -> Result:
    """Prove one showcase in one environment, with all copies, logs and the patch in the folder `work`.

    Raises:
        Refused: at the first step that does not show what it must.
        PatchFault: when mmcodemod itself does not do its part.
    """
    tree = work / "tree"
    patching.copy(proof.before, tree)
    before = patching.files(tree)
    steps = _Steps(proof, tree, runner)
    first = steps.run("before", judging.failure if run.fails else judging.healthy)
    for number, launch in enumerate(proof.sound, 1):
        steps.run(f"sound-{number}", judging.healthy, launch)
    patching.found_alone(tree, proof.rules)
    for launch in proof.sound:
        patching.nothing_about(tree, launch)
    patching.fix(tree, work / "fix.diff")
    after = patching.files(tree)
    if run.fails:
        steps.run("after", judging.mended)
        patching.revert(tree, work / "fix.diff", proof.before)
        steps.run("reverted", judging.failure)
    spec = (proof.folder / "proof.toml").read_bytes()
    digest = patching.digest(before, after, spec)
    return Result(proof, run, judging.error_seen(proof, first), digest, steps.seconds)


@dataclass
class _Steps:
    """Runs a tree as it is now, and keeps how long each step took."""

    proof: Proof
    tree: Path
    runner: Runner
    seconds: dict[str, float] = field(default_factory=dict)

    def run(self, name: str, judge: Judge, launch: str = "") -> Outcome:
        """Run a fresh copy, so that the tree under test never holds what a run writes."""
        folder = self.tree.parent / name
        patching.copy(self.tree, folder)
        outcome = self.runner(folder, name, launch or self.proof.launch)
        self.seconds[name] = outcome.seconds
        objections = judge(self.proof, outcome)
        if objections:
            told = "; ".join(objections)
            raise Refused(f"{name}: {told}\n{outcome.text[-TAIL:]}")
        return outcome
