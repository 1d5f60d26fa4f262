"""Collators that fill up a batch which has none of a modality, before another function makes its tensors. A
must-analysis as in emission.py: all collators of training that lead to such a function must do it."""

from __future__ import annotations

import ast
import re

from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import walk
from mmcodemod.model.finding import Note
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.project.collate import MAX_DEPTH, collators, stand_in
from mmcodemod.project.model import Project

_KINDS = {
    "image": regex(r"pixel|image|img|picture|vision|visual", re.IGNORECASE),
    "video": regex(r"video|frame", re.IGNORECASE),
    "audio": regex(r"audio|speech|sound|waveform|input_features|mel_", re.IGNORECASE),
}


def replenished(project: Project, key: str) -> tuple[Note, ...]:
    """The lines that fill up a batch without the modality of `key`; () when a collator of training that leads
    to the key does not."""
    found: list[Note] = []
    for facts in collators(project):
        if facts.id in project.trained and _writes(project, _callees(project, facts), key):
            line = stand_in(project, facts)
            if line is None or not kinds(key) <= kinds(project.line(facts.path, line)):
                return ()
            found.append(Note(Place(facts.path, line), "a batch without the modality gets a stand-in here"))
    return tuple(found)


def kinds(text: str) -> frozenset[str]:
    """The modalities that a text names."""
    return frozenset(kind for kind, pattern in _KINDS.items() if pattern.search(text))


def _writes(project: Project, functions: set[str], key: str) -> bool:
    return any(facts.id in functions and _has(facts, key) for facts in project.mentioning(key))


def _has(facts: FunctionFacts, key: str) -> bool:
    """Does the key stand in the function, as a text?"""
    nodes = walk(facts.node) if not facts.is_module else ()
    return any(isinstance(node, ast.Constant) and node.value == key for node in nodes)


def _callees(project: Project, facts: FunctionFacts) -> set[str]:
    """Ids of the functions that a collator calls, at most MAX_DEPTH calls deep, without itself."""
    known = set(project.frames(facts.id))
    frames = list(known)
    for _ in range(MAX_DEPTH):
        callees = {edge.callee for frame in frames for edge in project.graph.edges.get(frame, ())}
        frames = [frame for frame in callees if frame not in known]
        known.update(frames)
    return {frame.function for frame in known} - {facts.id}
