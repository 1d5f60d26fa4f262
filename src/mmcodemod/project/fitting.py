"""Can a call's arguments be bound to a function's parameters? A call that cannot would raise TypeError, so it
is no call of that function. May-analysis: yes where something is spread, decorated, or given before."""

from __future__ import annotations

from mmcodemod.facts.definitions import PLAIN_DECORATORS
from mmcodemod.facts.python import FunctionFacts, Parameters
from mmcodemod.facts.terms import Call, Starred

_CHANGING = frozenset(("wraps", "contextmanager", "overload"))  # what they decorate is called otherwise
NEUTRAL = PLAIN_DECORATORS - _CHANGING  # what is called is the function itself


def fits(facts: FunctionFacts, call: Call, skip: int, partial: bool) -> bool:
    """May the call run the function? The first `skip` positional parameters are bound already; with
    `partial`, others may be."""
    if facts.is_module or not facts.decorators <= NEUTRAL:
        return True
    spread = Starred in map(type, call.args)
    named = {k.arg for k in call.keywords}
    open_ended = partial or spread or None in named
    if _too_many(facts.parameters, call, skip, spread, named - {None}):
        return False
    return open_ended or not _missing(facts.parameters, len(call.args) + skip, named)


def _too_many(parameters: Parameters, call: Call, skip: int, spread: bool, named: set[str | None]) -> bool:
    positional = parameters.positional[skip:]
    if not spread and len(call.args) > len(positional) and not parameters.rest:
        return True
    return bool(named) and not parameters.keywords and not named <= parameters.by_name


def _missing(parameters: Parameters, positional: int, named: set[str | None]) -> bool:
    """Does a parameter without a default get nothing?"""
    left = {*parameters.positional[positional:], *parameters.keyword_only} - named
    return bool(left) and not left <= {name for name, _ in parameters.defaults}
