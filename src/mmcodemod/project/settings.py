"""What a setting may be in one training context: constants, defaults, argparse flags and the launch command.
May-analysis: UNKNOWN stands for everything that does not show."""

from __future__ import annotations

import ast

from mmcodemod.facts.syntax import walk
from mmcodemod.model.context import Context
from mmcodemod.model.option import UNKNOWN, Option
from mmcodemod.model.place import Place
from mmcodemod.project.abbreviations import cut_short
from mmcodemod.project.callback_keywords import absent_keyword
from mmcodemod.project.config_reads import configured_option
from mmcodemod.project.declared_flags import declared, read_as
from mmcodemod.project.engine_stage import engine_stage
from mmcodemod.project.fields import field_default
from mmcodemod.project.file_keys import file_key
from mmcodemod.project.filled import filled_by_flags
from mmcodemod.project.flags import PASSED_ON
from mmcodemod.project.flow import flow_of
from mmcodemod.project.joined_texts import joined
from mmcodemod.project.keyword_filled import filled_by_keywords
from mmcodemod.project.made_fields import made_field
from mmcodemod.project.model import Project
from mmcodemod.project.namespace_stores import Stored, is_parsed, settled, stored
from mmcodemod.project.origins import BOTH, Origin, Origins
from mmcodemod.project.override_reads import overridden
from mmcodemod.project.paired_flags import set_default, switched
from mmcodemod.project.positional import is_positional, word_for
from mmcodemod.project.setting import OBJECT, Setting, converted, outcomes, truth
from mmcodemod.project.shared_keys import shared_key
from mmcodemod.project.stored_options import Overwrite, comes_later, overwrites
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.text_methods import applied, asks_text, changes_text, part, splits_text
from mmcodemod.project.values import ClassRef, Instance, Values
from mmcodemod.project.visible_devices import DEVICE_COUNT, counts_devices, one_visible
from mmcodemod.project.words_in_code import gives

_TESTS = (ast.Compare, ast.BoolOp, ast.UnaryOp)
BY_LAUNCHERS = ("local_rank",)  # flags that launchers give each process
MULTI = ("deepspeed", "torch", "accelerate", "tasks")
MAX_STORES = 2  # of options, of which one decides about the next
MAX_TESTS = 3  # of which one reads the name of the next


class Settings:
    """Values of settings in a context; without a context, by their defaults."""

    def __init__(self, project: Project, context: Context | None = None, stores: bool = True) -> None:
        """`stores`: does what code puts over an option count? Not for those who follow that themselves."""
        self.project = project
        self.context = context
        self._stores = stores
        self._origins = Origins(project, self.truths, context.entry if context else None)
        self._open: set[tuple[int, str]] = set()

    def of(self, expr: ast.expr, function: str) -> frozenset[Setting]:
        """What `expr` may be in `function`."""
        key = (id(expr), function)
        if key in self._open:
            return frozenset((Setting(UNKNOWN),))
        self._open.add(key)
        try:
            return frozenset(s for o in self._origins.of(expr, function) for s in self._ends(o))
        finally:
            self._open.discard(key)

    def origins(self, expr: ast.expr, function: str) -> list[Origin]:
        """The expressions that `expr` in `function` may come from, in this context."""
        return self._origins.of(expr, function)

    def truths(self, test: ast.expr, function: str) -> frozenset[bool]:
        """The outcomes that a test may have."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return frozenset(not t for t in self.truths(test.operand, function))
        if isinstance(test, ast.BoolOp):
            return self._joined(test, function)
        if isinstance(test, ast.Compare):
            return self._compared(test, function)
        if isinstance(test, ast.Call) and asks_text(test):
            return frozenset(t for s in self._on_text(test, function) for t in truth(s.value))
        return frozenset(t for s in self.of(test, function) for t in truth(s.value))

    def read_by(self, test: ast.expr, function: str, depth: int = 0) -> frozenset[Setting]:
        """The settings that a test reads, also through names that hold the outcome of another test."""
        nodes = list(walk(test))
        methods = {id(n.func) for n in nodes if asks_text(n) or changes_text(n)}  # type: ignore[attr-defined]
        methods |= {id(n.value.func) for n in nodes if splits_text(n)}  # type: ignore[attr-defined]
        names = [n for n in nodes if isinstance(n, (ast.Name, ast.Attribute)) and id(n) not in methods]
        inner = {id(n.value) for n in names if isinstance(n, ast.Attribute)}
        outer = [n for n in names if id(n) not in inner]
        calls = [n for n in nodes if isinstance(n, ast.Call) and (counts_devices(n) or attribute_asked(n))]
        found = frozenset(s for n in outer for s in self._behind(n, function, depth) or self.of(n, function))
        found |= frozenset(s for n in calls for s in self.of(n, function))
        tests = [o for n in outer for o in self.origins(n, function) if isinstance(o.expr, _TESTS)]
        deeper = tests if depth < MAX_TESTS else []
        return found.union(*(self.read_by(o.expr, o.function, depth + 1) for o in deeper))

    def _behind(self, expr: ast.expr, function: str, depth: int) -> frozenset[Setting]:
        """The settings that the code makes an entry of a namespace of: `args.amp = not args.noamp`."""
        if depth >= MAX_TESTS or not isinstance(expr, ast.Attribute):
            return frozenset()
        made = self._stored(expr.attr) if is_parsed(self.project.values(expr.value, function)) else []
        return frozenset(s for m in made for s in self.read_by(m.expr, m.function, depth + 1))

    def _joined(self, test: ast.BoolOp, function: str) -> frozenset[bool]:
        parts = [self.truths(v, function) for v in test.values]
        absorbing = isinstance(test.op, ast.Or)
        if any(p == {absorbing} for p in parts):
            return frozenset((absorbing,))
        return frozenset((not absorbing,)) if all(p == {not absorbing} for p in parts) else BOTH

    def _compared(self, test: ast.Compare, function: str) -> frozenset[bool]:
        if len(test.ops) != 1:
            return BOTH
        lefts, rights = self.of(test.left, function), self.of(test.comparators[0], function)
        return frozenset(t for a in lefts for b in rights for t in outcomes(test.ops[0], a.value, b.value))

    def _ends(self, origin: Origin) -> frozenset[Setting]:
        expr, function = origin.expr, origin.function
        if isinstance(expr, ast.Constant):
            return frozenset((Setting(expr.value, self._place(origin)),))
        if isinstance(expr, (ast.List, ast.Tuple)) and all(isinstance(e, ast.Constant) for e in expr.elts):
            elements = tuple(e.value for e in expr.elts if isinstance(e, ast.Constant))
            return frozenset((Setting(elements, self._place(origin)),))
        if isinstance(expr, ast.UnaryOp) and isinstance(expr.op, ast.USub):
            return frozenset(
                Setting(-s.value if isinstance(s.value, (int, float)) else UNKNOWN, s.at, s.flag, s.given)
                for s in self.of(expr.operand, function)
            )
        if isinstance(expr, ast.BoolOp):
            return self._one_of(expr, function)
        if isinstance(expr, _TESTS):
            return frozenset(Setting(t, self._place(origin)) for t in self.truths(expr, function))
        if isinstance(expr, ast.Attribute):
            return self._member(expr, function)
        if isinstance(expr, ast.Call):
            return self._called(expr, origin)
        if isinstance(expr, ast.JoinedStr):
            return frozenset((joined(expr, self._place(origin), lambda part: self.of(part, function)),))
        if isinstance(expr, ast.Subscript):
            split = splits_text(expr)
            return self._part(expr, function) if split else frozenset((self.filed(expr, function),))
        return frozenset((Setting(UNKNOWN),))

    def _one_of(self, expr: ast.BoolOp, function: str) -> frozenset[Setting]:
        """`args.x or 1.0`: the first that is true, else the last; with `and` the first that is not."""
        decides, found = isinstance(expr.op, ast.Or), frozenset[Setting]()
        for value in expr.values[:-1]:
            settings = self.of(value, function)
            taken = (s for s in settings if decides in truth(s.value))
            found |= {Setting(OBJECT, s.at) if decides and s.value is UNKNOWN else s for s in taken}
            if settings and all(truth(s.value) == {decides} for s in settings):
                return found
        return found | self.of(expr.values[-1], function)

    def _place(self, origin: Origin) -> Place:
        return self.project.place(origin.function.partition("::")[0], origin.expr)

    def _on_text(self, call: ast.Call, function: str) -> frozenset[Setting]:
        """What a method of a text comes to."""
        texts = self._text(call.func.value, function)  # type: ignore[attr-defined]
        return frozenset(Setting(applied(call, s.value), s.at, s.flag, s.given) for s in texts)

    def _part(self, expr: ast.Subscript, function: str) -> frozenset[Setting]:
        """A part of a text that is split."""
        texts = self._text(expr.value.func.value, function)  # type: ignore[attr-defined]
        return frozenset(Setting(part(expr, s.value), s.at, s.flag, s.given) for s in texts)

    def _text(self, text: ast.expr, function: str) -> frozenset[Setting]:
        """What a text may be that is asked for something."""
        if isinstance(text, ast.Attribute) and self.written_out(text.value, function):
            return frozenset((Setting(UNKNOWN),))
        return self.of(text, function)

    def written_out(self, expr: ast.expr, function: str) -> bool:
        """May the object be one that the code makes itself? Then its field is no flag of the same name."""
        made = ((o.expr, o.function) for o in self._origins.of(expr, function))
        calls = ((e.func, where) for e, where in made if isinstance(e, ast.Call))
        classes = {v.cls for call in calls for v in self.project.values(*call) if isinstance(v, ClassRef)}
        return bool(classes and classes - filled_by_keywords(self.project, self.context))

    def _called(self, expr: ast.Call, origin: Origin) -> frozenset[Setting]:
        if changes_text(expr):
            return self._on_text(expr, origin.function)
        read = attribute_asked(expr)
        if read and self._near(read) and is_parsed(self.project.values(expr.args[0], origin.function)):
            return self._flag(read, expr, origin.function)
        if (
            isinstance(expr.func, ast.Name)
            and expr.func.id in ("float", "int", "bool")
            and len(expr.args) == 1
        ):
            return frozenset(
                Setting(converted(expr.func.id, s.value), s.at, s.flag, s.given)
                for s in self.of(expr.args[0], origin.function)
            )
        absent = absent_keyword(self.project, expr, origin.function)
        if absent is not None:
            return frozenset((Setting(None, absent[1], absent[0]),))
        names = self.project.names(expr.func, origin.function)
        if DEVICE_COUNT in names:
            return frozenset((self._devices(),))
        stage = engine_stage(self.context, expr)
        if stage is not None:
            return frozenset((Setting(stage.value, stage.at, given=True),))
        makes = any(isinstance(v, ClassRef) for v in self.project.values(expr.func, origin.function))
        if makes or any(n.rpartition(".")[2][:1].isupper() for n in names):
            return frozenset((Setting(OBJECT, self._place(origin)),))
        return frozenset((Setting(UNKNOWN),))

    def _devices(self) -> Setting:
        """How many GPUs the run sees."""
        at = one_visible(self.project, self.context) if self.context else None
        return Setting(1, at, DEVICE_COUNT, given=True) if at else Setting(UNKNOWN)

    def _member(self, expr: ast.Attribute, function: str) -> frozenset[Setting]:
        """`args.x` of an argument parser, `config.x` of an arguments class; `math.inf`."""
        if expr.attr == "inf" and self.project.names(expr, function) & {"math.inf", "torch.inf", "numpy.inf"}:
            return frozenset((Setting(float("inf")),))
        bases = self.project.values(expr.value, function)
        if is_parsed(bases):
            return self._flag(expr.attr, expr, function)
        given = overridden(self.project, self.context, expr, lambda: self._origins.of(expr.value, function))
        if given is not None:
            return frozenset((Setting(given[1].value, given[1].at, given[0], given=True),))
        found = Setting(UNKNOWN)
        if any(isinstance(v, Instance) for v in bases) or self._is_filled(bases):
            found = self._given(expr.attr) or self._left(expr, function, bases)
            found = self._made_by_code(expr.attr, bases) if found.value is UNKNOWN else found
        elif filled_by_flags(self.project, self._origins.of(expr.value, function)):
            if self._near(expr.attr):
                return self._flag(expr.attr, expr, function)
            found = self._given(expr.attr) or found
        return frozenset((self._configured(expr, function) if found.value is UNKNOWN else found,))

    def _made_by_code(self, name: str, objects: Values) -> Setting:
        """The field of a configuration that the code itself makes."""
        found = made_field(self.project, objects, name)
        if found is None:
            return Setting(UNKNOWN)
        return Setting(found[0].value, self.project.place(found[1], found[0]), name)

    def _is_filled(self, classes: Values) -> bool:
        """Are they classes that themselves hold what the launch gives, as llama-recipes once had them?"""
        named = {v.cls for v in classes if isinstance(v, ClassRef)}
        return bool(named) and named <= filled_by_keywords(self.project, self.context)

    def _configured(self, expr: ast.Attribute, function: str) -> Setting:
        """What the configuration that the launch names says, or all that hydra may compose."""
        shared = shared_key(self.project, self.context, expr, function)
        if shared is not None:
            return Setting(shared.value, shared.at, shared.key, given=True)
        key, option = configured_option(self.project, self.context, expr) or ("", Option(UNKNOWN))
        return Setting(option.value, option.at, key, given=True) if key else self.filed(expr, function)

    def filed(self, expr: ast.expr, function: str) -> Setting:
        """What the YAML or JSON file that the launch names says."""
        found = file_key(self.project, self.context, expr, function, self.origins)
        key, option = found or ("", Option(UNKNOWN))
        return Setting(option.value, option.at, key, given=bool(key))

    def _left(self, expr: ast.Attribute, function: str, bases: Values) -> Setting:
        """What a launch leaves at its default. Where several classes may be meant, the annotation says which
        for switches alone: rules on amounts are not loud about a default that they do not show."""
        found = self._by_default(expr.attr, bases)
        own = self._by_default(expr.attr, self._declared(expr.value, function, bases))
        return own if isinstance(own.value, bool) else found

    def _declared(self, expr: ast.expr, function: str, objects: Values) -> Values:
        """Of the objects that a parameter may be, those of the class that its annotation names."""
        facts = self.project.index.function(function)
        arguments = getattr(facts.node, "args", None)
        if not isinstance(expr, ast.Name) or arguments is None or expr.id in facts.body.names:
            return objects
        given = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        named = [a.annotation for a in given if a.arg == expr.id and a.annotation]
        if not named:
            return objects
        classes = {v.cls for v in self.project.values(named[0], function) if isinstance(v, ClassRef)}
        own = [v for v in objects if isinstance(v, Instance)]
        return frozenset(v for v in own if classes & {c.id for c in self.project.bases(v.cls)}) or objects

    def _by_default(self, name: str, objects: Values) -> Setting:
        """The default of a dataclass field that the launch could give and does not; one of a library is in
        no file of the tree, and is told where the launch begins."""
        found = field_default(self.project, self.context, objects, name) if self.context else None
        if found is None or not isinstance(found[0], ast.Constant):
            return Setting(UNKNOWN)
        launched = self.context.begins if self.context and is_stub(found[1]) else None
        return Setting(found[0].value, launched or self.project.place(found[1], found[0]), name)

    def _given(self, name: str) -> Setting | None:
        if self.context is None:
            return None
        option = self.context.option(name)
        if option.at is None:
            further = name in BY_LAUNCHERS and self.context.launched_by in MULTI
            return Setting(UNKNOWN) if further or self.context.option(PASSED_ON).at else None
        return Setting(option.value if option.known else UNKNOWN, option.at, name, given=True)

    def _flag(self, name: str, read: ast.expr, function: str) -> frozenset[Setting]:
        last = settled(self.project, self.context.entry if self.context else None, name)
        if last is not None:
            return self.of(last.expr, last.function)
        found = self._parsed(name)
        if any(s.given for s in found):
            return found
        empty = any(s.value is None or s.value is UNKNOWN for s in found)
        return found | self._put_over(name, read, function, empty)

    def _put_over(self, name: str, read: ast.expr, function: str, empty: bool) -> frozenset[Setting]:
        """What the code of the run may put over an option that the launch leaves out, before it is read.
        While that is asked, the option is what the parser made of it, which may be None (`empty`)."""
        if not self._stores or (0, f"args.{name}") in self._open or not self._near(name):
            return frozenset()
        every = overwrites(self.project, self.context.entry if self.context else None, name)
        every = [put for put in every if empty or not put.fills]
        found = [put for put in every if not comes_later(self.project, put, read, function)]
        if found and sum(not asked for asked, _ in self._open) >= MAX_STORES:
            return frozenset((Setting(UNKNOWN),))
        return self._made(f"args.{name}", found)

    def _made(self, what: str, places: list[Overwrite]) -> frozenset[Setting]:
        """What places that the run may get to put there; nothing while that is asked."""
        key = (0, what)
        if key in self._open:
            return frozenset()
        self._open.add(key)
        try:
            return frozenset(s for o in places if self._comes_to(o) for s in self._put(o))
        finally:
            self._open.discard(key)

    def _comes_to(self, put: Overwrite) -> bool:
        """May the tests around it let the run get there?"""
        tests = flow_of(self.project, put.function).tests(put.node)
        return all(outcome in self.truths(asked.test, put.function) for asked, outcome in tests)

    def _put(self, put: Overwrite) -> frozenset[Setting]:
        return self.of(put.value, put.function) if put.value else frozenset((Setting(UNKNOWN),))

    def _parsed(self, name: str) -> frozenset[Setting]:
        """What the parser makes of an option; what the code stores under a name that is none."""
        near, given = self._near(name), self._given(name)
        if given is not None:
            option = Option(given.value, given.at)
            values = {v for call, _ in near if given.given for v in read_as(call, option)}
            return frozenset(Setting(v, given.at, name, given=True) for v in values) or frozenset((given,))
        if other := switched(self.context, name, near) or cut_short(self.project, self.context, near):
            return frozenset(Setting(v, other.option.at, other.flag, given=True) for v in other.values)
        found = self._left_out(name, near)
        found = found or frozenset(s for m in self._stored(name) for s in self.of(m.expr, m.function))
        return found or frozenset((Setting(UNKNOWN),))

    def _near(self, name: str) -> list[tuple[ast.Call, str]]:
        """Where the code of the run declares an option."""
        entry = self.context.entry if self.context else None
        every = declared(self.project, name)
        return [(c, f) for c, f in every if entry is None or f in self.project.reach(entry)]

    def _left_out(self, name: str, near: list[tuple[ast.Call, str]]) -> frozenset[Setting]:
        """What an option is that the launch does not give: `set_defaults` wins where no test decides."""
        entry = self.context.entry if self.context else None
        if any(gives(self.project, entry, call) for call, _ in near):
            return frozenset((Setting(UNKNOWN),))
        made = set_default(self.project, name, self.project.reach(entry).functions if entry else None)
        found = frozenset(Setting(s.value, s.at, name) for s in self._made("set_defaults", made))
        sure = any(m.value and not flow_of(self.project, m.function).tests(m.node) for m in made)
        if found and sure:
            return found
        return found.union(*(self._default(name, call, function) for call, function in near))

    def _stored(self, name: str) -> list[Stored]:
        """What the code itself puts into the namespace, where no option has that name."""
        if self._near(name) or (self.context and self.context.option(name).at is not None):
            return []
        return stored(self.project, self.context.entry if self.context else None, name)

    def _by_place(self, name: str, call: ast.Call, function: str) -> frozenset[Setting]:
        """A word that the launch gives without a flag."""
        word = word_for(self.project, self.context, call, function) if self.context else None
        if word is None or self.context is None:
            return frozenset((Setting(UNKNOWN),))
        values = read_as(call, Option(word, self.context.begins))
        return frozenset(Setting(v, self.context.begins, f"argument {name}", given=True) for v in values)

    def _default(self, name: str, call: ast.Call, function: str) -> frozenset[Setting]:
        at = self.project.place(function.partition("::")[0], call)
        if is_positional(call):
            return self._by_place(name, call, function)
        keywords = {k.arg: k.value for k in call.keywords}
        if "default" in keywords:
            values = {s.value for s in self.of(keywords["default"], function)}
        elif isinstance(action := keywords.get("action"), ast.Constant) and action.value != "store":
            values = {{"store_true": False, "store_false": True}.get(str(action.value), UNKNOWN)}
        else:
            values = {UNKNOWN if "required" in keywords or "action" in keywords else None}
        return frozenset(Setting(v, at, name) for v in values)


def attribute_asked(call: ast.Call) -> str:
    """The name in `getattr(args, "name", ...)`, "" for other calls."""
    match call:
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str(name)), *_]):
            return name
    return ""


def truths(project: Project, context: Context, test: ast.expr, function: str) -> frozenset[bool]:
    """The outcomes that a test in `function` may have in a run: asked for again and again."""

    def judge(run: Context) -> frozenset[bool]:
        return Settings(project, run).truths(test, function)

    return project.judging.once(context, test, f"truths in {function}", judge)
