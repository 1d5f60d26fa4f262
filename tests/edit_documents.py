"""Documents for the tests of edits, written in all styles: a seed gives values and a text that says them."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field

import yaml

WORDS = ("auto", "on", "1e-4", "a b", "it's", 'say "so"', "", "#x", "é😀", "x: y", "3", "null", "-1", "c:\\d")
SCALARS = (True, False, None, 0, 7, -3, 0.1, 1e-05, 2e16, 10**20, *WORDS)
KEYS = ("lr", "stage", "zero_optimization", "a b", "on", "é", "1", 'q"q', "x.y", "#n")
COMMENTS = ("why", "a: 1, {", 'he said "no', "é😀 it's")


@dataclass
class Document:
    """`text` says `value`; `frozen`: paths of keys that an edit must refuse."""

    value: dict
    text: str
    frozen: set[tuple[str, ...]] = field(default_factory=set)


def tree(rng: random.Random, depth: int = 3) -> dict:
    """Objects in objects, with scalars and lists of scalars."""
    keys = rng.sample(KEYS, rng.randint(0 if depth < 3 else 1, 4))
    return {key: _value(rng, depth) for key in keys}


def _value(rng: random.Random, depth: int) -> object:
    kind = rng.random()
    if depth and kind < 0.35:
        return tree(rng, depth - 1)
    return [rng.choice(SCALARS) for _ in range(rng.randint(0, 3))] if kind < 0.45 else rng.choice(SCALARS)


def paths(value: object, above: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Every path of keys that leads somewhere."""
    found = []
    for key, inner in value.items() if isinstance(value, dict) else ():
        found += [(*above, key), *paths(inner, (*above, key))]
    return found


def a_path(rng: random.Random, value: dict) -> tuple[str, ...]:
    """One that leads somewhere, or one key more."""
    some = rng.choice([*paths(value), ()])
    more = tuple(rng.choice(("new", *KEYS)) for _ in range(rng.randint(0 if some else 1, 2)))
    return some if some and rng.random() < 0.5 else (*some, *more)


def at(value: object, path: tuple[str, ...]) -> object:
    for key in path:
        value = value[key] if isinstance(value, dict) and key in value else None
    return value


def may_set(value: object, path: tuple[str, ...]) -> bool:
    """Are all holders objects or missing, and is the place a scalar or missing?"""
    for key in path:
        if not isinstance(value, dict):
            return False
        if key not in value:
            return True
        value = value[key]
    return not isinstance(value, dict | list)


def json_document(seed: int, strict: bool) -> Document:
    rng = random.Random(seed)
    value = tree(rng)
    writer = _Json(rng, strict, rng.choice(("\n", "\r\n")), rng.choice(("  ", "    ", "\t")))
    return Document(value, writer.comment("", True) + writer.value(value, "") + rng.choice(("", writer.line)))


@dataclass
class _Json:
    rng: random.Random
    strict: bool
    line: str
    unit: str

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def comment(self, indent: str, own_line: bool) -> str:
        if self.strict or self.chance(0.7):
            return ""
        text = self.rng.choice(("// {}", "# {}", "/* {} */")).format(self.rng.choice(COMMENTS))
        return f"{indent}{text}{self.line}" if own_line else f" {text}"

    def value(self, value: object, indent: str) -> str:
        if isinstance(value, dict):
            return self.object(value, indent)
        if isinstance(value, list):
            return "[" + ", ".join(self.value(item, indent) for item in value) + "]"
        return json.dumps(value, ensure_ascii=self.chance(0.5))

    def key(self, key: str) -> str:
        bare = not self.strict and key.isidentifier() and self.chance(0.5)
        return key if bare else json.dumps(key, ensure_ascii=self.chance(0.5))

    def object(self, value: dict, indent: str) -> str:
        colon, inner = self.rng.choice((": ", ":", " : ")), indent + self.unit
        members = [f"{self.key(key)}{colon}{self.value(item, inner)}" for key, item in value.items()]
        if self.chance(0.3):
            return "{" + self.rng.choice((", ", ",")).join(members) + "}"
        lines = "".join(self._member(m, i + 1 == len(members), inner) for i, m in enumerate(members))
        return "{" + self.comment("", False) + self.line + lines + self.comment(inner, True) + indent + "}"

    def _member(self, member: str, last: bool, indent: str) -> str:
        comma = "," if not last or (not self.strict and self.chance(0.3)) else ""
        own = self.comment(indent, True)
        return f"{own}{indent}{member}{comma}{self.comment('', False)}{self.line}"


def yaml_document(seed: int) -> Document:
    rng = random.Random(seed)
    line = rng.choice(("\n", "\r\n"))
    writer = _Yaml(rng, line)
    text = rng.choice(("", f"--- # start{line}", f"%YAML 1.1{line}---{line}")) + writer.block(
        tree(rng), "", ()
    )
    text = text if "|" in text or rng.random() < 0.8 else text.rstrip("\r\n")
    document = Document({}, text, writer.frozen | {p for p, name in writer.anchored if name in writer.used})
    document.value = yaml.safe_load(text)
    if rng.random() < 0.2 and text.endswith(line):
        document.text += f"---{line}lr: 9{line}"
    return document


@dataclass
class _Yaml:
    rng: random.Random
    line: str
    frozen: set[tuple[str, ...]] = field(default_factory=set)
    anchored: list[tuple[tuple[str, ...], str]] = field(default_factory=list)
    used: set[str] = field(default_factory=set)

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def comment(self) -> str:
        return f"  # {self.rng.choice(COMMENTS)}" if self.chance(0.3) else ""

    def block(self, value: dict, indent: str, above: tuple[str, ...]) -> str:
        if not value:
            return f"{indent}{{}}{self.line}"
        return "".join(self._pair(key, item, indent, (*above, key)) for key, item in value.items())

    def _pair(self, key: str, value: object, indent: str, path: tuple[str, ...]) -> str:
        own = f"{indent}# {self.rng.choice(COMMENTS)}{self.line}" if self.chance(0.2) else ""
        start = f"{own}{indent}{self.key(key)}:{self.rng.choice((' ', '  '))}"
        if self.anchored and self.chance(0.15):
            return start + self._alias(path) + self.comment() + self.line
        if isinstance(value, dict) and value and self.chance(0.7):
            nested = self.block(value, indent + self.rng.choice(("  ", "    ")), path)
            return start + self._anchor(path) + self.comment() + self.line + nested
        if isinstance(value, str) and value.strip() and self.chance(0.15):
            self.frozen.add(path)
            return f"{start}|{self.line}{indent}  {value.strip()}{self.line}{indent}  more{self.line}"
        if value is None and self.chance(0.5):
            return start + self.comment() + self.line
        return start + self._anchor(path) + self.flow(value) + self.comment() + self.line

    def _anchor(self, path: tuple[str, ...]) -> str:
        if not self.chance(0.2):
            return ""
        self.anchored.append((path, f"a{len(self.anchored)}"))
        return f"&{self.anchored[-1][1]} "

    def _alias(self, path: tuple[str, ...]) -> str:
        around = {name for anchored, name in self.anchored if path[: len(anchored)] == anchored}
        free = [name for _, name in self.anchored if name not in around]
        if not free:
            return "5"
        self.frozen.add(path)
        name = self.rng.choice(free)
        self.used.add(name)
        return f"*{name}"

    def flow(self, value: object) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{self.key(k)}: {self.flow(v)}" for k, v in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(self.flow(item) for item in value) + "]"
        return self.scalar(value)

    def key(self, key: str) -> str:
        return key if yaml.safe_load(key) == key and self.chance(0.5) else json.dumps(key, ensure_ascii=False)

    def scalar(self, value: object) -> str:
        if isinstance(value, str) and self.chance(0.3):
            return "'" + value.replace("'", "''") + "'"
        if isinstance(value, str) and (self.chance(0.3) or not value.isidentifier() or value == "null"):
            return json.dumps(value, ensure_ascii=False)
        return value if isinstance(value, str) else yaml.safe_dump(value).splitlines()[0]
