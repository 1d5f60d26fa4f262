"""Releases between which a library changes, and what shows on which side of the change a release is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

SEEN = 150  # letters of a line
FOLDER = Path(__file__).parents[1] / "experiments" / "gates"
_TWO_RANKS = "python -m torch.distributed.run --nproc_per_node 2 --master_port $MASTER_PORT"


@dataclass(frozen=True)
class Gate:
    """`program` lies in FOLDER and is run on `ranks`. `older` and `newer` are regular expressions of what it
    writes before and after the change; `releases` are those of the package index, oldest first."""

    package: str
    program: str
    older: str
    newer: str
    releases: tuple[str, ...]
    ranks: int = 1

    @property
    def command(self) -> str:
        start = "python" if self.ranks == 1 else _TWO_RANKS
        return f"{start} {FOLDER / self.program}"

    def side(self, text: str) -> str:
        """`older`, `newer`, or "" when the output is neither's, or both's."""
        found = [name for name in ("older", "newer") if re.search(getattr(self, name), text)]
        return found[0] if len(found) == 1 else ""

    def seen(self, text: str) -> str:
        """The line that tells the side, else the last line of an output that tells none."""
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        told = [line for line in lines if re.search(f"{self.older}|{self.newer}", line)]
        return (told or lines[-1:] or ["nothing"])[0][:SEEN]


def _patches(minor: str, first: int, last: int) -> tuple[str, ...]:
    return tuple(f"{minor}.{patch}" for patch in range(first, last + 1))


_AT_19 = _patches("0.19", 0, 8)
_FROM_14 = (
    *_patches("0.14", 4, 5),
    *_patches("0.15", 0, 4),
    *_patches("0.16", 0, 9),
    *_patches("0.17", 0, 6),
    *_patches("0.18", 0, 9),
    *_AT_19,
)

# By the name of the constant in mmcodemod.knowledge that rests on it.
GATES: dict[str, Gate] = {
    "CLIPS_BY_DEFAULT": Gate("deepspeed", "clipping.py", r"clips at 0\.0", r"clips at 1\.0", _AT_19),
    "SUM_CHECKED": Gate("deepspeed", "sum_at_stage_3.py", "accepted", "refused:.*stage 3", _AT_19),
    "RATIO_CHECKED": Gate(
        "deepspeed",
        "ratio_below_stage_3.py",
        "accepted",
        "refused:.*Partial offloading",
        (*_patches("0.14", 4, 5), *_patches("0.15", 0, 4)),
    ),
    "RECOMPUTES_FROZEN": Gate(
        "deepspeed",
        "nonreentrant.py",
        "Recomputed values for the following tensors have different metadata",
        "trains",
        (*_patches("0.18", 8, 9), *_AT_19),
        ranks=2,
    ),
    "INFLIGHT_CLEARED": Gate(
        "deepspeed", "inflight.py", "still have inflight params", "trains", _FROM_14, ranks=2
    ),
    "GATHERS_AWAITED": Gate(
        "deepspeed", "gather_waits.py", "read before it was whole", "waits for every gather", _AT_19, ranks=2
    ),
    "WARMUP_AT_LEAST_1": Gate(
        "transformers",
        "warmup.py",
        "refused:.*warmup_num_steps",
        "accepted",
        ("5.16.1", "5.17.0", "5.18.0", "5.19.0"),
    ),
    "NON_REENTRANT": Gate(
        "transformers",
        "default_reentrant.py",
        "use_reentrant: {True}",
        "use_reentrant: {False}",
        ("4.53.3", "4.57.6", "5.0.0", "5.23.0"),
    ),
    "CACHE_ONCE": Gate(
        "transformers",
        "cache_twice.py",
        "NO_REENTRANT: dies with the cache",
        r"NO_REENTRANT: [\d.]+ with the cache",
        ("4.49.0", "4.50.3", "4.51.3", "4.53.3", "4.57.6", "5.0.0", "5.16.1", "5.23.0"),
    ),
    "INIT_ON_META": Gate(
        "transformers",
        "init_on_meta.py",
        r"holds [1-6] of 6",
        r"holds 0 of 6",
        ("4.49.0", *_patches("4.50", 0, 3), *_patches("4.51", 0, 3), "4.53.3", "4.57.6", "5.0.0"),
    ),
}
