"""Properties of edits of shell flags and Python configurations: bash and Python themselves say what the
edited text means. Only generated scripts are run, with a function in the place of the launcher."""

from __future__ import annotations

import ast
import copy
import random
import re
import shutil
import subprocess

import pytest
from edit_documents import SCALARS, a_path, may_set
from edit_scripts import VALUES, config, launch
from hypothesis import given, settings
from hypothesis import strategies as st
from test_edits import NEW, SEEDS, equal, quick, written

from mmcodemod.facts import edit_python, edit_shell
from mmcodemod.facts.shell import parse
from mmcodemod.model.fix import apply_edits

BASH = shutil.which("bash")
LAUNCHERS = r"""run() { printf '%s\0' run "$#" "$@"; }
other() { printf '%s\0' other "$#" "$@"; }
"""
CHARACTERS = st.characters(codec="utf-8", exclude_categories=["Cc"], include_characters="\t\n")
ANY = st.one_of(st.sampled_from(VALUES), st.text(CHARACTERS, max_size=9))
with_bash = pytest.mark.skipif(not BASH, reason="no bash")


def said(script: str) -> dict[str, list[str]]:
    """What each launcher is called with, says bash."""
    done = subprocess.run([str(BASH), "-c", LAUNCHERS + script], capture_output=True, check=True)
    assert not done.stderr
    words, calls = iter(done.stdout.decode().split("\0")[:-1]), {}
    for name in words:
        calls[name] = [next(words) for _ in range(int(next(words)))]
    return calls


def start(script: str) -> tuple[int, int]:
    return next(c.at for c in parse(script).commands if c.words[0].text == "run")


def found(words: list[str], flag: str) -> slice:
    """The words of a flag that is there once."""
    at = next((i for i, word in enumerate(words) if word.partition("=")[0] == flag), len(words))
    inline = at < len(words) and "=" in words[at]
    has_value = not inline and at + 1 < len(words) and not words[at + 1].startswith("--")
    return slice(at, at + 1 + has_value)


def is_flag(value, flag, script) -> bool:
    """Would the value be read as a flag of its own?"""
    inline = f"{flag.name}=" in script.text
    return value is not None and not inline and re.match(r"--?[A-Za-z][\w.-]*(=|\Z)", value) is not None


def crlf(text: str) -> str:
    return text.replace("\n", "\r\n")


@with_bash
@settings(quick, max_examples=150)
@given(SEEDS, st.one_of(st.none(), ANY))
def test_flag_set(seed, new):
    script = launch(seed)
    flag = random.Random(seed).choice(script.flags)
    edits = edit_shell.set_flag(script.text, "f", start(script.text), flag.name, new)
    bare = new is not None and re.fullmatch(r"[\w@%+=:,./-]+", new, re.ASCII) is not None
    assert (edits is None) == (flag.refuses(new, bare) or is_flag(new, flag, script)), (
        "refused without or in spite of a reason"
    )
    if edits is None:
        return
    after = written(script.text.encode(), edits).decode()
    before, now = said(script.text), said(after)
    where = found(before["run"], flag.name)
    if new is not None:
        joined = "=" in before["run"][where.start]
        before["run"][where] = [f"{flag.name}={new}"] if joined else [flag.name, new]
    assert now == before
    assert edit_shell.set_flag(after, "f", start(after), flag.name, new) == ()
    if not new or "\n" not in new:
        twin = edit_shell.set_flag(crlf(script.text), "f", start(script.text), flag.name, new)
        assert apply_edits(crlf(script.text), twin or ()) == crlf(after)


@with_bash
@settings(quick, max_examples=100)
@given(SEEDS, st.one_of(st.none(), ANY))
def test_flag_added(seed, new):
    text = launch(seed).text
    edits = edit_shell.set_flag(text, "f", start(text), "--new-flag", new)
    if new is not None and re.match(r"--?[A-Za-z][\w.-]*(=|\Z)", new):
        assert edits is None
        return
    assert edits
    after = written(text.encode(), edits).decode()
    before, now = said(text), said(after)
    assert now == {**before, "run": before["run"] + ["--new-flag"] + ([] if new is None else [new])}
    assert edit_shell.set_flag(after, "f", start(after), "--new_flag", new) == ()


@with_bash
@settings(quick, max_examples=150)
@given(SEEDS)
def test_flag_removed(seed):
    script = launch(seed)
    flag = random.Random(seed).choice(script.flags)
    edits = edit_shell.remove_flag(script.text, "f", start(script.text), flag.name)
    shared = flag.shared and flag.place in ("array", "text")
    alone = sum(other.place == flag.place for other in script.flags) == 1  # its variable may go as a whole
    assert (edits is None) == shared or (alone and edits)
    if edits is None:
        return
    after = written(script.text.encode(), edits).decode()
    before = said(script.text)
    del before["run"][found(before["run"], flag.name)]
    assert said(after) == before
    assert edit_shell.remove_flag(after, "f", start(after), flag.name) == ()


def module(text: str) -> dict:
    """What a generated module says."""
    names = {node.targets[0].id: node.value for node in ast.parse(text).body if isinstance(node, ast.Assign)}
    return {name: _said(node) for name, node in names.items()}


def _said(node: ast.expr) -> object:
    if isinstance(node, ast.Call):
        return {k.arg: _said(k.value) for k in node.keywords}
    if isinstance(node, ast.Dict):
        return {ast.literal_eval(k): _said(v) for k, v in zip(node.keys, node.values) if k}
    return ast.literal_eval(node)


@quick
@given(SEEDS, st.booleans(), NEW)
def test_python_set(seed, bom, new):
    made = config(seed)
    path = a_path(random.Random(seed), made.value)
    edits = edit_python.set_value(made.text, "f.py", path, new)
    if edits is None:
        assert not may_set(made.value, path) or path[0] not in made.value or _is_new_below(made.value, path)
        return
    after = written(b"\xef\xbb\xbf" * bom + made.text.encode(), edits).decode("utf-8-sig")
    wanted = holder = copy.deepcopy(made.value)
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = new
    assert equal(module(after), wanted)
    assert edit_python.set_value(after, "f.py", path, new) == ()


def _is_new_below(value: dict, path: tuple[str, ...]) -> bool:
    """A holder that is missing, or a key that no keyword can be."""
    for key in path[:-1]:
        if key not in value:
            return True
        value = value[key]
    return path[-1] not in value and not path[-1].isidentifier()


@quick
@given(SEEDS, st.sampled_from(SCALARS))
def test_keywords_of_calls_anywhere(seed, new):
    made = config(seed)
    text = made.text + "    return [run(é='ü', a=1), run(\n        2,  # two\n    )(b=3)]\n".replace(
        "\n", made.text[-1:]
    )
    calls = [
        n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Call) and ast.unparse(n).startswith("run")
    ]
    for call in calls:
        edits = edit_python.set_keyword(text, "f.py", call, "a", new)
        after = written(text.encode(), edits or ()).decode()
        wanted = ast.unparse(call).replace("a=1", "").rstrip(")").rstrip(", ")
        assert wanted in ast.unparse(ast.parse(after))
        assert f"a={new!r}" in ast.unparse(ast.parse(after))
