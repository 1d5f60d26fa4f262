"""What a log says of a run that died, and which places can explain it."""

from __future__ import annotations

from dataclasses import field
from enum import Enum

from mmcodemod.model.finding import Dismissal, Finding
from mmcodemod.model.frozen import held


class Symptom(Enum):
    """What kind of failure a text of a log tells of."""

    HANG = "hang"  # ranks wait for each other, until a timeout or a mismatch ends it
    SHAPE = "shape"  # tensors of other sizes than they should be
    NAN = "nan"  # a loss or gradients that are no numbers, or stand still
    MEMORY = "memory"
    WEIGHTS = "weights"  # it trains or saves, with wrong weights
    ERROR = "error"  # an exception of its own


PROPER = 2
"""From this weight on a signature explains a failure; below it is a symptom that many causes share."""


@held()
class Signature:
    """A text that users see when a rule's failure happens. `text` is a regular expression for one line, every
    match of which holds one of `literals`. `weight`: 5 no other cause is known, 4 hardly any, 3 some, 2 many,
    1 a symptom that healthy runs show, too. `at_least`: how often it must stand in the log. `strategies` and
    `versions` (package to specifier): it counts only where the log says nothing else. `source` is a thread
    or page, or "proof" for a run of the sample. `rule` is "" for what no rule finds."""

    rule: str
    text: str
    literals: tuple[str, ...]
    symptom: Symptom
    weight: int
    about: str
    source: str
    examples: tuple[str, ...]
    at_least: int = 1
    strategies: tuple[str, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()


@held(slots=True)
class Quote:
    """A piece of the log: `line` counts line feeds from 1, `rank` is "" where the log does not tell."""

    line: int
    text: str
    rank: str = ""


@held()
class Heard:
    """A signature that the log holds: the first places, how many there are, and the ranks."""

    signature: Signature
    quotes: tuple[Quote, ...]
    count: int = 1
    ranks: tuple[str, ...] = ()


@held(slots=True)
class Frame:
    """One line of a traceback, outermost first. `path` as the log has it."""

    path: str
    line: int
    function: str = ""


@held()
class Death:
    """A traceback, or another end of a process. `ranks` are those that ended in the same way; `line` is the
    first line of the first one, `time` what the log wrote before it. `consequence`: ranks end so when another
    one has ended."""

    error: str
    message: str
    line: int
    frames: tuple[Frame, ...] = ()
    ranks: tuple[str, ...] = ()
    time: str = ""
    count: int = 1
    consequence: bool = False


@held(slots=True)
class Stand:
    """Where a rank stood when the watchdog of NCCL gave up: the number of the collective in its group (-1
    where old versions print none), what it was, how many numbers it sends, and its limit in milliseconds."""

    rank: str
    sequence: int
    operation: str
    numel: int
    limit: int
    line: int


@held(slots=True)
class Started:
    """A command that the log echoes."""

    words: tuple[str, ...]
    line: int

    @property
    def script(self) -> str:
        """The Python file that it runs, "" when it names none."""
        return next((w for w in self.words if w.endswith(".py") and "site-packages" not in w), "")


@held()
class Seen:
    """All that was read from a log. `strategies` and `versions` as far as it tells; `time` is the first that
    stands at an end of a process, as the log writes it."""

    lines: int = 0
    size: int = 0
    ranks: tuple[str, ...] = ()
    heard: tuple[Heard, ...] = ()
    deaths: tuple[Death, ...] = ()
    stands: tuple[Stand, ...] = ()
    started: tuple[Started, ...] = ()
    ends: tuple[Quote, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    strategies: tuple[str, ...] = ()
    more_deaths: int = 0
    time: str = ""

    @property
    def died(self) -> bool:
        """Does the log show that something went wrong?"""
        return bool(self.deaths or self.stands or self.ends)

    @property
    def first(self) -> Death | None:
        """The failure that came first; a mere consequence of others only where there is nothing else."""
        return min(self.deaths, key=lambda d: (d.consequence, d.line), default=None)


class Likely(str, Enum):
    """How far a candidate explains the log."""

    EXPLAINS = "explains"
    POSSIBLE = "possible"
    THOUGHT_SAFE = "thought safe"


@held(slots=True)
class Reason:
    """Why a candidate is (un)likely, with the place of the log and what it counts."""

    text: str
    points: int
    quote: Quote | None = None


@held()
class Candidate:
    """A place of the repository that can cause what the log shows. `place` is what the check says of it."""

    place: Finding | Dismissal
    likely: Likely
    score: int
    reasons: tuple[Reason, ...] = ()

    @property
    def rule(self) -> str:
        return self.place.rule


@held()
class Unplaced:
    """A rule that the log looks like, without a place in this repository."""

    rule: str
    heard: tuple[Heard, ...]


@held()
class Triage:
    """The answer. `candidates` are sorted, likeliest first; `contexts` are the runs of the repository that
    the log can be of (none where it does not tell); `elsewhere` is what the log says of causes that no
    rule looks for. `checked`: was the repository looked at?"""

    seen: Seen
    candidates: tuple[Candidate, ...] = ()
    unplaced: tuple[Unplaced, ...] = ()
    elsewhere: tuple[Heard, ...] = ()
    contexts: tuple[str, ...] = ()
    own: dict[str, str] = field(default_factory=dict)  # paths of frames that are files of the repository
    checked: bool = True

    @property
    def explained(self) -> bool:
        """Is there a place that explains it? Without a check: a rule whose text few others share?"""
        if not self.checked:
            return any(u.heard[0].signature.weight > PROPER for u in self.unplaced)
        return any(c.likely is Likely.EXPLAINS for c in self.candidates)
