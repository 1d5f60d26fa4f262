"""Where a new import stands in a file, as an edit."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence

from mmcodemod.model.fix import Edit
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.scan.nesting import FUNCTIONS, Level, first_line
from mmcodemod.source.lines import lines_of

_LINE_END = regex(r"\r\n|\n|\r")
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def line_end(statement: ast.stmt) -> int:
    """The last line of a statement (from 1)."""
    return statement.end_lineno or statement.lineno


def before_statement(path: str, text: str, chain: Sequence[Level], statement: str) -> Edit | None:
    """Right before the innermost statement around the place that begins its line, above its comments; before
    the loops around it, and not out of the function that holds it."""
    lines, end = lines_of(text), _end(text)
    for level in reversed(_before_loops(chain)):
        first = _first_of_line(level)
        start, floor = first_line(level.block[first]), line_end(level.block[first - 1]) if first else 0
        line = lines[start - 1]
        indent = line[: len(line) - len(line.lstrip(" \t\f"))]
        if len(indent) == level.block[first].col_offset and not line.startswith("elif", len(indent)):
            at = _above_comments(lines, start, indent, floor)
            return Edit(path, (at, 1), (at, 1), f"{indent}{statement}{end}{end}")
        if isinstance(level.owner, FUNCTIONS):
            return None
    return None


def _before_loops(chain: Sequence[Level]) -> Sequence[Level]:
    """The levels down to the outermost loop of the function that holds the place."""
    inner = max((d for d, level in enumerate(chain) if isinstance(level.owner, FUNCTIONS)), default=0)
    loops = [d for d, level in enumerate(chain) if d >= inner and isinstance(level.statement, _LOOPS)]
    return chain[: loops[0] + 1] if loops else chain


def _first_of_line(level: Level) -> int:
    """The first of the statements of the block that share lines with the one that holds the place."""
    at = level.at
    while at and line_end(level.block[at - 1]) == first_line(level.block[at]):
        at -= 1
    return at


def _above_comments(lines: Sequence[str], start: int, indent: str, floor: int) -> int:
    """The line of the first of the comments that lead to a statement: those at its own indentation."""
    at = here = start
    while here - 1 > floor:
        line = lines[here - 2]
        if line.strip() and not (line.startswith(f"{indent}#")):
            break
        here -= 1
        at = here if line.strip() else at
    return at


def _end(text: str) -> str:
    """The line end of a file: that of its first line."""
    found = _LINE_END.search(text)
    return found[0] if found else "\n"


# -- at the top -------------------------------------------------------------------------------------------


@frozen()
class _New:
    """A statement and what decides its place."""

    text: str

    @property
    def key(self) -> tuple[bool, str, str]:
        return _key(ast.parse(self.text).body[0])

    @property
    def package(self) -> str:
        return self.key[1].partition(".")[0]


def top_level(path: str, text: str, tree: ast.Module, user: Level, statement: str) -> Edit | None:
    """Among the imports at the top, before the statement of the module that needs it."""
    new, end = _New(statement), _end(text)
    head = _head(tree)
    ours = [s for s in tree.body[head : user.at] if _is_ours(s)]
    rows = [s for s in ours if _stands_alone(tree, s)]
    if not rows:
        return _first(path, text, tree, user, statement)
    for group in (_same_package(rows, new), _same_kind(rows, new)):
        if group:
            at = _sorted_in(group, new)
            return Edit(path, (at, 1), (at, 1), statement + end)
    if _is_standard(new.package) and _floor(tree, ours[0]) < ours[0].lineno:
        at = _above_header_comments(lines_of(text), ours[0].lineno, _floor(tree, ours[0]))
        return Edit(path, (at, 1), (at, 1), f"{statement}{end}{end}")
    absolute = [s for s in rows if not _is_relative(s)]
    at = line_end(absolute[-1]) + 1 if absolute else rows[0].lineno
    return Edit(path, (at, 1), (at, 1), f"{end}{statement}{end}" if absolute else f"{statement}{end}{end}")


def _head(tree: ast.Module) -> int:
    """How many statements come first whatever is added: the docstring and `from __future__`."""
    body = tree.body
    head = int(ast.get_docstring(tree, clean=False) is not None)
    while head < len(body) and isinstance(body[head], ast.ImportFrom) and _module(body[head]) == "__future__":
        head += 1
    return head


def _is_ours(statement: ast.stmt) -> bool:
    return isinstance(statement, (ast.Import, ast.ImportFrom))


def _is_relative(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.level > 0


def _stands_alone(tree: ast.Module, statement: ast.stmt) -> bool:
    """Does it share its lines with no other statement?"""
    at = tree.body.index(statement)
    before, after = tree.body[:at][-1:], tree.body[at + 1 : at + 2]
    return all(line_end(s) < statement.lineno for s in before) and all(
        first_line(s) > line_end(statement) for s in after
    )


def _floor(tree: ast.Module, statement: ast.stmt) -> int:
    at = tree.body.index(statement)
    return line_end(tree.body[at - 1]) if at else 0


def _module(statement: ast.stmt) -> str:
    """The module that an import names first."""
    if isinstance(statement, ast.ImportFrom):
        return "." * statement.level + (statement.module or "")
    return statement.names[0].name if isinstance(statement, ast.Import) else ""


def _key(statement: ast.stmt) -> tuple[bool, str, str]:
    """The order of isort and ruff: `import x` first, then `from x import`."""
    first = statement.names[0].name.lower() if isinstance(statement, (ast.Import, ast.ImportFrom)) else ""
    return isinstance(statement, ast.ImportFrom), _module(statement).lower(), first


def _by_module(key: tuple[bool, str, str]) -> tuple[str, bool, str]:
    """The other usual order: by module, whatever the form."""
    return key[1], key[0], key[2]


def _is_standard(package: str) -> bool:
    return package in sys.stdlib_module_names


def _groups(rows: Sequence[ast.stmt]) -> list[list[ast.stmt]]:
    """Runs of imports on lines that follow one another."""
    found: list[list[ast.stmt]] = []
    for row in rows:
        if found and row.lineno == line_end(found[-1][-1]) + 1:
            found[-1].append(row)
        else:
            found.append([row])
    return found


def _same_package(rows: Sequence[ast.stmt], new: _New) -> list[ast.stmt]:
    """The first run of imports of the same package."""
    ours = [s for s in rows if _module(s).partition(".")[0].lower() == new.package]
    return _groups(ours)[0] if ours else []


def _same_kind(rows: Sequence[ast.stmt], new: _New) -> list[ast.stmt]:
    """The first run that holds imports of the same kind, as far as these reach in it when kinds are mixed and
    not sorted as one."""
    for group in _groups(rows):
        alike = [s for s in group if _is_alike(s, new)]
        if alike:
            return group if _order(group) else alike
    return []


def _is_alike(statement: ast.stmt, new: _New) -> bool:
    package = _module(statement).partition(".")[0]
    return not _is_relative(statement) and _is_standard(package) == _is_standard(new.package)


def _order(group: Sequence[ast.stmt]) -> bool:
    """Is the run sorted, in one of the usual orders?"""
    keys = [_key(s) for s in group]
    return keys == sorted(keys) or [*map(_by_module, keys)] == sorted(map(_by_module, keys))


def _sorted_in(group: Sequence[ast.stmt], new: _New) -> int:
    """The line for a new row of a run: sorted where the run is, else at its end."""
    keys = [_key(s) for s in group]
    plain = keys == sorted(keys)
    if _order(group):
        for statement, key in zip(group, keys):
            later = key > new.key if plain else _by_module(key) > _by_module(new.key)
            if later:
                return statement.lineno
    return line_end(group[-1]) + 1


def _first(path: str, text: str, tree: ast.Module, user: Level, statement: str) -> Edit | None:
    """The first import of a file: behind docstring, `from __future__` and the comments at the top."""
    lines, end, head = lines_of(text), _end(text), _head(tree)
    begin = first_line(tree.body[head])
    floor = line_end(tree.body[head - 1]) if head else 0
    if begin <= floor or head > user.at:
        return None  # they share a line
    if head:
        gap = end if lines[floor].strip() else ""
        return Edit(path, (floor + 1, 1), (floor + 1, 1), f"{end}{statement}{end}{gap}")
    at = _above_header_comments(lines, begin, floor)
    lead = end if at > 1 and lines[at - 2].strip() else ""
    gap = end * (2 if isinstance(tree.body[head], _DEFINITIONS) else 1)
    return Edit(path, (at, 1), (at, 1), f"{lead}{statement}{end}{gap}")


def _above_header_comments(lines: Sequence[str], start: int, floor: int) -> int:
    """The line of a statement, or of the comments right above it that are its own: not those at the top of
    the file, which are about the file."""
    at = start
    while at - 1 > floor and lines[at - 2].lstrip().startswith("#"):
        at -= 1
    return start if at == 1 else at
