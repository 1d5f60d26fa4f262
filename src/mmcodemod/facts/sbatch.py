"""`#SBATCH` lines: what a batch script asks Slurm for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from mmcodemod.facts.lines import Position
from mmcodemod.facts.shellvalues import Value, Word
from mmcodemod.model.pattern import regex

_LINE = regex(r"#SBATCH[ \t]+(--?[A-Za-z][\w-]*)(?:[ \t]*=[ \t]*|[ \t]+)([^\s#]+)")
_SHORT = {"-N": "--nodes", "-n": "--ntasks", "-G": "--gpus"}
_READ = {"--nodes", "--ntasks", "--ntasks-per-node", "--gres", "--gpus-per-node"}
_SWITCHES = (
    "--parsable",
    "--exclusive",
    "--requeue",
    "--no-requeue",
    "--wait",
    "--quiet",
    "--hold",
    "-W",
    "-Q",
)
_GPUS = regex(r"(?:gpu:)?(?:[\w.-]+:)?(\d{1,4})")


def directives(text: str) -> dict[str, Word]:
    """The options that say how many tasks run, by their long name, each as a word `--name=value`. Slurm stops
    at the first command."""
    return dict(_read(text))


def _read(text: str) -> Iterator[tuple[str, Word]]:
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text[:20_000]), 1):
        if line.strip() and not line.startswith("#"):
            return
        found = _LINE.match(line)
        name = _SHORT.get(found[1], found[1]) if found else ""
        if found and name in _READ:
            value = found[2].strip("\"'")
            yield name, Word(f"{name}={value}", (number, 1), (number, found.end() + 1))


def given(words: Sequence[Word]) -> dict[str, Word]:
    """The same of the options of an `sbatch` command, which win over the lines of the script."""
    found = {}
    for word, after in zip(words, [*words[1:], None]):
        name, sign, value = word.text.partition("=")
        name = _SHORT.get(name, name)
        if name in _READ and (sign or after):
            text = f"{name}={value or (after.text if after else '')}"
            found[name] = replace(word, text=text)
    return found


def is_open(words: Sequence[Word]) -> bool:
    """Does an `sbatch` command read its script from where it is sent to, for it names none?"""
    named = [w for w, before in zip(words[1:], words) if not w.text.startswith("-") and not _takes(before)]
    return not named


def _takes(option: Word) -> bool:
    """Is the next word the value of this option? A long one may have it behind `=`."""
    return option.text.startswith("-") and "=" not in option.text and option.text not in _SWITCHES


def variables(found: dict[str, Word]) -> dict[str, Value]:
    """What Slurm sets in such a script, each with the line that says so."""
    counts = {name: (_count(word.text.partition("=")[2]), word.at) for name, word in found.items()}
    nodes, per_node = counts.get("--nodes"), counts.get("--ntasks-per-node")
    tasks = counts.get("--ntasks")
    if tasks is None and nodes and per_node and nodes[0] and per_node[0]:
        tasks = nodes[0] * per_node[0], per_node[1]
    gpus = counts.get("--gpus-per-node") or counts.get("--gres")
    known = {
        "SLURM_NNODES": nodes,
        "SLURM_JOB_NUM_NODES": nodes,
        "SLURM_NTASKS": tasks,
        "SLURM_NPROCS": tasks,
        "SLURM_NTASKS_PER_NODE": per_node,
        "SLURM_GPUS_ON_NODE": gpus,
    }
    return {name: _value(*count) for name, count in known.items() if count and count[0]}


def _count(text: str) -> int:
    """`4`, `gpu:4` or `gpu:a100:4`; 0 for what is no number, such as `1-2` nodes."""
    found = _GPUS.fullmatch(text)
    return int(found[1]) if found else 0


def _value(count: int, at: Position) -> Value:
    return Value.of(str(count), at)
