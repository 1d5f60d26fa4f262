"""Writes src/mmcodemod/knowledge/deepspeed_keys.py, the keys that DeepSpeed reads from its JSON by release,
and deepspeed_defaults.py beside it, their defaults.

    pip download --no-deps --no-build-isolation --no-binary deepspeed deepspeed==0.19.8   # ... and so on
    python tools/ds_keys.py 0.12.6=UNPACKED 0.16.9=UNPACKED 0.19.8=UNPACKED               # the oldest first

Nothing of DeepSpeed is run: its files are parsed. Keys of the whole configuration are the strings, or
constants with strings, by which code asks a variable called `param_dict` (or like it) for a member, and all
constants of runtime/constants.py. That takes in keys of inner objects, too, which is on the safe side: what
is listed is never called unknown. Keys of objects that pydantic models describe are the fields and aliases of
the models, which forbid all others.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import ds_defaults

OUT = Path(__file__).parents[1] / "src/mmcodemod/knowledge/deepspeed_keys.py"
BASE = "DeepSpeedConfigModel"
ROOTS = {
    "zero_optimization": "DeepSpeedZeroConfig",
    "fp16": "DeepSpeedFP16Config",
    "bf16": "DeepSpeedBF16Config",
}
DICTS = ("param_dict", "_param_dict", "ds_config", "config_dict", "pd", "monitor_dict", "user_config")
READS = ("get_scalar_param", "get_list_param", "get_dict_param")
HEAD = '''"""Keys that DeepSpeed reads from its JSON, by object. Made by tools/ds_keys.py: do not edit.

Source: the source distributions of RELEASES. A key has one letter for each of them: "x" it is read, "-" it is
not, "r" it was removed and raises an error, "?" the keys of the object are not checked.
"""'''
REMOVED = {"_REMOVED_TOP_LEVEL_CONFIG_KEYS": "", "_REMOVED_ZERO_CONFIG_KEYS": "zero_optimization"}


def main(arguments: list[str]) -> None:
    releases = {version: Release(Path(path)) for version, _, path in (a.partition("=") for a in arguments)}
    OUT.write_text(table(releases), encoding="utf-8")
    defaults = {version: release.defaults for version, release in releases.items()}
    ds_defaults.OUT.write_text(ds_defaults.table(defaults), encoding="utf-8")


class Release:
    """One unpacked release. `known` holds the keys by object ("" for the whole configuration), `defaults`
    what they are when they are not written."""

    def __init__(self, path: Path) -> None:
        files = sorted((path / "deepspeed").rglob("*.py"))
        parsed = {file: ast.parse(file.read_text(encoding="utf-8")) for file in files}
        self.trees = list(parsed.values())
        self.classes = {c.name: c for tree in self.trees for c in tree.body if isinstance(c, ast.ClassDef)}
        self.files = {name: _file_of(cls, parsed, path) for name, cls in self.classes.items()}
        self.reader = ds_defaults.Reader(path / "deepspeed", self.classes)
        self.defaults = self.reader.of_keys()
        self.constants = dict(pair for tree in self.trees for pair in _constants(tree))
        self.removed = {key for tree in self.trees for key in _removed(tree)}
        self.known = {"": {key for tree in self.trees for key in self._asked(tree)}}
        named = ast.parse((path / "deepspeed/runtime/constants.py").read_text(encoding="utf-8"))
        self.known[""] |= {text for _, text in _constants(named)}
        for section, name in ROOTS.items():
            self._model(section, name)

    def _asked(self, tree: ast.Module) -> Iterator[str]:
        for node in ast.walk(tree):
            key = _key_of(node)
            if key is not None:
                yield from self._texts(key, tree)

    def _texts(self, key: ast.expr, tree: ast.Module) -> Iterator[str]:
        """A constant, a name of one, or a name that a loop, a default or a keyword gives such a value."""
        if isinstance(key, ast.Name) and key.id not in self.constants:
            for value in _given(key.id, tree):
                yield from self._text(value)
        else:
            yield from self._text(key)

    def _text(self, value: ast.expr) -> Iterator[str]:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield value.value
        elif isinstance(value, ast.Name) and value.id in self.constants:
            yield self.constants[value.id]

    def _model(self, section: str, name: str) -> None:
        """The fields of a model, and those of the models that it holds."""
        if name not in self.classes:
            return
        keys = self.known.setdefault(section, set())
        for cls in self._with_bases(name):
            fields = [f for f in cls.body if isinstance(f, ast.AnnAssign) and isinstance(f.target, ast.Name)]
            self.defaults |= self.reader.of_model(section, fields, self.files[cls.name])
            for field in fields:
                names = {ast.unparse(field.target), *ds_defaults.aliases(field)}
                keys |= names
                for inner in self._models_in(field.annotation):
                    for key in names:
                        self._model(f"{section}.{key}", inner)

    def _with_bases(self, name: str) -> list[ast.ClassDef]:
        cls = self.classes.get(name)
        if cls is None or name == BASE:
            return []
        bases = [b.id for b in cls.bases if isinstance(b, ast.Name)]
        return [cls, *(c for b in bases for c in self._with_bases(b))]

    def _models_in(self, annotation: ast.expr) -> list[str]:
        names = [n.id for n in ast.walk(annotation) if isinstance(n, ast.Name)]
        return [n for n in names if n in self.classes and self._is_model(n)]

    def _is_model(self, name: str) -> bool:
        return any(isinstance(b, ast.Name) and b.id == BASE for c in self._with_bases(name) for b in c.bases)


def _file_of(cls: ast.ClassDef, parsed: dict[Path, ast.Module], path: Path) -> str:
    """Where a class stands, from the package's folder on."""
    return next(str(file.relative_to(path)) for file, tree in parsed.items() if cls in tree.body)


def _constants(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            for target in node.targets:
                if isinstance(target, ast.Name) and isinstance(node.value.value, str) and target.id.isupper():
                    yield target.id, node.value.value


def _removed(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id in REMOVED:
                    keys = [k.value for k in node.value.keys if isinstance(k, ast.Constant)]
                    yield from ((REMOVED[target.id], str(key)) for key in keys)


def _key_of(node: ast.AST) -> ast.expr | None:
    """K of `d.get(K)`, `d[K]`, `K in d`, `K in d.keys()` and `get_scalar_param(d, K, ...)`."""
    if isinstance(node, ast.Subscript) and _is_dict(node.value):
        return node.slice
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
        right = node.comparators[0]
        right = (
            right.func.value
            if isinstance(right, ast.Call) and isinstance(right.func, ast.Attribute)
            else right
        )
        return node.left if _is_dict(right) else None
    if not isinstance(node, ast.Call) or not node.args:
        return None
    if isinstance(node.func, ast.Attribute) and node.func.attr == "get":
        return node.args[0] if _is_dict(node.func.value) else None
    if isinstance(node.func, ast.Name) and node.func.id in READS and len(node.args) > 1:
        return node.args[1] if _is_dict(node.args[0]) else None
    return None


def _is_dict(node: ast.expr) -> bool:
    return getattr(node, "id", getattr(node, "attr", "")) in DICTS


def _given(name: str, tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.comprehension)) and _binds(node.target, name):
            yield from getattr(node.iter, "elts", ())
        elif isinstance(node, ast.arguments):
            pairs = zip(reversed([*node.posonlyargs, *node.args]), reversed(node.defaults))
            yield from (default for argument, default in pairs if argument.arg == name)
        elif isinstance(node, ast.keyword) and node.arg == name:
            yield node.value


def _binds(target: ast.expr, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(target))


def table(releases: dict[str, Release]) -> str:
    """The module's text: for each object and key, one letter a release: "x" read, "-" not, "r" removed."""
    lines = [HEAD, "", "from __future__ import annotations", ""]
    lines += ["RELEASES = (", *(f'    "{release}",' for release in releases), ")", ""]
    lines += ["KEYS: dict[str, dict[str, str]] = {"]
    for section in sorted({s for r in releases.values() for s in r.known}):
        lines += [f'    "{section}": {{', *_rows(section, releases), "    },"]
    return "\n".join([*lines, "}", ""])


def _rows(section: str, releases: dict[str, Release]) -> list[str]:
    every = {key for r in releases.values() for key in r.known.get(section, ())}
    every |= {key for r in releases.values() for s, key in r.removed if s == section}
    marks = {key: "".join(_mark(section, key, r) for r in releases.values()) for key in every}
    return [f'        "{key}": "{marks[key]}",' for key in sorted(every) if key.isidentifier()]


def _mark(section: str, key: str, release: Release) -> str:
    if (section, key) in release.removed:
        return "r"
    if section not in release.known:
        return "?"
    return "x" if key in release.known[section] else "-"


if __name__ == "__main__":
    main(sys.argv[1:])
