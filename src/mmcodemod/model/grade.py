"""Severity, confidence, applicability and resolution: the ordered words of a report."""

from __future__ import annotations

from enum import Enum


class Severity(Enum):
    """How bad it is when the finding is right, and how sure the tree makes us (DESIGN, severity table)."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"

    @property
    def rank(self) -> int:
        return ("info", "warning", "error").index(self.value)

    def capped(self, limit: Severity) -> Severity:
        """The lower of the two."""
        return self if self.rank <= limit.rank else limit


class Confidence(Enum):
    """The weakest step of the trace."""

    ASSUMED = "assumed"
    INFERRED = "inferred"
    EXACT = "exact"

    @property
    def rank(self) -> int:
        return ("assumed", "inferred", "exact").index(self.value)

    def weaker(self, other: Confidence) -> Confidence:
        return self if self.rank <= other.rank else other


class How(Enum):
    """How a call edge was resolved, strongest first."""

    DIRECT = "direct"
    SELF = "self"
    MRO = "mro"
    POINTS_TO = "pointsto"
    FACTORY = "factory"
    REGISTRY = "registry"
    CALLBACK = "callback"
    FRAMEWORK = "framework"
    PATCHED = "patched"
    NAME_ONLY = "name-only"
    LAUNCH = "launch"

    @property
    def confidence(self) -> Confidence:
        if self in (How.DIRECT, How.SELF, How.LAUNCH, How.MRO):
            return Confidence.EXACT
        if self is How.NAME_ONLY:
            return Confidence.ASSUMED
        return Confidence.INFERRED


class Applicability(Enum):
    """May a fix be written? `safe` always, `unsafe` with `--unsafe`, `display` never."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    DISPLAY = "display"
