"""The index: facts of every Python file of a tree and of the framework models. One pass, no meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from functools import cache
from pathlib import Path

from mmcodemod.facts.extract import extract, outlined
from mmcodemod.facts.outline import Outline
from mmcodemod.facts.python import ClassFacts, FileFacts, FunctionFacts, file_facts
from mmcodemod.facts.syntax import ParseError
from mmcodemod.knowledge import consoles
from mmcodemod.model.finding import Problem
from mmcodemod.model.frozen import mutable
from mmcodemod.project.extraction import FEW, Kept, records
from mmcodemod.project.modules import Modules
from mmcodemod.project.stubs import MODELS, class_of, is_stub
from mmcodemod.project.trees import Trees
from mmcodemod.source.tree import Tree, UnreadableFile, decode

_SHIPPED = Path(__file__).parents[1] / "models"
_DEEP = "it is nested, or calls others, too deeply"
TEXTS = 16  # files whose lines are kept: those that rules look at are seldom more at a time


@mutable()
class Index:
    """Facts by path, functions and classes by id, and what could not be read."""

    tree: Tree
    files: dict[str, FileFacts]
    modules: Modules
    trees: Trees
    problems: list[Problem] = field(default_factory=list)
    left_out: dict[str, str] = field(
        default_factory=dict
    )  # functions not followed to the end, with the error
    _texts: dict[str, list[str]] = field(default_factory=dict)
    _functions: dict[str, FunctionFacts] = field(default_factory=dict)  # those that were asked for

    def function(self, function: str) -> FunctionFacts:
        known = self._functions.get(function)
        if known is None:
            path, _, qualname = function.partition("::")
            known = self._functions[function] = self.files[path].functions[qualname]
        return known

    def leave_out(self, function: str, error: Exception) -> None:
        """What a function does is not known (to the end), because an analysis of it crashed."""
        why = _DEEP if isinstance(error, RecursionError) else f"{type(error).__name__}: {error}"
        self.left_out.setdefault(function, why)

    @property
    def not_followed(self) -> Iterator[Problem]:
        """Functions of the tree that were too much for the analysis, as far as it went."""
        for facts in (f for path in self.python_files for f in self.files[path].functions.values()):
            why = _DEEP if facts.unread else self.left_out.get(facts.id)
            if why:
                where = "module code" if facts.is_module else f"`{facts.qualname}`"
                message = f"what {where} does is not known: {why}"
                yield Problem(facts.path, "analysis", message, facts.line)

    def cls(self, cls: str) -> ClassFacts:
        path, _, qualname = class_of(cls).partition("::")
        return self.files[path].classes[qualname]

    def lines(self, path: str) -> list[str]:
        """The decoded lines of a file, kept until those of TEXTS others were asked for."""
        found = self._texts.get(path)
        if found is None:
            if len(self._texts) >= TEXTS:
                del self._texts[next(iter(self._texts))]
            found = self._texts[path] = self.text(path).splitlines()
        return found

    def text(self, path: str) -> str:
        if is_stub(path):
            return _source(path.rpartition("/")[2]).decode()
        return decode(path, self.tree.read_bytes(path))

    @property
    def python_files(self) -> list[str]:
        """Paths of the tree's own Python files."""
        return [p for p in self.files if not p.startswith(MODELS)]


def build(
    tree: Tree,
    progress: Callable[[int], None] = lambda n: None,
    jobs: int = 1,
    kept: Kept | None = None,
    launched: frozenset[str] = frozenset(),
) -> Index:
    """Index every Python file of `tree`. A file that cannot be read becomes a Problem. `jobs` and `kept` (how
    many processes may work, 0 for as many as pay; a cache of facts) change nothing but the time it takes.
    `launched`: paths of the framework models of installed programs that the tree launches."""
    problems: list[Problem] = []
    sources = _sources(tree, problems)
    trees = Trees(tree.read_bytes, large=sum(map(len, sources.values())) > FEW)
    files: dict[str, FileFacts] = {}
    for number, (path, record) in enumerate(records(sources, jobs, kept, trees.outline)):
        progress(number)
        if isinstance(record, ParseError):
            problems.append(_problem(path, sources[path], record))
        else:
            files[path] = file_facts(path, record, trees.outline)
    models = _models(files, launched)
    return Index(tree, files, Modules(files, models, tree.paths), trees, problems)


def _sources(tree: Tree, problems: list[Problem]) -> dict[str, bytes]:
    found = {}
    for path in tree.paths:
        if path.endswith(".py"):
            try:
                found[path] = tree.read_bytes(path)
            except UnreadableFile as error:
                problems.append(Problem(path, error.kind, error.message))
    return found


def _problem(path: str, data: bytes, error: ParseError) -> Problem:
    """Bytes that are no text are told as such, not as a syntax error."""
    try:
        decode(path, data)
    except UnreadableFile as unreadable:
        return Problem(path, unreadable.kind, unreadable.message)
    return Problem(path, "syntax", error.message, error.line)


def _models(files: dict[str, FileFacts], launched: frozenset[str]) -> dict[str, str]:
    """Add the framework models of the libraries that `files` import, of those that they import in turn, and
    of the installed programs that are launched; return the dotted name that each model stands for."""
    shipped: dict[str, list[str]] = {}
    for file in (f for f in _shipped() if f not in consoles.MODELS):
        shipped.setdefault(_modelled(file).partition(".")[0], []).append(file)
    names: dict[str, str] = {}
    for path in sorted(launched):
        file = path.removeprefix(f"{MODELS}/")
        files[path] = _model(file)
        names[_modelled(file)] = path
    todo = [library for facts in files.values() for library in sorted(_libraries(facts))]
    while todo:
        for file in shipped.pop(todo.pop(), ()):
            path = f"{MODELS}/{file}"
            files[path] = _model(file)
            names[_modelled(file)] = path
            todo += sorted(_libraries(files[path]))
    return dict(sorted(names.items()))


@cache
def _shipped() -> tuple[str, ...]:
    """The file names of all framework models."""
    return tuple(sorted(item.name for item in _SHIPPED.iterdir() if item.name.endswith(".py")))


@cache
def _model(file: str) -> FileFacts:
    """The facts of one framework model. Nobody changes facts, so every check of a process may share them."""
    return file_facts(f"{MODELS}/{file}", extract(_source(file)), lambda path: _outline(file))


@cache
def _outline(file: str) -> Outline:
    return outlined(_source(file))


@cache
def _source(file: str) -> bytes:
    return (_SHIPPED / file).read_bytes()


def _modelled(file: str) -> str:
    """`torch__nn.py` models torch.nn."""
    return file.removesuffix(".py").replace("__", ".")


def _libraries(facts: FileFacts) -> set[str]:
    """The top-level packages that a file imports."""
    imports = [*facts.imports, *facts.stars, *(i for f in facts.functions.values() for i in f.imports)]
    return {i.module.partition(".")[0] for i in imports if not i.level}
