"""Which expression names the file that a value is read from: `json.load(open(path))`, also with the file in a
`with`, and `json.loads(Path(path).read_text())`. Must-analysis: None for what is read in any other way."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import Via
from mmcodemod.facts.syntax import unparse
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin, Origins

_LOADS = ("json.load", "hjson.load", "json5.load", "commentjson.load")
_TEXTS = tuple(f"{name}s" for name in _LOADS)
_OPENS = ("open", "<builtin>.open", "io.open", "codecs.open")
_PATHS = ("pathlib.Path", "Path", "str", "<builtin>.str", "os.fspath")


def file_behind(project: Project, loaded: Origin) -> Origin | None:
    """The path of the file whose content a call gives as it stands there."""
    call = loaded.expr
    if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords:
        return None
    called = _called(project, call, loaded.function)
    source = Origin(call.args[0], loaded.function)
    if called in _LOADS:
        return _opened(project, source)
    return _text(project, source) if called in _TEXTS else None


def settings_behind(project: Project, loaded: Origin) -> Origin | None:
    """The path of the file whose content a call that loads JSON or YAML gives."""
    call = loaded.expr
    if not isinstance(call, ast.Call) or not call.args:
        return None
    source = Origin(call.args[0], loaded.function)
    by_itself = unparse(call.func).endswith("OmegaConf.load")
    return plain_path(project, source) if by_itself else _opened(project, source)


def _called(project: Project, call: ast.Call, function: str) -> str:
    """The dotted name of what is called, "" where it may be several."""
    names = project.names(call.func, function)
    written = unparse(call.func)
    return next(iter(names)) if len(names) == 1 else "" if names else written


def _text(project: Project, source: Origin) -> Origin | None:
    """`Path(path).read_text()`, `open(path).read()`, `file.read()`."""
    made = _only(project, source)
    if not isinstance(made.expr, ast.Call) or not isinstance(made.expr.func, ast.Attribute) or made.expr.args:
        return None
    holder = Origin(made.expr.func.value, made.function)
    if made.expr.func.attr == "read":
        return _opened(project, holder)
    return plain_path(project, holder) if made.expr.func.attr == "read_text" else None


def _opened(project: Project, source: Origin) -> Origin | None:
    """The path of an open file."""
    made = _only(project, source)
    entered = _entered(project, made)
    made = _only(project, entered) if entered else made
    if not isinstance(made.expr, ast.Call):
        return None
    if isinstance(made.expr.func, ast.Attribute) and made.expr.func.attr == "open" and not _named(made):
        return plain_path(project, Origin(made.expr.func.value, made.function))
    opens = _called(project, made.expr, made.function) in _OPENS
    return plain_path(project, Origin(made.expr.args[0], made.function)) if opens and made.expr.args else None


def _named(made: Origin) -> bool:
    """Is it `io.open(...)`, whose holder is a module?"""
    return isinstance(made.expr, ast.Call) and unparse(made.expr.func) in _OPENS


def _entered(project: Project, made: Origin) -> Origin | None:
    """What the `with ... as name` before it enters, where nothing else gives the name a value."""
    if not isinstance(made.expr, ast.Name):
        return None
    sources = project.resolver.body(made.function).names.get(made.expr.id, ())
    if any(source.via is not Via.ENTER for source in sources):
        return None
    before = [s.expr for s in sources if s.expr.lineno <= made.expr.lineno]
    return Origin(max(before, key=lambda e: e.lineno), made.function) if before else None


def plain_path(project: Project, path: Origin) -> Origin:
    """The path without `Path(...)` around it."""
    made = _only(project, path)
    call = made.expr
    if isinstance(call, ast.Call) and len(call.args) == 1 and not call.keywords:
        if _called(project, call, made.function) in _PATHS:
            return plain_path(project, Origin(call.args[0], made.function))
    return made


def _only(project: Project, source: Origin) -> Origin:
    """The one expression that it comes from; itself, where there are several."""
    found = Origins(project).of(source.expr, source.function)
    return found[0] if len(found) == 1 else source
