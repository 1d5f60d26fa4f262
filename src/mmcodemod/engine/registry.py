"""Finds the rules: the shipped folders, entry points, and folders that `--codemods` names."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType

from mmcodemod.engine.builtin import BUILTIN
from mmcodemod.engine.plugins import plug_ins
from mmcodemod.engine.uncollected import uncollected
from mmcodemod.model.frozen import frozen
from mmcodemod.model.rule import Rule

SHIPPED = "mmcodemod.codemods"


class RegistryError(Exception):
    """Rules that are declared wrongly. `problems` holds every mistake, one line each."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


@frozen()
class _Found:
    """A rule and the folder it was found in ("" for a rule that an entry point names)."""

    rule: Rule
    folder: str
    page: Path | None


def rules(extra_dirs: Sequence[str | Path] = ()) -> tuple[Rule, ...]:
    """All rules, sorted by code.

    Raises:
        RegistryError: with every mistake in every rule.
    """
    return tuple(found.rule for found in _load(tuple(str(Path(d).resolve()) for d in extra_dirs)))


def names(extra_dirs: Sequence[str | Path] = ()) -> dict[str, str]:
    """Code -> name of every rule, and of the findings that mmcodemod makes about its own comments."""
    return {b.code: b.name for b in BUILTIN} | {rule.code: rule.name for rule in rules(extra_dirs)}


def rule_page(rule: Rule, extra_dirs: Sequence[str | Path] = ()) -> str:
    """The text of `rule.md` beside the module of this rule ("" when it has none)."""
    dirs = tuple(str(Path(d).resolve()) for d in extra_dirs)
    pages = [found.page for found in _load(dirs) if found.rule.code == rule.code]
    return pages[0].read_text(encoding="utf-8") if pages and pages[0] and pages[0].is_file() else ""


def shipped_page(code_or_name: str) -> str | None:
    """The page of a shipped rule, found without importing any rule (and so without LibCST)."""
    for builtin in BUILTIN:
        if code_or_name in (builtin.code, builtin.name):
            return builtin.page
    for folder in _shipped_folders():
        if _is_called(folder, code_or_name) and (folder / "rule.md").is_file():
            return (folder / "rule.md").read_text(encoding="utf-8")
    return None


def shipped_names() -> dict[str, str]:
    """Code -> name of the shipped rules, sorted, without importing any (what a shell completes)."""
    found = {b.code: b.name for b in BUILTIN}
    for folder in _shipped_folders():
        code = declared_code((folder / "rule.py").read_text(encoding="utf-8"))
        found |= {code: folder.name.replace("_", "-")} if code else {}
    return dict(sorted(found.items()))


@lru_cache(maxsize=8)
def _load(extra_dirs: tuple[str, ...]) -> tuple[_Found, ...]:
    mistakes: list[str] = []
    with uncollected():
        found = list(_all(extra_dirs, mistakes))
    mistakes += _mistakes(found)
    if mistakes:
        raise RegistryError(mistakes)
    return tuple(sorted(found, key=lambda f: f.rule.code))


def _all(extra_dirs: Iterable[str], mistakes: list[str]) -> Iterator[_Found]:
    yield from _from_package(importlib.import_module(SHIPPED), mistakes)
    yield from _from_entry_points(mistakes)
    for directory in extra_dirs:
        if Path(directory).is_dir():
            yield from _from_package(_package_at(directory), mistakes)
        else:
            mistakes.append(f"{directory}: no such folder of codemods")


def _from_package(package: ModuleType, mistakes: list[str]) -> Iterator[_Found]:
    mistakes += _unimportable(package)
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda i: i.name):
        if info.ispkg and not info.name.startswith("_"):
            yield from _from_folder(f"{package.__name__}.{info.name}", info.name, mistakes)


def _unimportable(package: ModuleType) -> list[str]:
    """Rule folders that Python does not see as packages would vanish silently."""
    files = (file for path in package.__path__ for file in sorted(Path(path).glob("*/rule.py")))
    strays = (file.parent for file in files if not file.with_name("__init__.py").is_file())
    return [f"{folder.name}: a rule folder needs __init__.py" for folder in strays]


def _from_folder(package: str, folder: str, mistakes: list[str]) -> Iterator[_Found]:
    module = _imported(f"{package}.rule", folder, mistakes)
    rule = getattr(module, "RULE", None)
    if module is None:
        return
    if isinstance(rule, Rule):
        yield _Found(rule, folder, _page_of(module))
    else:
        mistakes.append(f"{folder}: rule.py declares no RULE")


def _imported(module: str, folder: str, mistakes: list[str]) -> ModuleType | None:
    try:
        return importlib.import_module(module)
    except Exception as error:  # isolates one rule: a broken one must not hide the mistakes of the others
        mistakes.append(f"{folder}: cannot be imported: {type(error).__name__}: {error}")
        return None


def _from_entry_points(mistakes: list[str]) -> Iterator[_Found]:
    for point in plug_ins():
        try:
            loaded = point.load()
        except Exception as error:  # isolates one rule
            mistakes.append(f"{point.name}: cannot be imported: {type(error).__name__}: {error}")
            continue
        yield from _from_loaded(loaded, point.name, point.module, mistakes)


def _from_loaded(loaded: object, name: str, module: str, mistakes: list[str]) -> Iterator[_Found]:
    if isinstance(loaded, Rule):
        yield _Found(loaded, "", _page_of(sys.modules[module]))
    elif isinstance(loaded, ModuleType) and hasattr(loaded, "__path__"):
        yield from _from_package(loaded, mistakes)
    else:
        mistakes.append(f"{name}: an entry point names a Rule or a package of rule folders")


def _package_at(directory: str) -> ModuleType:
    """A package whose modules are the folders in `directory`, under a name that nothing else has."""
    name = "mmcodemod_codemods_" + blake2b(directory.encode(), digest_size=6).hexdigest()
    if name not in sys.modules:
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [directory]
        sys.modules[name] = module_from_spec(spec)
    return sys.modules[name]


def _page_of(module: ModuleType) -> Path | None:
    return Path(module.__file__).with_name("rule.md") if module.__file__ else None


def _mistakes(found: Sequence[_Found]) -> Iterator[str]:
    for one in found:
        yield from one.rule.problems()
        if one.folder and one.folder != one.rule.slug:
            yield f"{one.rule.code}: the folder is {one.folder}, but the name asks for {one.rule.slug}"
    yield from _repeated("code", [one.rule.code for one in found] + [b.code for b in BUILTIN])
    yield from _repeated("name", [one.rule.name for one in found] + [b.name for b in BUILTIN])


def _repeated(what: str, values: Iterable[str]) -> Iterator[str]:
    for value, count in sorted(Counter(values).items()):
        if count > 1:
            yield f"{value}: {count} rules have this {what}"


def shipped_roots() -> list[Path]:
    """The folders that hold the shipped rule folders."""
    return [Path(path) for path in importlib.import_module(SHIPPED).__path__]


def _shipped_folders() -> Iterator[Path]:
    for path in shipped_roots():
        yield from sorted(file.parent for file in path.glob("*/rule.py"))


def _is_called(folder: Path, code_or_name: str) -> bool:
    if folder.name == code_or_name.replace("-", "_"):
        return True
    text = (folder / "rule.py").read_text(encoding="utf-8")
    return code_or_name in text and declared_code(text) == code_or_name


def declared_code(source: str) -> str | None:
    """The first argument, or `code=`, of the call that RULE is assigned."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _is_rule(node):
            values = [*node.value.args[:1], *(k.value for k in node.value.keywords if k.arg == "code")]
            return next((str(v.value) for v in values if isinstance(v, ast.Constant)), None)
    return None


def _is_rule(node: ast.Assign) -> bool:
    return any(isinstance(target, ast.Name) and target.id == "RULE" for target in node.targets)
