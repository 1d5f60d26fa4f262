"""What a callback's `**kwargs` holds: the Trainer hands over a fixed set of names, and any other is absent.

Source: `CallbackHandler.call_event` of transformers 4.37 and 5.23 (src/transformers/trainer_callback.py), and
its callers `on_log`, `on_evaluate` and `on_predict`."""

from __future__ import annotations

import ast

from mmcodemod.model.place import Place
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub

CALLBACK, HANDLER = "TrainerCallback", "call_event"
_LOGGED = ("metrics", "logs")
_LOADED = ("tokenizer", "processing_class", "image_processor", "feature_extractor")
GIVEN = frozenset(
    ("model", "optimizer", "lr_scheduler", "train_dataloader", "eval_dataloader", *_LOADED, *_LOGGED)
)


def absent_keyword(project: Project, call: ast.Call, function: str) -> tuple[str, Place] | None:
    """The name that `kwargs.get(name)` asks for and no event brings, and where it is asked."""
    holder, key = _asked(call)
    facts = project.index.function(function)
    packed: ast.arg | None = getattr(getattr(facts.node, "args", None), "kwarg", None)
    if not key or key in GIVEN or packed is None or packed.arg != holder:
        return None
    if facts.owner is None or not _is_callback(project, f"{facts.path}::{facts.owner}"):
        return None
    if _given_otherwise(project, function):
        return None
    return f"{packed.arg}.{key}", project.place(facts.path, call)


def _asked(call: ast.Call) -> tuple[str, str]:
    """`kwargs.get("name")` or `kwargs.pop("name", None)`: both names, else empty ones."""
    match call.func:
        case ast.Attribute(attr="get" | "pop", value=ast.Name(id=holder)):
            texts = [a.value if isinstance(a, ast.Constant) else ... for a in call.args]
            plain = bool(texts) and texts[1:] in ([], [None]) and not call.keywords
            return (holder, texts[0]) if plain and isinstance(texts[0], str) else ("", "")
    return "", ""


def _is_callback(project: Project, cls: str) -> bool:
    """Does the class inherit from the Trainer's callbacks?"""
    return any(is_stub(base.path) and base.qualname == CALLBACK for base in project.bases(cls))


def _given_otherwise(project: Project, function: str) -> bool:
    """Does code of the tree call the method, or any callback, with keywords of its own?"""
    own = (e for e in project.callers(function) if not e.caller.function.startswith("<"))
    return any(own) or any(not is_stub(f.path) for f in project.mentioning(HANDLER))
