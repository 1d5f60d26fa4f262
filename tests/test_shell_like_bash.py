"""The shell reader against bash itself: what it claims to know of generated scripts, bash must do."""

import os
import random
import shutil
import subprocess

import pytest

from mmcodemod.facts.shell import parse

SHOW = """show() { for w in "$@"; do printf '%s\\0' "$w"; done; printf '\\1\\0'; }
"""
NAMES = ("A", "B", "C", "D")
LISTS = ("L", "M")


class Writer:
    """Writes a script from a seed, with files for it to source."""

    def __init__(self, seed: int) -> None:
        self.random, self.files = random.Random(seed), {}
        self.defined: list[str] = []
        self.silent = False

    def script(self) -> str:
        lines = [f"{name}={self.word()}" for name in NAMES[:2]] + ["L=(--x 1)", "M=()"]
        return "\n".join(lines + self.block(6, 0) + ["show end $A $B"]) + "\n"

    def block(self, count: int, depth: int) -> list[str]:
        return [line for _ in range(count) for line in self.statement(depth)]

    def statement(self, depth: int) -> list[str]:
        kinds = ["assign", "assign", "append", "array", "export"]
        kinds += ["branch", "either", "subshell", "source", "set", "shift", "count"] if depth < 3 else []
        if not self.silent:
            kinds += ["show", "show", "show", "call", "eval", "child"]
            kinds += ["case", "function"] if depth < 3 else []
        return getattr(self, self.random.choice(kinds))(depth)

    def word(self) -> str:
        name = self.random.choice(NAMES)
        number = self.random.randint(1, 9)
        return self.random.choice(
            [f"w{number}", f'"a  {number}"', f"'$A {number}'", f"${name}", f'"${name} {number}"',
             f"x${{{name}}}y",
             f"${{{name}:-d{number}}}", f'"${{{name}-e {number}}}"', "''", f"z\\ {number}"]
        )  # fmt: skip

    def argument(self) -> str:
        every = ['"${L[@]}"', "${L[@]}", '"${M[*]}"', '"$@"', "$1", '"${2:-two}"', '"$#"', "--flag"]
        return self.random.choice([*(self.word() for _ in range(6)), *every])

    def assign(self, depth: int) -> list[str]:
        return [f"{self.random.choice(NAMES)}={self.word()}"]

    def append(self, depth: int) -> list[str]:
        return [f"{self.random.choice(NAMES)}+={self.word()}"]

    def array(self, depth: int) -> list[str]:
        sign = self.random.choice(["=", "+="])
        return [f"{self.random.choice(LISTS)}{sign}({self.argument()}", f"  {self.argument()})"]

    def show(self, depth: int) -> list[str]:
        return [f"show {' '.join(self.argument() for _ in range(3))}"]

    def export(self, depth: int) -> list[str]:
        return [f"export {self.random.choice(NAMES)}={self.word()}"]

    def branch(self, depth: int) -> list[str]:
        tests = ["true", "false", '[ -n "$UNSET" ]', '[ "$A" = w1 ]', "[ $B != w2 ]", '[[ $A == "$B" ]]']
        tests += ['[ -z "$B" ]', '! [ "$A" = "$B" ]', '[ "$A" = w1 ] && [ "$B" = w2 ]', "[ $# -gt 1 ]"]
        test, other = self.random.choice(tests), self.random.choice(tests)
        if self.random.random() < 0.3:
            return [f'[ -z "$A" ] && {self.assign(depth)[0]}']
        return [
            f"if {test}; then",
            *self.assign(depth),
            *self.block(2, depth + 1),
            *([f"elif {other}; then", *self.assign(depth)] if self.random.random() < 0.5 else []),
            "else",
            *self.block(1, depth + 1),
            "fi",
        ]

    def either(self, depth: int) -> list[str]:
        """Both branches set the same, where the reader does not know which one runs."""
        name, test = self.random.choice(NAMES), self.random.choice(['-n "$UNSET"', '-z "$UNSET"'])
        first, other = f'{name}="a  b {self.word()}"', f'{name}="a {self.word()} $A"'
        if self.random.random() < 0.5:
            first, other = 'L=("${L[@]}" --y)', f'L=({self.word()} "${{L[@]}}" --y)'
        return [f"if [ {test} ]; then", first, "else", other, "fi"]

    def case(self, depth: int) -> list[str]:
        inside = self.block(1, depth + 1)
        return [
            'case "$A" in',
            "  w1|w2)",
            *inside,
            "  ;;",
            "  --x) show in case ;;",
            "  *)",
            *self.block(1, depth + 1),
            "esac",
        ]

    def subshell(self, depth: int) -> list[str]:
        return ["(", *self.block(2, depth + 1), ")"]

    def source(self, depth: int) -> list[str]:
        name = f"f{len(self.files)}.sh"
        self.files[name] = ""
        before, self.silent = self.silent, True  # commands of sourced files are left out
        self.files[name] = "\n".join(self.block(2, depth + 1))
        self.silent = before
        tested = f"[ -f {name} ] && " if self.random.random() < 0.3 else ""
        return [f"{tested}{self.random.choice(['source', '.'])} ./{name}"]

    def function(self, depth: int) -> list[str]:
        name = f"g{len(self.defined)}"
        inside = self.block(2, depth + 2)
        self.defined.append(name)
        return [f"{name}() {{", f"  local C={self.word()}", *inside, "}", *self.call(depth)]

    def call(self, depth: int) -> list[str]:
        return [f"{self.random.choice(self.defined)} {self.argument()}"] if self.defined else []

    def eval(self, depth: int) -> list[str]:
        return ["eval 'show in $A " + self.random.choice(["--x", '"$B"']) + "'"]

    def child(self, depth: int) -> list[str]:
        return ["bash -c 'show child \"$A\" --y $1' name " + self.argument()]

    def set(self, depth: int) -> list[str]:
        return [f"set -- {self.argument()} {self.word()}"]

    def shift(self, depth: int) -> list[str]:
        return ["shift"]

    def count(self, depth: int) -> list[str]:
        return ["((N = 2))"]


def shown_by_bash(text: str, folder) -> list[list[str]]:
    full = SHOW + "export -f show\nset +e\n" + text
    env = {"PATH": os.environ["PATH"]}
    done = subprocess.run(
        ["bash", "-c", full, "script", "one", "t w o"],
        cwd=folder, env=env, capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    words = done.stdout.decode().split("\0")[:-1]
    calls, current = [], []
    for word in words:
        if word == "\1":
            calls.append(current)
            current = []
        else:
            current.append(word)
    return calls


def claims(words) -> tuple[list[str], list[str] | None]:
    """The words up to the first unknown one, which may be several or none, and those behind the last; None
    when all are known."""
    unknown = [i for i, word in enumerate(words) if word.unknown]
    texts = [word.text for word in words]
    return (texts[1 : unknown[0]], texts[unknown[-1] + 1 :]) if unknown else (texts[1:], None)


def agrees(claimed: tuple[list[str], list[str] | None], shown: list[str]) -> bool:
    begin, end = claimed
    if end is None:
        return shown == begin
    fits = len(begin) + len(end) <= len(shown)
    return fits and shown[: len(begin)] == begin and shown[len(shown) - len(end) :] == end


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize("start", range(0, 400, 50))
def test_what_is_known_is_what_bash_does(tmp_path, start):
    """Every command that bash runs must be one that the reader lists, with the words that it knows."""
    known = 0
    for seed in range(start, start + 50):
        writer = Writer(seed)
        text = writer.script()
        for name, content in writer.files.items():
            (tmp_path / name).write_text(content + "\n")

        def load(name, cwd, files=writer.files):
            key = name.removeprefix("./")
            return (key, files[key] + "\n") if key in files else None

        first = parse("show one 't w o'").commands[0].words[1:]
        commands = [c for c in parse(text, load=load, given=first).commands if c.words[0].text == "show"]
        claimed = [claims(c.words) for c in commands]
        for shown in shown_by_bash(text, tmp_path):
            assert any(agrees(c, shown) for c in claimed), (
                f"seed {seed}: {shown} is in none of {claimed}\n{text}"
            )
        known += sum(end is None for _, end in claimed)
    assert known > 50
