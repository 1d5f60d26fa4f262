"""Writes src/mmcodemod/knowledge/deepspeed_defaults.py: the defaults of DeepSpeed's keys, by release.

Called by tools/ds_keys.py. Of the whole configuration, a default is the last argument of
`get_scalar_param(...)` in runtime/config.py and runtime/precision_config.py; of an object with a pydantic
model, it is the value of the field. What is no number, text, bool or None as it stands (a factory, a method,
an empty object) is left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

OUT = Path(__file__).parents[1] / "src/mmcodemod/knowledge/deepspeed_defaults.py"
CONSTANTS = "runtime/constants.py"
READERS = ("runtime/config.py", "runtime/precision_config.py")
NUMBERS = ("pp_int", "int", "float")
HEAD = '''"""Defaults of the keys that DeepSpeed reads, by object and key. Made by tools/ds_keys.py: do not
edit.

Source: the source distributions of RELEASES in deepspeed_keys.py; SOURCES names the file by object. A key has
a pair for each change: the first recorded release with the value, and the value. Between that release and the
recorded one before it, nothing is known.
"""'''

Value = str | float | bool | None
Defaults = dict[tuple[str, str], tuple[Value, str]]  # by object and key: the value and its file


class Unknown(Exception):
    """An expression whose value does not show."""


class Reader:
    """The defaults of one unpacked release. `classes` are the pydantic models, by name."""

    def __init__(self, package: Path, classes: Mapping[str, ast.ClassDef]) -> None:
        self.package, self.classes = package, classes
        self.names: dict[str, ast.expr] = {}
        for tree in map(self._parsed, (CONSTANTS, *READERS)):
            self.names |= dict(_assigned(tree))

    def _parsed(self, path: str) -> ast.Module:
        file = self.package / path
        return ast.parse(file.read_text(encoding="utf-8") if file.is_file() else "")

    def of_keys(self) -> Defaults:
        """The defaults of what `get_scalar_param` reads."""
        found: Defaults = {}
        for path in READERS:
            for call in ast.walk(self._parsed(path)):
                if isinstance(call, ast.Call) and _is_reader(call):
                    found |= dict(self._read(call, f"deepspeed/{path}"))
        return found

    def _read(self, call: ast.Call, source: str) -> Iterator[tuple[tuple[str, str], tuple[Value, str]]]:
        try:
            holder = call.args[0]
            section = self._value(holder.slice) if isinstance(holder, ast.Subscript) else ""
            key, value = self._value(call.args[1]), self._value(call.args[2])
        except Unknown:
            return
        yield (str(section), str(key)), (value, source)

    def of_model(self, section: str, fields: list[ast.AnnAssign], source: str) -> Defaults:
        """The defaults of a pydantic model's fields, also by their aliases."""
        found: Defaults = {}
        for field in fields:
            assert isinstance(field.target, ast.Name)
            try:
                value = self._value(_default(field))
            except Unknown:
                continue
            found |= {(section, name): (value, source) for name in (field.target.id, *aliases(field))}
        return found

    def _value(self, node: ast.expr | None) -> Value:
        match node:
            case ast.Constant(value=str() | int() | float() | bool() | None as value):
                return value
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                number = self._value(operand)
                return -number if isinstance(number, (int, float)) else _unknown()
            case ast.Name(id=name) if name in self.names:
                return self._value(self.names[name])
            case ast.Call(func=ast.Name(id=name), args=[number, *_]) if name in NUMBERS:
                return self._value(number)
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name in self.classes:
                return self._value(dict(_assigned(self.classes[name])).get(attr))
        return _unknown()


def _unknown() -> Value:
    raise Unknown


def _assigned(tree: ast.Module | ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    for node in tree.body:
        if isinstance(node, ast.Assign):
            yield from ((t.id, node.value) for t in node.targets if isinstance(t, ast.Name))


def _is_reader(call: ast.Call) -> bool:
    """`get_scalar_param(param_dict, K, D)` or `get_scalar_param(param_dict[SECTION], K, D)`."""
    named = isinstance(call.func, ast.Name) and call.func.id == "get_scalar_param" and len(call.args) == 3
    if not named:
        return False
    holder = call.args[0]
    holder = holder.value if isinstance(holder, ast.Subscript) else holder
    return isinstance(holder, ast.Name) and holder.id == "param_dict"


def _default(field: ast.AnnAssign) -> ast.expr | None:
    value = field.value
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "Field":
        named = [k.value for k in value.keywords if k.arg == "default"]
        return value.args[0] if value.args else named[0] if named else None
    return value


def aliases(field: ast.AnnAssign) -> list[str]:
    keywords = field.value.keywords if isinstance(field.value, ast.Call) else []
    return [str(k.value.value) for k in keywords if k.arg == "alias" and isinstance(k.value, ast.Constant)]


def table(releases: Mapping[str, Defaults]) -> str:
    """The module's text: the source of each object, and for each of its keys a pair for each change."""
    keys = sorted({key for defaults in releases.values() for key in defaults if key[1].isidentifier()})
    files = {key[0]: file for defaults in releases.values() for key, (_, file) in sorted(defaults.items())}
    lines = [HEAD, "", "from __future__ import annotations", ""]
    lines += ["Value = str | float | bool | None", "Changes = tuple[tuple[str, Value], ...]", ""]
    lines += ["SOURCES: dict[str, str] = {", *(f'    "{s}": "{files[s]}",' for s in sorted(files)), "}", ""]
    lines += ["DEFAULTS: dict[str, dict[str, Changes]] = {"]
    for section in dict.fromkeys(section for section, _ in keys):
        lines += [f'    "{section}": {{']
        lines += [_row(key, releases) for key in keys if key[0] == section]
        lines += ["    },"]
    return "\n".join([*lines, "}", ""])


def _row(key: tuple[str, str], releases: Mapping[str, Defaults]) -> str:
    changes: list[tuple[str, Value]] = []
    for release, defaults in releases.items():
        if key in defaults and (not changes or repr(changes[-1][1]) != repr(defaults[key][0])):
            changes.append((release, defaults[key][0]))
    told = ", ".join(f"({_text(release)}, {_text(value)})" for release, value in changes)
    return f'        "{key[1]}": ({told}{"," if len(changes) == 1 else ""}),'


def _text(value: Value) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)
