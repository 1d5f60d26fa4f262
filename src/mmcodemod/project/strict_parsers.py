"""What an `argparse` parser of one file takes, where it is the only one, all of it is written in that file,
and it refuses the rest. Must-analysis: None where anything may add to it or parse something else.

Source: argparse, `ArgumentParser.parse_args`: words that no argument takes end the program (code 2), as does
an option string that is added twice (`conflict_handler="error"`), and any unique beginning of one counts.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.facts.terms import last_name
from mmcodemod.model.context import Entry
from mmcodemod.model.frozen import frozen
from mmcodemod.project.deepspeed_options import OPTIONS, extended
from mmcodemod.project.model import Project

_MAKES = "ArgumentParser("
_OPEN = ("parse_known_args", "parse_intermixed_args", "sys.argv", "from sys", "add_subparsers")
_ADD = frozenset((None, "parents", "prefix_chars", "fromfile_prefix_chars", "conflict_handler"))
_GROUPS = ("add_argument_group", "add_mutually_exclusive_group")
_MAKERS = ("ArgumentParser", *_GROUPS)
_HARMLESS = (*_GROUPS, "add_argument", "parse_args", "set_defaults", "print_help", "print_usage", "error")
_SWITCHES = ("store_true", "store_false", "store_const", "count")


@frozen()
class Parser:
    """`parses`: the call that reads the command line. `options` by name, with underscores for dashes;
    `switches` are those that take no value, `single` those that take one; `required`: the names of each
    option that must be given; `twice`: an option string that is surely added a second time, and where;
    `positional`: may plain words be left over? `attributes`: what the namespace has; None where that does not
    show; `added`: the calls that add the options."""

    parses: ast.Call
    options: frozenset[str]
    switches: frozenset[str]
    single: frozenset[str]
    required: tuple[tuple[str, ...], ...]
    positional: bool
    twice: tuple[str, ast.Call] | None
    attributes: frozenset[str] | None = None
    added: tuple[ast.Call, ...] = ()

    @property
    def strings(self) -> frozenset[str]:
        """The options as they are written, with their dashes."""
        return frozenset(text for call in self.added for text in _texts(call))


def parser_file(project: Project, entry: Entry) -> str:
    """The only file in which a run makes a parser; "" where there are several, or none."""
    reach, found = project.reach(entry), set[str]()
    for facts in project.mentioning("ArgumentParser"):
        if facts.id in reach and any(last_name(c).endswith("ArgumentParser") for c in facts.body.calls):
            found.add(facts.path)
    return found.pop() if len(found) == 1 else ""


def is_of_argparse(project: Project, path: str) -> bool:
    """Is the parser of a file the standard library's, by whatever name?"""
    facts = project.index.files[path]
    bound = {i.bound for i in facts.imports if i.module == "argparse" and not i.level}
    made = [n for n in walk(facts.tree) if isinstance(n, ast.Call) and _name(n) == "ArgumentParser"]
    return all(unparse(call.func).partition(".")[0] in bound for call in made)


def strict_parser(project: Project, path: str) -> Parser | None:
    """The parser of a file; None where the file has none, or what it takes does not show."""
    return project.once(_strict_parser, path)


def _strict_parser(project: Project, path: str) -> Parser | None:
    text = project.index.text(path)
    alone = text.count(_MAKES) == 1 and text.count(".parse_args(") in (1, 2) and "argparse" in text
    if not alone or any(word in text for word in _OPEN):
        return None
    return _Reading(project.index.files[path].tree).parser()


class _Reading:
    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        calls = (node for node in walk(tree) if isinstance(node, ast.Call))
        self._methods = [call for call in calls if isinstance(call.func, ast.Attribute)]
        self._holder = {id(inner): node for node in walk(tree) for inner in ast.iter_child_nodes(node)}
        self._extended = frozenset(extended(tree))

    def parser(self) -> Parser | None:
        names = self._names()
        parses = self._parses(names)
        if not names or parses is None or not all(map(self._is_harmless, self._loaded(names))):
            return None
        added = [c for c in self._calls("add_argument") if _receiver(c) in names]
        others = any(_receiver(c) not in names for c in self._calls("add_argument"))
        if others or not all(map(_is_plain, added)):
            return None
        strings = [(text, call) for call in added for text in _texts(call)]
        named = {_named(text) for text, _ in strings if text.startswith("-")}
        named |= {f"no_{_named(t)}" for t, c in strings if _has_opposite(c)}
        options = frozenset(named | self._by_deepspeed)
        switches = frozenset(_named(t) for t, call in strings if _action(call) in _SWITCHES)
        single = frozenset(_named(t) for t, call in strings if _takes_one(call))
        required = tuple(tuple(map(_named, _texts(c))) for c in added if self._is_required(c))
        positional = any(not text.startswith("-") for text, _ in strings)
        twice, attributes = self._twice(strings), self._attributes(added)
        known = parses, options, switches, single, required, positional
        return Parser(*known, twice, attributes, tuple(added))

    def _attributes(self, added: list[ast.Call]) -> frozenset[str] | None:
        """The attributes that options and `set_defaults` make."""
        named = [attribute_of(call) for call in added]
        given = [k.arg or "" for call in self._calls("set_defaults") for k in call.keywords]
        every = (*named, *given, *self._by_deepspeed)
        return frozenset(every) if all(every) else None

    @property
    def _by_deepspeed(self) -> frozenset[str]:
        """The options that DeepSpeed adds to the parser, by whatever name of it."""
        return OPTIONS if self._extended else frozenset()

    def _calls(self, name: str) -> Iterator[ast.Call]:
        """The calls of a method of that name."""
        return (call for call in self._methods if call.func.attr == name)  # type: ignore[attr-defined]

    def _names(self) -> set[str]:
        """The name that the parser is given, and those of its groups; none where it is given otherwise."""
        made = [n for n in walk(self._tree) if isinstance(n, ast.Call) and _name(n) == "ArgumentParser"]
        names = {self._assigned(call) for call in made}
        hidden = any(keyword.arg in _ADD for call in made for keyword in call.keywords)
        if len(made) != 1 or "" in names or hidden:
            return set()
        groups = (c for kind in _GROUPS for c in self._calls(kind) if _receiver(c) in names)
        return {*names, *map(self._assigned, groups)} - {""}

    def _assigned(self, call: ast.Call) -> str:
        holder = self._holder.get(id(call))
        target = holder.targets[0] if isinstance(holder, ast.Assign) and len(holder.targets) == 1 else None
        of_class = isinstance(self._holder.get(id(holder)), ast.ClassDef)  # anybody may add to it
        return target.id if isinstance(target, ast.Name) and not of_class else ""

    def _parses(self, names: set[str]) -> ast.Call | None:
        """The only `parse_args()`, of the parser itself or of what a function of the file returns."""
        found = [call for call in self._calls("parse_args") if not self._is_for_others(call)]
        if len(found) != 1 or found[0].args or found[0].keywords:
            return None
        owner = found[0].func.value  # type: ignore[attr-defined]
        return found[0] if self._is_parser(owner, found[0], names) else None

    def _is_for_others(self, call: ast.Call) -> bool:
        """`if given is not None: parser.parse_args(given)`, in a function that the file calls without it."""
        given = call.args[0].id if len(call.args) == 1 and isinstance(call.args[0], ast.Name) else ""
        around = list(self._around(call))
        tests = [node for node in around if isinstance(node, ast.If)]
        function = next((node for node in around if isinstance(node, ast.FunctionDef)), None)
        if not given or function is None or len(tests) != 1 or not _leaves_out(function, given):
            return False
        asked = unparse(tests[0].test) == f"{given} is not None"
        calls = (n for n in walk(self._tree) if isinstance(n, ast.Call) and _name(n) == function.name)
        plain = (n for n in calls if isinstance(n.func, ast.Name))
        return asked and all(not n.args and not n.keywords for n in plain)

    def _around(self, node: ast.AST) -> Iterator[ast.AST]:
        """What holds a node, from within."""
        while (holder := self._holder.get(id(node))) is not None:
            yield holder
            node = holder

    def _is_parser(self, owner: ast.expr, parses: ast.Call, names: set[str]) -> bool:
        if not isinstance(owner, ast.Name):
            return self._is_returned(owner, names)
        given = [value for value in self._given(owner.id) if value is not parses]
        loaded = (name for name in self._loaded({owner.id}) if not self._is_given(name, owner))
        before = (name for name in loaded if name.lineno <= owner.lineno)
        known = all(
            _name(v) in _MAKERS or id(v) in self._extended or self._is_returned(v, names) for v in given
        )
        return bool(given) and known and all(map(self._is_harmless, before))

    def _is_given(self, name: ast.Name, beside: ast.Name) -> bool:
        """Is it the parameter of a function that holds the one name and not the other?"""
        own = {id(node) for node in self._around(beside)}
        functions = (n for n in self._around(name) if isinstance(n, ast.FunctionDef) and id(n) not in own)
        return any(a.arg == name.id for f in functions for a in (*f.args.args, *f.args.kwonlyargs))

    def _given(self, name: str) -> Iterator[ast.expr]:
        """What the assignments of a name give it."""
        for node in walk(self._tree):
            if isinstance(node, ast.Assign) and any(getattr(t, "id", None) == name for t in node.targets):
                yield node.value

    def _is_returned(self, value: ast.expr, names: set[str]) -> bool:
        """Is it a call of a function of the file that returns the parser?"""
        called = value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else ""
        returns = (
            n
            for function in walk(self._tree)
            if isinstance(function, ast.FunctionDef) and function.name == called
            for n in walk(function)
            if isinstance(n, ast.Return)
        )
        return any(isinstance(r.value, ast.Name) and r.value.id in names for r in returns)

    def _loaded(self, names: set[str]) -> Iterator[ast.Name]:
        for node in walk(self._tree):
            if isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load):
                yield node

    def _is_harmless(self, name: ast.Name) -> bool:
        holder = self._holder[id(name)]
        called = isinstance(self._holder.get(id(holder)), ast.Call)  # `add = parser.add_argument` is open
        asked = called and isinstance(holder, ast.Attribute) and holder.attr in _HARMLESS
        return asked or isinstance(holder, ast.Return) or id(holder) in self._extended

    def _is_required(self, call: ast.Call) -> bool:
        """Is an option added by a statement under no test, and must it be given?"""
        wanted = (k.value for k in call.keywords if k.arg == "required")
        block = self._holder.get(id(self._holder[id(call)]))
        surely = isinstance(block, (ast.Module, ast.FunctionDef)) or _is_main(block)
        return surely and any(isinstance(value, ast.Constant) and value.value is True for value in wanted)

    def _twice(self, strings: list[tuple[str, ast.Call]]) -> tuple[str, ast.Call] | None:
        """An option string that two statements of one function, under no test, add one after the other."""
        seen: dict[tuple[str, int], ast.Call] = {}
        for text, call in strings:
            statement = self._holder[id(call)]
            block = self._holder.get(id(statement))
            surely = isinstance(statement, ast.Expr) and isinstance(block, (ast.Module, ast.FunctionDef))
            if surely and seen.setdefault((text, id(block)), call) is not call:
                return text, call
        return None


def _name(call: ast.expr) -> str:
    func = getattr(call, "func", None)
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def _receiver(call: ast.Call) -> str:
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    return owner.id if isinstance(owner, ast.Name) else ""


def _is_plain(call: ast.Call) -> bool:
    """Is every option string a constant, and every keyword written out?"""
    plain = all(isinstance(a, ast.Constant) and isinstance(a.value, str) for a in call.args)
    return plain and bool(call.args) and all(k.arg is not None for k in call.keywords)


def _texts(call: ast.Call) -> list[str]:
    return [str(a.value) for a in call.args if isinstance(a, ast.Constant)]


def attribute_of(call: ast.Call) -> str:
    """`dest`, the first long option, the first option or the positional's name; "" where it does not show."""
    dest = next((k.value for k in call.keywords if k.arg == "dest"), None)
    if dest is not None:
        return dest.value if isinstance(dest, ast.Constant) and isinstance(dest.value, str) else ""
    texts = _texts(call)
    if not texts[0].startswith("-"):
        return texts[0]
    return _named(next((text for text in texts if text.startswith("--")), texts[0]))


def _action(call: ast.Call) -> str:
    given = next((k.value for k in call.keywords if k.arg == "action"), None)
    return str(given.value) if isinstance(given, ast.Constant) else ""


def _has_opposite(call: ast.Call) -> bool:
    """Does it add `--no-name`, too? `argparse.BooleanOptionalAction`."""
    action = next((k.value for k in call.keywords if k.arg == "action"), None)
    return action is not None and unparse(action).endswith("BooleanOptionalAction")


def _leaves_out(function: ast.FunctionDef, name: str) -> bool:
    """Is it the only parameter, and None by default?"""
    given = function.args
    alone = [a.arg for a in given.args] == [name] and not (given.vararg or given.kwonlyargs or given.kwarg)
    return alone and [unparse(d) for d in given.defaults] == ["None"]


def _is_main(block: ast.AST | None) -> bool:
    """Is it `if __name__ == "__main__":`, which a launch comes by?"""
    return isinstance(block, ast.If) and unparse(block.test) == "__name__ == '__main__'"


def _takes_one(call: ast.Call) -> bool:
    return not {keyword.arg for keyword in call.keywords} & {"action", "nargs"}


def _named(text: str) -> str:
    return text.lstrip("-").replace("-", "_")
