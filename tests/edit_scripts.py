"""Launch scripts and Python configurations for the tests of edits: a seed gives what they say and how."""

from __future__ import annotations

import random
import shlex
from dataclasses import dataclass, field

from edit_documents import SCALARS, tree

VALUES = ("1", "1e-4", "True", "a/b.json", "-2", "two words", "it's", "$x", 'say "so"', "", "a;b", "é")
BARE = VALUES[:5]  # what needs no quotes


@dataclass
class Flag:
    """`--name value`. `place`: in the command, an array, a text, or by a variable of its own, "quoted" or
    not; `shared`: something else reads the variable as well."""

    name: str
    value: str | None
    place: str
    shared: bool = False

    def refuses(self, value: str | None, bare: bool) -> bool:
        """Must an edit that sets this value be refused? `bare`: the value needs no quotes."""
        alone = value is None and self.value is not None
        return self.value != value and (alone or self.shared or (self.place in ("text", "own") and not bare))


@dataclass
class Launch:
    text: str
    flags: list[Flag] = field(default_factory=list)


def launch(seed: int) -> Launch:
    rng = random.Random(seed)
    shared = {place: rng.random() < 0.25 for place in ("array", "text")}
    flags = [_flag(rng, i, shared) for i in range(rng.randint(1, 7))]
    return Launch(_Script(rng, flags, shared).text(), flags)


def _flag(rng: random.Random, number: int, shared: dict[str, bool]) -> Flag:
    place = rng.choice(("command", "array", "text", "own", "quoted"))
    value = rng.choice(BARE if place in ("text", "own") else VALUES)
    bare_flag = place not in ("own", "quoted") and rng.random() < 0.2
    read_twice = shared.get(place, place in ("own", "quoted") and rng.random() < 0.25)
    return Flag(
        f"--{rng.choice(('lr', 'bf16', 'out_dir'))}{number}", None if bare_flag else value, place, read_twice
    )


@dataclass
class _Script:
    rng: random.Random
    flags: list[Flag]
    shared: dict[str, bool]

    def text(self) -> str:
        own = [f for f in self.flags if f.place in ("own", "quoted")]
        variables = "".join(self._variable(flag) for flag in own)
        return f"#!/bin/bash\n{variables}{self._array()}{self._in_text()}{self._other()}\n{self._command()}"

    def _of(self, place: str) -> list[Flag]:
        return [flag for flag in self.flags if flag.place == place]

    def _word(self, value: str, kinds: str = "'\" ") -> str:
        kind = self.rng.choice(kinds)
        if kind == '"':
            return '"' + "".join(f"\\{c}" if c in '"$\\`' else c for c in value) + '"'
        return f"'{value}'" if kind == "'" and "'" not in value else shlex.quote(value)

    def _written(self, flag: Flag) -> str:
        if flag.value is None:
            return flag.name
        return flag.name + self.rng.choice(("=", " ", "  ")) + self._word(flag.value)

    def _variable(self, flag: Flag) -> str:
        name, more = self._name(flag), ""
        if flag.shared:
            more = self.rng.choice(
                (f"export {name}\n", f": ${name}\n", f"cat <<END >/dev/null\n${name}\nEND\n")
            )
        return f"{name}={self._word(flag.value or '')}  # of the run\n{more}"

    def _name(self, flag: Flag) -> str:
        return flag.name.strip("-").upper()

    def _array(self) -> str:
        flags, around = self._of("array"), self.rng.choice((" ", "\n  "))
        cut = self.rng.randint(0, len(flags))
        first, more = ([self._written(f) for f in part] for part in (flags[:cut], flags[cut:]))
        note = "  # why" if around != " " else ""
        text = f"args=({around.lstrip(' ')}" + (note + around).join(first) + around[:1].strip(" ") + ")\n"
        return text + (f"args+=({' '.join(more)})\n" if more else "") + "# $args\n"

    def _in_text(self) -> str:
        quote, around = self.rng.choice("'\""), self.rng.choice((" ", "\n  "))
        words = [
            f.name if f.value is None else f"{f.name}{self.rng.choice('= ')}{f.value}"
            for f in self._of("text")
        ]
        return f"TEXT={quote}{around.join(words)}{quote}\n"

    def _other(self) -> str:
        words = ["other", "--lr0", "5"]
        words += ['"${args[@]}"'] if self.shared["array"] else []
        words += ["$TEXT"] if self.shared["text"] else []
        return " ".join(words) + "\ncat <<'END' >/dev/null\nrun train.py --lr0 3\nEND"

    def _command(self) -> str:
        words = [self._written(flag) for flag in self._of("command")]
        words += [f"{f.name} ${self._name(f)}" for f in self._of("own")]
        words += [f'{f.name} "${self._name(f)}"' for f in self._of("quoted")]
        words += ['"${args[@]}"', "$TEXT"]
        self.rng.shuffle(words)
        end = self.rng.choice(("", ' "$@"', " 2>&1 | cat", ' \\\n    "$@" # end'))
        gap = self.rng.choice((" ", " \\\n    ", " \\\n\t"))
        return "run train.py" + gap + gap.join(words) + end + "\n"


@dataclass
class Config:
    """A module that sets `name`, `settings` (nested) and `count`; `value` is what it says."""

    value: dict
    text: str


def config(seed: int) -> Config:
    rng = random.Random(seed)
    value = {"é_name": rng.choice(SCALARS), "settings": tree(rng), "count": rng.choice(SCALARS)}
    lines = [f"{name} = {_python(rng, item, '')}{rng.choice(('', '  # é'))}" for name, item in value.items()]
    text = "".join(line + "\n" for line in ("import os", *lines, "def f():", "    count = 3"))
    return Config(value, text.replace("\n", "\r\n") if rng.random() < 0.3 else text)


def _python(rng: random.Random, value: object, indent: str) -> str:
    if isinstance(value, list):
        return repr(value)
    if not isinstance(value, dict):
        return (
            f"'''{value}'''"
            if isinstance(value, str) and value.isidentifier() and rng.random() < 0.2
            else repr(value)
        )
    inner = indent + "    "
    items = {key: _python(rng, item, inner) for key, item in value.items()}
    call = all(key.isidentifier() for key in items) and rng.random() < 0.7
    words = [f"{key}={item}" if call else f"{key!r}: {item}" for key, item in items.items()]
    opening, closing = ("dict(", ")") if call else ("{", "}")
    if rng.random() < 0.4:
        return opening + ", ".join(words) + closing
    lines = "".join(f"\n{inner}{word}{rng.choice((',', ',  # é, so'))}" for word in words)
    return f"{opening}{lines}\n{indent}{closing}"
