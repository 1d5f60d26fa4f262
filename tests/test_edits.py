"""Properties of edits by span, over generated and real files: an edit changes its span alone, its readers
then read what was asked for and all else as before, and a second application changes nothing."""

from __future__ import annotations

import codecs
import copy
import json
import random
from collections.abc import Sequence

import yaml
from edit_documents import Document, a_path, at, json_document, may_set, yaml_document
from hypothesis import given, settings
from hypothesis import strategies as st

from mmcodemod.facts import edit_json, edit_yaml, jsonspan
from mmcodemod.facts.lines import LineMap
from mmcodemod.facts.spans import values
from mmcodemod.model.fix import Edit, apply_edits
from mmcodemod.source.tree import decode, encoding_of

SEEDS = st.integers(0, 2**32)
NEW = st.one_of(
    st.sampled_from(
        [True, False, None, 0, -1, 1e-05, 0.5, "auto", "", "on", "1e-4", "a # b", "x: y", "it's"]
    ),
    st.integers(-(10**9), 10**18),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20),
)
quick = settings(derandomize=True, deadline=None, max_examples=250, database=None)


def written(data: bytes, edits: Sequence[Edit]) -> bytes:
    """The file as the tool writes it; whatever is outside the spans must be there byte for byte."""
    text, encoding = decode("f", data), encoding_of("f", data)
    after = apply_edits(text, tuple(edits)).encode(encoding)
    lines, rest, before = LineMap(text), after, 0
    bom = len(codecs.BOM_UTF8) if encoding == "utf-8-sig" else 0
    for edit in sorted(edits):
        start, end = lines.offset(edit.start), lines.offset(edit.end)
        kept = data[before : bom + len(text[:start].encode())] + edit.text.encode()
        assert rest.startswith(kept)
        rest, before = rest[len(kept) :], bom + len(text[:end].encode())
    assert rest == data[before:]
    return after


def with_value(document: Document, path: tuple[str, ...], value: object) -> dict:
    result = holder = copy.deepcopy(document.value)
    for key in path[:-1]:
        holder = holder.setdefault(key, {})
    holder[path[-1]] = value
    return result


def without(document: Document, path: tuple[str, ...]) -> dict:
    result = copy.deepcopy(document.value)
    at(result, path[:-1]).pop(path[-1], None)
    return result


def equal(one: object, other: object) -> bool:
    """As readers tell values apart: `True` is not 1."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def read_json(text: str, strict: bool) -> object:
    """`json.loads`, or our reader with the scalars as Python has them."""
    if strict:
        return json.loads(text)
    root = jsonspan.parse(text).root
    assert root is not None
    return values(root)


def as_read(value: object, strict: bool) -> object:
    if strict or not isinstance(value, dict | list):
        return value if strict else repr(value)
    if isinstance(value, dict):
        return {key: as_read(item, strict) for key, item in value.items()}
    return [as_read(item, strict) for item in value]


@quick
@given(SEEDS, st.booleans(), st.booleans(), NEW)
def test_json_set(seed, strict, bom, new):
    document = json_document(seed, strict)
    path = a_path(random.Random(seed), document.value)
    data = codecs.BOM_UTF8 * bom + document.text.encode()
    edits = edit_json.set_value(document.text, "f", path, new)
    assert (edits is not None) == may_set(document.value, path), "refused without or in spite of a reason"
    if edits is None:
        return
    after = decode("f", written(data, edits))
    assert equal(read_json(after, strict), as_read(with_value(document, path, new), strict))
    assert edit_json.set_value(after, "f", path, new) == ()


@quick
@given(SEEDS, st.booleans(), st.booleans())
def test_json_remove(seed, strict, bom):
    document = json_document(seed, strict)
    path = a_path(random.Random(seed), document.value)
    edits = edit_json.remove(document.text, "f", path)
    assert edits is not None
    after = decode("f", written(codecs.BOM_UTF8 * bom + document.text.encode(), edits))
    holder = at(document.value, path[:-1])
    there = isinstance(holder, dict) and path[-1] in holder
    assert bool(edits) == there
    if there:
        assert equal(read_json(after, strict), as_read(without(document, path), strict))
    assert edit_json.remove(after, "f", path) == ()


def first_document(text: str) -> object:
    return next(yaml.safe_load_all(text))


def is_frozen(document: Document, path: tuple[str, ...]) -> bool:
    return any(path[:length] in document.frozen for length in range(1, len(path) + 1))


@quick
@given(SEEDS, st.booleans(), NEW)
def test_yaml_set(seed, bom, new):
    document = yaml_document(seed)
    path = a_path(random.Random(seed), document.value)
    edits = edit_yaml.set_value(document.text, "f", path, new)
    if edits is None:
        assert is_frozen(document, path) or not may_set(document.value, path), "refused without a reason"
        return
    assert edits == () or not is_frozen(document, path)
    after = decode("f", written(codecs.BOM_UTF8 * bom + document.text.encode(), edits))
    assert equal(first_document(after), with_value(document, path, new))
    assert edit_yaml.set_value(after, "f", path, new) == ()


@quick
@given(SEEDS, st.booleans())
def test_yaml_remove(seed, bom):
    document = yaml_document(seed)
    path = a_path(random.Random(seed), document.value)
    edits = edit_yaml.remove(document.text, "f", path)
    if edits is None:
        return
    after = decode("f", written(codecs.BOM_UTF8 * bom + document.text.encode(), edits))
    assert equal(first_document(after), without(document, path) if edits else document.value)
    assert edit_yaml.remove(after, "f", path) == ()
