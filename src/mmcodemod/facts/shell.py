"""The commands of a shell script, with variables expanded as far as the text alone tells. Nothing is run:
`$(...)`, `$1`, `"$@"` and variables from outside are unknown words. Both branches of an `if` are read; a
variable that only some branch sets is unknown afterwards. Functions are read where they are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mmcodemod.facts import sbatch
from mmcodemod.facts.shellmachine import MAX_SIZE, Command, Load, Machine
from mmcodemod.facts.shellvalues import Value, Word, arguments
from mmcodemod.facts.shellwords import tokens
from mmcodemod.model.frozen import frozen

__all__ = ["Command", "Load", "Script", "Word", "parse"]


@frozen(slots=True)
class Script:
    """`complete` is false when the text was too large to read to its end."""

    commands: tuple[Command, ...]
    complete: bool = True


def parse(
    text: str,
    variables: dict[str, str] | None = None,
    load: Load | None = None,
    given: Sequence[Word] | None = None,
    placeholders: bool = False,
    inherited: Mapping[str, Word] | None = None,
) -> Script:
    """Read a script. `variables` are set from the start (Makefile variables); `load` finds the files that it
    sources, and only with it the texts of `bash -c` and `eval` and the `#SBATCH` lines are read; `given`:
    `$1` and so on; `placeholders`: `<your path>` is an unknown word; `inherited`: what the caller
    exports, which counts as exported here but stands in no command's `env`."""
    asked = sbatch.directives(text) if load else {}
    machine = Machine(load, batch=tuple(asked.values()), ends=not placeholders)
    for name, value in (variables or {}).items():
        machine.expander.assign(name, Value.of(value, (0, 0)))
    for name, known in sbatch.variables(asked).items():
        machine.expander.assign(name, known)
    handed = dict(inherited or {})
    for name, word in handed.items():
        machine.expander.assign(name, Value((word.pieces,)))
        machine.scope.export(name, word)
    machine.expander.arguments = None if given is None else arguments(given)
    complete = machine.read(tokens(text[:MAX_SIZE], placeholders))
    commands = sorted((_own(c, handed) for c in machine.commands), key=lambda command: command.at)
    return Script(tuple(commands), complete and len(text) <= MAX_SIZE)


def _own(command: Command, handed: Mapping[str, Word]) -> Command:
    """The command without what it merely hands on."""
    env = {name: word for name, word in command.env.items() if word is not handed.get(name)}
    return command if len(env) == len(command.env) else replace(command, env=env)
