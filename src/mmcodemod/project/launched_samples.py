"""What a launch says of the samples of its run: a model for text alone, which encodes nothing, and sets of
data that a table of the tree (JSON: a name, and its "columns") describes.

Source: https://llamafactory.readthedocs.io/en/latest/getting_started/data_preparation.html (the table).
"""

from __future__ import annotations

from mmcodemod.facts.node import Node
from mmcodemod.knowledge.text_models import for_text_alone
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.project.modality import MODALITY
from mmcodemod.project.modality_keys import KEYS
from mmcodemod.project.model import Project
from mmcodemod.project.multimodal import named

_MODEL = ("model_name_or_path", "model_name", "model_path", "model_id")
_DATA = "dataset"
_COLUMNS = "columns"


def text_model(project: Project, context: Context) -> Note | None:
    """The line that names a model for text alone; None where an option or a module of the tree may give it an
    encoder."""
    options = (context.option(name) for name in _MODEL)
    found = next((o for o in options if isinstance(o.value, str) and o.at is not None), None)
    if found is None or found.at is None or not for_text_alone(str(found.value)) or named(context):
        return None
    encodes = _encodes(project, context)
    return None if encodes else Note(found.at, f"{found.value} is a model for text alone")


def _encodes(project: Project, context: Context) -> bool:
    """Does the run reach the `forward` of a module that is named for the modality?"""
    reach = project.reach(context.entry) if context.entry else None
    own = (f for f in project.forward_functions() if f.name == "forward" and MODALITY.search(f.qualname))
    return any(reach is None or f.id in reach for f in own)


def described(project: Project, context: Context) -> str:
    """The sets of data of a launch, all of which have a column of a modality; "" where one has none, or where
    none of the tree describes them."""
    given = context.option(_DATA).value
    names = [name.strip() for name in given.split(",")] if isinstance(given, str) else []
    tables = project.get(_tables)
    if not names or not any(all(_has(table, name) for name in names) for table in tables):
        return ""
    return ", ".join(f"`{name}`" for name in names)


def _has(table: Node, name: str) -> bool:
    entry = table.member(name)
    columns = entry.node.get(_COLUMNS) if entry else None
    return columns is not None and any(KEYS.fullmatch(m.key) for m in columns.members)


def _tables(project: Project) -> list[Node]:
    """The JSON objects of the tree that describe columns. Use through `project.get`."""
    sources = project.sources
    paths = [p for p in sorted(sources.paths) if p.endswith(".json") and b'"columns"' in sources.data(p)]
    roots = [document.root for p in paths if (document := sources.document(p)) is not None]
    return [root for root in roots if root is not None and root.kind == "object"]
