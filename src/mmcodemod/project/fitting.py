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
    spread = any(isinstance(a, Starred) for a in call.args)
    named = {k.arg for k in call.keywords if k.arg is not None}
    if _too_many(facts.parameters, call, skip, spread, named):
        return False
    open_ended = partial or spread or any(k.arg is None for k in call.keywords)
    return open_ended or not _missing(facts.parameters, len(call.args) + skip, named)


def _too_many(parameters: Parameters, call: Call, skip: int, spread: bool, named: set[str]) -> bool:
    positional = parameters.positional[skip:]
    if not spread and len(call.args) > len(positional) and not parameters.rest:
        return True
    return not parameters.keywords and not named <= parameters.by_name


def _missing(parameters: Parameters, positional: int, named: set[str]) -> bool:
    """Does a parameter without a default get nothing?"""
    optional = {name for name, _ in parameters.defaults}
    left = (*parameters.positional[positional:], *parameters.keyword_only)
    return any(name not in named and name not in optional for name in left)
