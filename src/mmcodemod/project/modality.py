"""Is a test about the presence of images, video or audio in the batch of this rank? A may-analysis on the
names and the local data flow of one function."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import field
from enum import Enum
from functools import lru_cache
from itertools import groupby

from mmcodemod.facts.body import Via, own_nodes
from mmcodemod.facts.decided import decided
from mmcodemod.facts.nodes import NodeBody, NodeSource
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.frozen import frozen, mutable
from mmcodemod.model.pattern import regex
from mmcodemod.project.closure import closure
from mmcodemod.project.optional_tensors import asks_whether_given, given_by_type
from mmcodemod.project.signatures import bound_first
from mmcodemod.project.whether_there import takes_key, whether_there, words

_WORDS = (
    *("pixel", "pixels", "pixel_values", "image", "images", "img", "imgs", "vision", "visual"),
    *("video", "videos", "frames", "audio", "audios", "speech", "waveform", "input_features", "mel"),
    *("picture", "pictures", "multimodal", "multi_modal", "mm"),
)
_OF_POINTS = ("points", "point_?clouds?", "pcds?", "lidar")
MODALITY = regex(rf"(^|_)({'|'.join(_WORDS)})(_|$|\d)", re.IGNORECASE)
POINTS = regex(r"(lidar_)?points|(\w+_)?(point_?clouds?|pcds?)|lidar", re.IGNORECASE)
"""Names of what is a modality only where an encoder gets it."""


def _from_first(words: Iterable[str]) -> str:
    """A pattern for what follows the first letter of one of the words."""
    by_first = groupby(sorted(words), key=lambda word: word[0])
    return "|".join(f"(?<={first})(?:{'|'.join(w[1:] for w in group)})" for first, group in by_first)


_FIRST = "".join(sorted({word[0] for word in (*_WORDS, *_OF_POINTS)}))
_ASKS = regex(  # begins with what is rare, else a search takes five times as long
    rf"[{_FIRST}](?:(?<![a-z0-9].)(?:{_from_first(_WORDS)})|(?<![a-z].)(?:{_from_first(_OF_POINTS)}))(?![a-z])".encode()
)


def asks(source: bytes) -> bool:
    """May a name or a string in the source be one of MODALITY, or of POINTS?"""
    return _ASKS.search(source.lower()) is not None


_TOKENS = ("token_id", "token_index", "TOKEN_INDEX", "_token")
_IMAGE_TOKEN = regex(r"(^|_)im_\w*token$")  # im_patch_token, im_start_token
_CONFIG = regex(
    r"(^|_)(config|cfg|conf|args|arguments|hparams|opts?|options|params|model|processor|tokenizer|template)$"
)
_DECODE = regex(r"past_key_values|use_cache|inference_params|cache_position|is_generating|use_kv_cache")
_IN_TRAINING = (  # what a step of training makes of a test that tells it from generation
    (regex(r"[\w.]+\.training"), True),
    (regex(r"[\w.]*past_key_values is None"), True),
    (regex(r"[\w.]*past_key_values is not None"), False),
    (regex(r"\w*(ids|embeds|tokens)\.shape\[1\] (!=|>) 1"), True),
    (regex(r"\w*(ids|embeds|tokens)\.shape\[1\] == 1"), False),
)


class Kind(Enum):
    """What an atom of a test asks about."""

    PRESENCE = "presence"  # is the modality in this rank's batch
    CONFIG = "config"  # the same on every rank
    DECODE = "decode"  # generation, not training
    OTHER = "other"


@frozen()
class Atom:
    """One operand of a boolean test. `name` is the modality variable or batch key that it asks about;
    `key` is set when it is a key of a batch ("pixel_values" in batch)."""

    node: ast.expr
    kind: Kind
    name: str = ""
    key: bool = False


@mutable()
class Scope:
    """The names of a function that the analysis follows."""

    facts: FunctionFacts
    body: NodeBody
    parameters: frozenset[str] = field(default_factory=frozenset)
    _behind: dict[str, list[str]] = field(default_factory=dict)
    _further: dict[str, list[str]] = field(default_factory=dict)

    def names_in(self, node: ast.expr) -> list[str]:
        """The names that an expression reads."""
        return [n.id for n in own_nodes(node) if isinstance(n, ast.Name)]

    def behind(self, name: str) -> list[str]:
        """The names that a local name is made from, one assignment back."""
        if name not in self._behind:
            sources = self.body.names.get(name, ())
            self._behind[name] = [n for s in sources for n in self.names_in(s.expr)]
        return self._behind[name]

    def further(self, name: str) -> list[str]:
        """The names that tell what a local name is about, one assignment back."""
        if name not in self._further:
            sources = self.body.names.get(name, ())
            self._further[name] = [n for source in sources for n in self._telling(source)]
        return self._further[name]

    def stands_for(self, name: str) -> ast.expr | None:
        """What a local name is bound to, once and as a whole; None of parameters and names bound again."""
        sources = () if name in self.parameters else self.body.names.get(name, ())
        plain = [s.expr for s in sources if s.via is Via.VALUE and s.index < 0]
        return plain[0] if len(sources) == len(plain) == 1 else None

    def _telling(self, source: NodeSource) -> Iterator[str]:
        parts = list(walk(source.expr))
        if source.via is Via.INTO:  # counts.append(len(images)) makes `counts` about images
            yield from self.names_in(source.expr)
        yield from (n.id for n in parts if isinstance(n, ast.Name) and n.id.isupper())
        yield from (n.attr for n in parts if isinstance(n, ast.Attribute) and "token" in n.attr)

    @property
    def receiver(self) -> str:
        return self.facts.parameters.first if bound_first(self.facts) else ""


def scope_of(facts: FunctionFacts, body: NodeBody) -> Scope:
    """The scope of a function."""
    return Scope(facts, body, frozenset(facts.parameters.names))


def atoms(test: ast.expr, scope: Scope) -> Iterator[Atom]:
    """The operands of `and`, `or` and `not`, each with what it asks about."""
    if isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from atoms(value, scope)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from atoms(test.operand, scope)
    else:
        yield _atom(test, scope)


def presence(test: ast.expr, scope: Scope) -> list[Atom]:
    """The atoms that ask whether the batch has the modality; none of a test that training decides alone."""
    if not _may_ask(test, scope) or in_training(test) is not None or decided(test) is not None:
        return []
    return [atom for atom in atoms(test, scope) if atom.kind is Kind.PRESENCE]


def _may_ask(test: ast.expr, scope: Scope) -> bool:
    """The quick question, of every `if`: may a name or a string in a test be a modality?"""
    for part in walk(test):
        if isinstance(part, ast.Name):
            if _is_word(part.id) or any(map(_is_word, scope.further(part.id))):
                return True
            if (behind := scope.stands_for(part.id)) is not None and any(map(_is_word, words(behind))):
                return True
        elif isinstance(part, ast.Attribute):
            if _is_word(part.attr):
                return True
        elif isinstance(part, ast.Constant) and isinstance(part.value, str) and _is_word(part.value):
            return True
    return False


@lru_cache(4096)
def _is_word(name: str) -> bool:
    return bool(MODALITY.search(name) or _IMAGE_TOKEN.search(name) or POINTS.fullmatch(name))


def in_training(test: ast.expr) -> bool | None:
    """How a test ends in every step of training, as `not self.training and ...` does; None when that hangs on
    the batch."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        known = in_training(test.operand)
        return None if known is None else not known
    if isinstance(test, ast.BoolOp):
        ends = isinstance(test.op, ast.Or)  # one such operand decides
        values = [in_training(value) for value in test.values]
        return ends if ends in values else None if None in values else not ends
    text = unparse(test)
    return next((value for pattern, value in _IN_TRAINING if pattern.fullmatch(text)), None)


def _atom(node: ast.expr, scope: Scope) -> Atom:
    text = unparse(node)
    if _DECODE.search(text) or _is_decode_step(node, text):
        return Atom(node, Kind.DECODE)
    if ".training" in text:
        return Atom(node, Kind.DECODE)
    if _counts_rounds(node, scope) or (_asks_type(node) and not asks_whether_given(node, scope.facts)):
        return Atom(node, Kind.OTHER)
    key = _batch_key(node, scope)
    if key:
        return Atom(node, Kind.PRESENCE, key, key=True)
    for name in _data_names(node, scope):
        if _is_word(name):
            return Atom(node, Kind.PRESENCE, name)
    alias = _alias(node, scope)
    if alias is not None:
        return alias
    return Atom(node, Kind.CONFIG if not _roots(node, scope) else Kind.OTHER)


def _alias(node: ast.expr, scope: Scope) -> Atom | None:
    """Whether `x` of `x = images` or `x = batch.get("images")` is there, or `given` of `given = images is not
    None`."""
    name = whether_there(node)
    behind = scope.stands_for(name) if name else None
    if isinstance(behind, ast.Name) and _is_word(behind.id) and _roots(behind, scope):
        return Atom(node, Kind.PRESENCE, behind.id)
    if takes_key(behind) and (key := _batch_key(behind, scope)):  # type: ignore[arg-type]
        return Atom(node, Kind.PRESENCE, key, key=True)
    if isinstance(behind, ast.Compare) and isinstance(node, ast.Name) and whether_there(behind):
        return next(iter(presence(behind, scope)), None)
    return None


def _is_decode_step(node: ast.expr, text: str) -> bool:
    """`input_ids.shape[1] == 1`: one token at a time."""
    return isinstance(node, ast.Compare) and ".shape[" in text and text.endswith(("== 1", "!= 1", "> 1"))


def _asks_type(node: ast.expr) -> bool:
    """isinstance, type() and ndim tests: the same for every batch of one pipeline."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in ("isinstance", "hasattr", "callable")
    if isinstance(node, ast.Compare):
        left = node.left
        if isinstance(left, ast.Call) and isinstance(left.func, ast.Name) and left.func.id == "type":
            return True
        return isinstance(left, ast.Attribute) and left.attr in ("ndim", "dtype", "device")
    return False


def _counts_rounds(node: ast.expr, scope: Scope) -> bool:
    """`i < num_images` with `i` from range() or enumerate(), or counted up: a position in a loop, not a
    property of data."""
    names = set(scope.names_in(node))
    if names & scope.body.counted:
        return True
    return any(
        source.via is Via.ELEMENT and _is_counter(source)
        for name in names
        for source in scope.body.names.get(name, ())
    )


def _is_counter(source: NodeSource) -> bool:
    call = source.expr
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return False
    return call.func.id == "range" or (call.func.id == "enumerate" and source.index == 0)


def _batch_key(node: ast.expr, scope: Scope) -> str:
    """The constant key of `"k" in batch`, `batch.get("k")` or `batch["k"]`, when it names a modality."""
    for part in walk(node):
        key = None
        if isinstance(part, ast.Compare) and isinstance(part.ops[0], (ast.In, ast.NotIn)):
            key, holder = part.left, part.comparators[0]
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.args:
            if part.func.attr in ("get", "pop"):
                key, holder = part.args[0], part.func.value
        elif isinstance(part, ast.Subscript):
            key, holder = part.slice, part.value
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and _is_word(key.value):
            if _roots(holder, scope):
                return key.value
    return ""


def _data_names(node: ast.expr, scope: Scope) -> list[str]:
    """Names and token constants of an atom, when it depends on data at all."""
    if not _roots(node, scope):
        return []
    found = []
    for part in walk(node):
        if isinstance(part, ast.Name) and (part.id.isupper() or _roots(part, scope)):
            found.append(part.id)
        elif isinstance(part, ast.Attribute) and part.attr.endswith(_TOKENS):
            found.append(part.attr)
    return found + _source_names(node, scope)


def _source_names(node: ast.expr, scope: Scope) -> list[str]:
    """Names one assignment further back: `n = (ids == IMAGE_TOKEN).sum()` makes `n` an image count."""
    names = [part.id for part in walk(node) if isinstance(part, ast.Name)]
    return [found for name in names for found in scope.further(name)]


def _roots(node: ast.expr, scope: Scope) -> set[str]:
    """The data parameters that an expression depends on: not `self`, not configuration objects."""
    ends = scope.parameters | {scope.receiver}
    names = closure(scope.names_in(node), lambda name: () if name in ends else scope.behind(name))
    data = scope.parameters.intersection(names) - {scope.receiver}
    return {name for name in data if not _CONFIG.search(name) or _is_modality(name)}


def _is_modality(name: str) -> bool:
    return bool(MODALITY.search(name)) and not name.endswith(("_processor", "_model", "_tower", "_config"))


def means_present(test: ast.expr) -> bool:
    """Does the true side of a test mean that the modality is there?"""
    if isinstance(test, ast.BoolOp):
        test = test.values[0]
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return not means_present(test.operand)
    given = given_by_type(test)
    if given is not None:
        return given
    if not isinstance(test, ast.Compare):
        return True
    zero = any(isinstance(c, ast.Constant) and not c.value for c in test.comparators)
    absent = isinstance(test.ops[0], (ast.Is, ast.NotIn)) or (isinstance(test.ops[0], ast.Eq) and zero)
    return not absent


def asked_keys(test: ast.expr, scope: Scope) -> set[str]:
    """The batch keys that a test asks for, in itself or one assignment back."""
    exprs = [test]
    for name in scope.names_in(test):
        exprs += [source.expr for source in scope.body.names.get(name, ())]
    return {key for expr in exprs if (key := _batch_key(expr, scope))}


def members_asked(test: ast.expr, scope: Scope) -> set[str]:
    """The keys of `"key" in sample`, whatever they name."""
    compared = [n for n in walk(test) if isinstance(n, ast.Compare)]
    members = [n for n in compared if isinstance(n.ops[0], (ast.In, ast.NotIn))]
    asks = [n for n in members if _roots(n.comparators[0], scope)]
    return {str(n.left.value) for n in asks if isinstance(n.left, ast.Constant)}


def data_roots(node: ast.expr, scope: Scope) -> set[str]:
    """The data parameters that an expression depends on."""
    return _roots(node, scope)
