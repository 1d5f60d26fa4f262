"""What install commands of scripts, Dockerfiles and READMEs ask for: pip, uv and conda."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import replace

from mmcodemod.facts import shell
from mmcodemod.facts.conda import conda_package
from mmcodemod.facts.dockerfile import as_shell
from mmcodemod.facts.markdown import shell_blocks
from mmcodemod.facts.requirement import Requirement, parsed
from mmcodemod.facts.shell import Word
from mmcodemod.model.context import Source
from mmcodemod.model.pattern import regex

MAY_INSTALL = regex(r"\b(?:pip[\d.]*|conda|mamba|micromamba|uv)\b[^\n]{0,200}\binstall\b")
_PIP = regex(r"pip3?(?:\.\d{1,2})?")
_CONDA = ("conda", "mamba", "micromamba")
_BEFORE = regex(r"sudo|env|exec|time|command|uv|run|-[A-Za-z-]{1,30}|python[\d.]{0,5}|\w{1,40}=.*")
# fmt: off
_VALUED = frozenset((
    "--cache-dir", "--channel", "--config-setting", "--config-settings", "--constraint", "--default-index",
    "--editable", "--extra-index-url", "--find-links", "--global-option", "--index", "--index-strategy",
    "--index-url", "--name", "--no-binary", "--only-binary", "--platform", "--prefix", "--progress-bar",
    "--proxy", "--python", "--requirement", "--retries", "--root", "--src", "--target", "--timeout",
    "--torch-backend", "--trusted-host", "--upgrade-strategy", "-C", "-c", "-e", "-f", "-i", "-n", "-p",
    "-r", "-t",
))
# fmt: on
"""Options of pip, uv and conda whose value is the next word."""


def script(text: str) -> Iterator[Requirement]:
    """The install commands of a shell script. Nothing of it is run."""
    yield from _installed(text, Source.INSTALL)


def dockerfile(text: str) -> Iterator[Requirement]:
    """Those of `RUN`, with the values of `ENV` and the defaults of `ARG`."""
    yield from script(as_shell(text))


def readme(text: str) -> Iterator[Requirement]:
    """Those of the shell blocks of Markdown."""
    for block in shell_blocks(text):
        for found in _installed(block.text, Source.README):
            yield replace(found, line=found.line + block.line - 1)


def page(text: str) -> Iterator[Requirement]:
    """Those of any other Markdown: of one file, where a README speaks for the project."""
    yield from readme(text)


def _installed(text: str, source: Source) -> Iterator[Requirement]:
    """A version that a variable from outside holds is none."""
    commands = shell.parse(text).commands if MAY_INSTALL.search(text) else ()
    for command in commands:
        conda, arguments = asked(command.words)
        for word in _positional(arguments):
            for found in _package(word, conda):
                yield replace(found, spec="" if word.unknown else found.spec, source=source, conditional=True)


def asked(words: Sequence[Word]) -> tuple[bool, Sequence[Word]]:
    """Is it conda, and what follows `install`; nothing when the command is no installation."""
    texts = [word.text for word in words[:12]]
    for at, name in enumerate(map(posixpath.basename, texts)):
        if _PIP.fullmatch(name) and "install" in texts[at:]:
            return False, words[texts.index("install", at) + 1 :]
        if name in _CONDA and texts[at + 1 : at + 2] == ["install"]:
            return True, words[at + 2 :]
        if not (name in _CONDA or _BEFORE.fullmatch(name) or (at and texts[at - 1] in _VALUED)):
            break
    return False, ()


def _positional(words: Sequence[Word]) -> Iterator[Word]:
    """Arguments that are no options and no values of options."""
    skip = False
    for word in words:
        if skip or word.text.startswith("-"):
            skip = not skip and word.text in _VALUED
        else:
            yield word


def _package(word: Word, conda: bool) -> Iterator[Requirement]:
    line = word.at[0]
    if conda:
        yield from conda_package(word.text, line)
    elif "+" in word.text and "://" in word.text:
        yield from parsed(f"{_repository(word.text)} @ {word.text}", line)
    else:
        yield from parsed(word.text, line)


def _repository(url: str) -> str:
    """`git+https://host/owner/name.git@tag` is taken for a package of the repository's name, unless `#egg=`
    tells another."""
    address, _, fragment = url.partition("#")
    if fragment.startswith("egg="):
        return fragment[4:].partition("&")[0]
    _, _, path = address.partition("://")[2].partition("/")
    return posixpath.basename(path.partition("@")[0]).removesuffix(".git")
