"""How code can name something of a library: through an import that is there, else through a new one.

A new import is added once, never inside `if TYPE_CHECKING` or `try`, and under a name that the file uses for
nothing else. Its place: beside imports of the same package, else of its kind, sorted where they are; behind
the docstring and `from __future__`. Where the file imports the package inside functions or under `try` alone,
and for packages that may be missing, it stands right before the statement that needs it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.syntax import walk
from mmcodemod.model.fix import Edit
from mmcodemod.model.frozen import frozen
from mmcodemod.scan.bindings import Meaning, bound, imported, loads, means_other, scope_binds
from mmcodemod.scan.import_place import before_statement, line_end, top_level
from mmcodemod.scan.nesting import FUNCTIONS, Level, levels


@frozen()
class Wanted:
    """Something of a library. `dotted`: its full name ("deepspeed.zero.GatheredParameters"); a new import
    is `from module import name`, or `import module` without a name. `homes`: other modules that hold it,
    with those below them. `optional`: runs go on without the package, so that the file
    must not need it at once."""

    dotted: str
    module: str
    name: str = ""
    homes: tuple[str, ...] = ()
    optional: bool = False

    @property
    def package(self) -> str:
        return self.module.partition(".")[0]

    @property
    def imports(self) -> str:
        """The full name of what a new import names."""
        return f"{self.module}.{self.name}" if self.name else self.module


@frozen()
class Named:
    """How the code at the place says it; `edits` add the import that this needs, if any."""

    text: str
    edits: tuple[Edit, ...] = ()


def named(path: str, text: str, tree: ast.Module, node: ast.AST, wanted: Wanted) -> Named | None:
    """What the code at `node`, an expression or statement of `tree`, can call it; None when it cannot be said
    without a clash of names, or where no import can stand."""
    chain = levels(tree, node)
    if not chain:
        return None
    known = _known(tree, chain, wanted)
    if known:
        return Named(known)
    for name in _free_names(tree, chain, wanted):
        statement = _statement(wanted, name)
        if _is_local(tree, chain, wanted):
            edit = before_statement(path, text, _outside_class(chain), statement)
        else:
            edit = top_level(path, text, tree, chain[0], statement)
        rest = wanted.dotted[len(_bound_to(wanted, name)) :]
        return Named(name + rest, (edit,)) if edit else None
    return None


# -- what is there ----------------------------------------------------------------------------------------


def _known(tree: ast.Module, chain: list[Level], wanted: Wanted) -> str:
    """The text through an import that has run when the place is reached, "" when there is none."""
    for depth, name, meaning in _visible(chain):
        text = _through(name, meaning, wanted)
        if not text or any(scope_binds(f, name) for f in _functions(chain[depth + 1 :])):
            continue
        if not means_other(tree, name, meaning):
            return text
    return ""


def _visible(chain: list[Level]) -> Iterator[tuple[int, str, Meaning]]:
    """(depth, name, meaning) of the imports that stand before the place in the blocks around it."""
    for depth, level in enumerate(chain):
        if level.of_class and _functions(chain[depth + 1 :]):
            continue  # the names of a class are not those of its methods
        for statement in level.before:
            for name, meaning in imported(statement):
                yield depth, name, meaning


def _functions(chain: list[Level]) -> list[ast.AST]:
    return [level.owner for level in chain if isinstance(level.owner, FUNCTIONS)]


def _outside_class(chain: list[Level]) -> list[Level]:
    """The blocks in which an import makes no attribute of a class."""
    cut = [d for d, level in enumerate(chain) if level.of_class and not _functions(chain[d:])]
    return chain[: cut[0]] if cut else chain


def _through(name: str, meaning: Meaning, wanted: Wanted) -> str:
    for target in _targets(wanted, meaning):
        if target == meaning or target.startswith(meaning + "."):
            return name + target[len(meaning) :]
    return ""


def _targets(wanted: Wanted, meaning: Meaning) -> list[str]:
    """The full names of what is wanted; below a home, the one that the import itself says."""
    last = wanted.dotted.rpartition(".")[2]
    homes = [f"{home}.{last}" for home in wanted.homes]
    below = [
        meaning for home in wanted.homes if meaning.startswith(home + ".") and meaning.endswith("." + last)
    ]
    return [wanted.dotted, *homes, *below]


# -- what is added ----------------------------------------------------------------------------------------


def _statement(wanted: Wanted, name: str) -> str:
    said = wanted.name or wanted.module.partition(".")[0]
    alias = "" if name == said else f" as {name}"
    return (
        f"from {wanted.module} import {wanted.name}{alias}"
        if wanted.name
        else f"import {wanted.module}{alias}"
    )


def _bound_to(wanted: Wanted, name: str) -> str:
    """The full name of what the name stands for: `import a.b` binds `a`."""
    plain = not wanted.name and name == wanted.package
    return wanted.package if plain else wanted.imports


def _free_names(tree: ast.Module, chain: list[Level], wanted: Wanted) -> Iterator[str]:
    """Names for a new import, the plainest first, that mean nothing else in the file."""
    first = wanted.name or wanted.package
    aliases = (f"{wanted.module.rpartition('.')[2]}_{first}", f"_{first}") if wanted.name else (f"_{first}",)
    for name in (first, *aliases):
        if not means_other(tree, name, _bound_to(wanted, name)) and not _loaded_unbound(tree, name):
            if not _is_local(tree, chain, wanted) or not _read_before(chain, name):
                yield name


def _loaded_unbound(tree: ast.Module, name: str) -> bool:
    """Does the file read a name that nothing in it binds: a builtin, or one of a star import?"""
    return name not in bound(tree) and name in loads(tree)


def _read_before(chain: list[Level], name: str) -> bool:
    """Would an import in this function hide the name, which the function reads, from what comes before?"""
    functions = _functions(chain)
    return bool(functions) and name in loads(functions[-1]) and not scope_binds(functions[-1], name)


def _is_local(tree: ast.Module, chain: list[Level], wanted: Wanted) -> bool:
    """Right at the place: the file does not import the package at its top, and imports it elsewhere, or the
    package may be missing."""
    if any(_imports(s, wanted) and line_end(s) < chain[0].start for s in tree.body):
        return False
    return wanted.optional or any(_imports(node, wanted) for node in walk(tree))


def _imports(node: ast.AST, wanted: Wanted) -> bool:
    return any(meaning.partition(".")[0] == wanted.package for _, meaning in imported(node))
