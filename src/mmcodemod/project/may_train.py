"""Which programs may train, as far as the text of what they load tells. Asked before the call graph is made,
so that it is made for no others: most programs of a repository evaluate, serve or convert. May-analysis: a
program whose text does not tell what it loads may, and so may one that speaks of several ranks: of what it
does there rules say that no training comes to it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from mmcodemod.facts.outline import Import
from mmcodemod.facts.python import FileFacts
from mmcodemod.knowledge import consoles
from mmcodemod.model.context import Entry
from mmcodemod.model.pattern import regex
from mmcodemod.project.closure import closure
from mmcodemod.project.index import Index
from mmcodemod.project.stubs import MODELS, is_stub

# What no function of `training.steps` can do without: a word anywhere, or a pattern where a word is.
_STEPS = ("backward",)
_STEPS_LIKE = {
    "initialize": regex(rb"initialize\b"),
    "train": regex(rb"\.\s*train\b"),
    "fit": regex(rb"\.\s*fit\b"),
    "getattr": regex(rb"[\"'](?:train|fit)[\"']"),
}
_LOADERS = (
    *("import_module", "import_string", "__import__", "_import_structure", "load_module", "exec_module"),
    *("run_path", "run_module", "exec(", "instantiate", "fromfile", "pydoc", "get_class"),
)
_RANKS = (
    *("torch.distributed", "import distributed", "get_rank", "barrier", "is_main_process"),
    *("wait_for_everyone", "num_proc"),
)
Saying = Callable[[str], Collection[str]]  # the files whose bytes contain a word


def may_train(index: Index, entries: Iterable[Entry], saying: Saying) -> list[Entry]:
    """Those of some entries that may train, in their order."""
    entries = list(entries)
    loads = _Loads(index)
    reached = closure((e.path for e in entries if e.path in index.files), loads.by)
    telling = (path for path in _telling(index, saying) if path in reached)
    training = closure(telling, lambda path: loads.loaders.get(path, ()))
    return [e for e in entries if e.config or e.library or e.path in training]


def imports_of(file: FileFacts) -> Iterator[Import]:
    """All imports of a file, also inside functions."""
    yield from file.imports
    yield from file.stars
    for function in file.functions.values():
        yield from function.imports


def _telling(index: Index, saying: Saying) -> Iterator[str]:
    """The files that may do a training step, or load what no import names, or speak of several ranks."""
    for word in (*_STEPS, *_LOADERS, *_RANKS):
        yield from saying(word)
    for word, pattern in _STEPS_LIKE.items():
        yield from (path for path in saying(word) if pattern.search(index.tree.read_bytes(path)))
    yield from (f"{MODELS}/{program}" for program in consoles.MODELS)


class _Loads:
    """Which files each file names something of; `loaders` holds those that name it, for all asked so far."""

    def __init__(self, index: Index) -> None:
        self.loaders: dict[str, list[str]] = {}
        self._index = index
        self._files = [f"/{path}" for path in index.python_files]
        self._names = {part for path in self._files for part in path.removesuffix(".py").split("/")}
        self._names |= {console.package for console in consoles.CONSOLES}
        self._packages: dict[str, list[str]] = {}

    def by(self, path: str) -> list[str]:
        """The files of which a file of the tree names something."""
        found = [] if is_stub(path) else list(dict.fromkeys(self._named(path)))
        for file in found:
            self.loaders.setdefault(file, []).append(path)
        return found

    def _named(self, path: str) -> Iterator[str]:
        modules = self._index.modules
        items = imports_of(self._index.files[path])
        for module, level, name in dict.fromkeys((i.module, i.level, i.name) for i in items):
            if not level and module.partition(".")[0] not in self._names:
                continue
            target = modules.absolute(module, level, path)
            file = modules.find(target, path)
            inner = f"{target}.{name}" if name else target.partition(".")[0]
            if file is not None:
                yield file
            if file is None or file.endswith("/__init__.py"):
                yield from filter(None, (modules.find(inner, path),))
            yield from self._inside(inner)

    def _inside(self, dotted: str) -> list[str]:
        """The files of a package that is at hand as an object: its modules are its attributes."""
        if dotted not in self._packages:
            part = f"/{dotted.replace('.', '/')}/"
            folder = self._index.modules.is_folder(dotted)
            self._packages[dotted] = [file[1:] for file in self._files if part in file] if folder else []
        return self._packages[dotted]
