"""Is this run the documented failure? Is that one real training? Each judgement is a list of objections."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from proving.diary import Diary, read
from proving.running import Outcome
from proving.spec import Proof

MIN_STEPS = 4
FALL = 0.9  # the last quarter's mean loss is below this part of the first quarter's


def failure(proof: Proof, outcome: Outcome) -> list[str]:
    """Why a run does not show the documented failure. A time limit that ran out never shows it."""
    found = list(_ended(outcome))
    if re.search(proof.error, outcome.text) is None:
        found.append(f"the documented text {proof.error!r} is not in its output")
    if proof.tells and re.search(proof.tells, outcome.text):
        found.append(f"{proof.tells!r}, which only the mended run should tell, is in its output")
    if proof.silent:
        return [*found, *_training(replace(proof, loaded=()), outcome), *_keeps(proof, outcome)]
    if outcome.code == 0 or len(read(outcome.text).done) == proof.ranks:
        found.append(f"it came to its end (exit code {outcome.code})")
    return found


def mended(proof: Proof, outcome: Outcome) -> list[str]:
    """Why a run does not show that the failure is gone and that it trains."""
    found = healthy(proof, outcome)
    if proof.tells and re.search(proof.tells, outcome.text) is None:
        found.append(f"{proof.tells!r} is not in its output")
    return found


def healthy(proof: Proof, outcome: Outcome) -> list[str]:
    """Why a run does not train, or shows the failure."""
    found = [*_ended(outcome), *_training(proof, outcome)]
    if re.search(proof.error, outcome.text):
        found.append(f"the text of the failure, {proof.error!r}, is in its output")
    return found


def error_seen(proof: Proof, outcome: Outcome) -> str:
    """The part of the output that the documented text matches, "" when there is none."""
    found = re.search(proof.error, outcome.text)
    return found[0] if found else ""


def _ended(outcome: Outcome) -> Iterator[str]:
    if outcome.timed_out:
        yield f"it ran past its time limit ({outcome.seconds:.0f} s)"


def _training(proof: Proof, outcome: Outcome) -> Iterator[str]:
    diary = read(outcome.text)
    if outcome.code != 0:
        yield f"exit code {outcome.code}"
    for rank in range(proof.ranks):
        if diary.done.get(rank) != proof.marker:
            yield f"rank {rank} does not say {proof.marker!r}"
        yield from _losses(rank, diary.losses.get(rank, []))
        yield from _weights(proof, diary, rank)


def _losses(rank: int, losses: Sequence[float]) -> Iterator[str]:
    if len(losses) < MIN_STEPS:
        yield f"rank {rank} tells of {len(losses)} steps, too few to judge"
    elif not all(math.isfinite(loss) for loss in losses):
        yield f"a loss of rank {rank} is not finite"
    else:
        part = max(1, len(losses) // 4)
        first, last = sum(losses[:part]) / part, sum(losses[-part:]) / part
        if not last < FALL * first:
            yield f"the loss of rank {rank} does not fall: {first:.4f} at first, {last:.4f} at last"


def _weights(proof: Proof, diary: Diary, rank: int) -> Iterator[str]:
    start, end = diary.weights.get("start", {}), diary.weights.get("end", {})
    checkpoint = diary.weights.get("checkpoint", {})
    for name in proof.moved:
        yield from _moved(name, rank, start.get((rank, name)), end.get((rank, name)))
        if end.get((rank, name)) != end.get((0, name)):
            yield f"rank {rank} ends with another `{name}` than rank 0"
    for name in proof.loaded:
        if checkpoint.get((rank, name)) is None:
            yield f"rank {rank} does not tell `{name}` of the checkpoint"
        elif checkpoint[rank, name] != start.get((rank, name)):
            yield f"`{name}` of rank {rank} is not the checkpoint's when training begins"


def _keeps(proof: Proof, outcome: Outcome) -> Iterator[str]:
    """Where a proof names weights of a checkpoint, the silent failure is that every rank loses them."""
    weights = read(outcome.text).weights
    for rank in range(proof.ranks) if proof.loaded else ():
        pairs = [
            tuple(weights.get(when, {}).get((rank, name)) for when in ("checkpoint", "start"))
            for name in proof.loaded
        ]
        if any(None in pair for pair in pairs):
            yield f"rank {rank} does not tell the weights of the checkpoint and of the start"
        elif any(checkpoint == start for checkpoint, start in pairs):
            yield f"rank {rank} begins with weights of the checkpoint all the same"


def _moved(name: str, rank: int, start: str | None, end: str | None) -> Iterator[str]:
    if start is None or end is None:
        yield f"rank {rank} does not tell `{name}` at the start and at the end"
    elif start == end:
        yield f"`{name}` of rank {rank} has not moved"
