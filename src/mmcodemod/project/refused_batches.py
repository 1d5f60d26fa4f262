"""Launches that die at the first step of a `Trainer` because its model does not take a key of the batch: the
Trainer calls `model(**batch)`. Must-analysis of the only Trainer that the run makes: of its collator, of what
its dataset gives that, and of the `forward` of all models that the run may hand over.

Source: `Trainer.compute_loss` of transformers 4.52.4 and 5.23.0 takes `labels` alone out of the batch, where
it smooths them; `RemoveColumnsCollator` drops keys of samples, unless told not to, and none of batches."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.model.context import Context, Entry
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.model.verdict import Excluded, Fatal
from mmcodemod.project.arguments import given_at
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.comes_by import comes_by
from mmcodemod.project.death import Death
from mmcodemod.project.handed_models import Model, Models, misses, takes
from mmcodemod.project.model import Project
from mmcodemod.project.put_keys import Needs, put_keys
from mmcodemod.project.settings import truths
from mmcodemod.project.signatures import bound_first
from mmcodemod.project.sole_arguments import Arguments
from mmcodemod.project.sole_definitions import Definitions, Names, Sole
from mmcodemod.project.stubs import MODELS, class_of, is_stub
from mmcodemod.project.values import ClassRef

_TRAINER = f"{MODELS}/transformers.py::Trainer"
_PLAIN = (_TRAINER, f"{MODELS}/transformers.py::Seq2SeqTrainer")
_STEPS = (
    *("compute_loss", "training_step", "_prepare_inputs", "_prepare_input", "get_batch_samples"),
    *("_wrap_model", "train", "_inner_training_loop", "get_train_dataloader", "_get_dataloader"),
    *("call_model_init", "__getattr__"),
)
_TAKEN = ("labels", "num_items_in_batch")  # what the Trainer itself takes out, or gives


def refused_batch(project: Project, context: Context) -> Death | None:
    """How a launch dies whose model does not take its batches; None when nothing shows that."""
    entry = context.entry
    if entry is None or entry.library or entry.path not in project.index.files:
        return None
    memo = project.get(_memo)
    key = entry.path, entry.symbol
    if key not in memo:
        memo[key] = _Run(project, entry).batches()
    found = (_dies(project, context, batches) for batches in memo[key])
    return next((death for death in found if death), None)


@frozen()
class _Batches:
    """A key that the collator surely gives, and where; `models`, bound in `function`. Where samples bring it:
    `stored`, what must come by for that, and `drops`, the argument that must not be true."""

    key: str
    at: Place
    function: str
    models: tuple[Model, ...]
    stored: tuple[ast.AST, ...] = ()
    drops: ast.expr | None = None


def _memo(project: Project) -> dict[tuple[str, str], tuple[_Batches, ...]]:
    return {}


def _dies(project: Project, context: Context, batches: _Batches) -> Death | None:
    """Do all models that this launch may hand over refuse the key?"""
    answers = ((m, comes_by(project, context, batches.function, m.made)) for m in batches.models)
    left = [model for model, answer in answers if not isinstance(answer, Excluded)]
    forwards = [model.forward for model in left if model.forward is not None]
    if not forwards or len(forwards) < len(left) or any(takes(f, batches.key) for f in forwards):
        return None
    for node in batches.stored:
        if not isinstance(comes_by(project, context, batches.function, node), Fatal):
            return None
    if batches.drops is not None and truths(project, context, batches.drops, batches.function) != {False}:
        return None
    forward, given = forwards[0], f"`{batches.key}`, which {batches.at} puts into the batch"
    at = Place(forward.path, forward.line)
    fact = f"whether the model takes {given}: `forward` at {at} does not"
    return Death(at, "TypeError", f"this `forward` does not take {given}", fact)


class _Run:
    """The Trainer of an entry, and what it is given."""

    def __init__(self, project: Project, entry: Entry) -> None:
        self._project = project
        self._entry = entry
        self._definitions = Definitions(project, entry.path)
        self._arguments = Arguments(self._definitions)
        self._models = Models(project, entry, self._definitions)

    def batches(self) -> tuple[_Batches, ...]:
        """The keys that some model of the run does not take."""
        edge = self._trainer()
        if edge is None or not self._plain(edge):
            return ()
        function = edge.caller.function
        site, node = edge.call, self._project.index.function(function).node
        models = self._models.of(given_at(site, 0, "model"), node, function)
        forwards = [m.forward for m in models if m.forward is not None]
        if not forwards or all(f.parameters.keywords for f in forwards):
            return ()
        return tuple(self._keys(site, node, function, models))

    def _trainer(self) -> Edge | None:
        """The only call that makes a Trainer, in a run that trains in no other way."""
        reach, init = self._project.reach(self._entry), f"{_TRAINER}.__init__"
        if init not in reach:
            return None
        made = [e for e in self._project.callers(init) if e.site is not None and e.caller.function in reach]
        sites = {id(edge.site): edge for edge in made}
        others = self._project.steps
        if len(sites) != 1 or any(f in reach and not is_stub(f) for f in others):
            return None
        (edge,) = sites.values()
        facts = self._project.index.function(edge.caller.function)
        return None if is_stub(facts.path) or facts.owner else edge

    def _plain(self, edge: Edge) -> bool:
        """Does it train as the library's does?"""
        classes, cls = self._project.resolver.classes, class_of(edge.callee.receiver)
        stubs = [b.cls for b in classes.mro(cls) if isinstance(b, ClassRef) and is_stub(b.cls)]
        own = [f for f in classes.own(cls) if not is_stub(f.path)]
        return all(s in _PLAIN for s in stubs) and not any(m in f.methods for f in own for m in _STEPS)

    # -- batches -------------------------------------------------------------------------------------

    def _keys(
        self, site: ast.Call, node: ast.AST, function: str, models: tuple[Model, ...]
    ) -> Iterator[_Batches]:
        path, local = function.partition("::")[0], Names(node)
        collator = self._collator(self._arguments.of(site, "data_collator", 2, path, local))
        keys = put_keys(collator.node) if collator and isinstance(collator.node, ast.FunctionDef) else None
        refused = [k for k in keys or () if k not in _TAKEN and any(misses(m, k) for m in models)]
        for key in refused:
            assert collator is not None and keys is not None
            stored = self._stored(keys[key].needs, collator, site, node, path, local)
            drops = _drops(site) if keys[key].needs else None
            shows = stored is not None and (drops is not None or not keys[key].needs)
            if stored is not None and shows and not self._models.patched(models, key):
                yield _Batches(key, Place(collator.path, keys[key].line), function, models, stored, drops)

    def _collator(self, given: tuple[Sole, bool] | None) -> FunctionFacts | None:
        if given is None:
            return None
        found, made = given
        facts = self._models.method(found, "__call__") if made else self._function(found)
        return facts if facts is not None and not facts.decorators else None

    def _function(self, found: Sole) -> FunctionFacts | None:
        named = isinstance(found.node, ast.FunctionDef)
        return self._project.index.function(f"{found.path}::{found.node.name}") if named else None  # type: ignore[union-attr]

    def _stored(
        self, needs: Needs, collator: FunctionFacts, site: ast.Call, node: ast.AST, path: str, local: Names
    ) -> tuple[ast.AST, ...] | None:
        """What must come by so that the tests hold under which a key is put in: nothing where it always is;
        None where that does not show."""
        if not needs:
            return ()
        samples = {_sample_key(test, collator) for test in needs}
        given = self._arguments.of(site, "train_dataset", 3, path, local)
        item = self._models.method(given[0], "__getitem__") if given and given[1] else None
        keys = put_keys(item.node) if item and isinstance(item.node, ast.FunctionDef) else None
        if keys is None or any(key not in keys for key in samples):
            return None
        return self._switches({n for key in samples for n in keys[key].needs}, site, node)

    def _switches(self, tests: set[str], site: ast.Call, node: ast.AST) -> tuple[ast.AST, ...] | None:
        """For each test on an attribute, the statement before the Trainer that makes it true; None where code
        stores anything else, or where it asks for something else."""
        found, reach = [], self._project.reach(self._entry)
        for test in tests:
            name = test.rpartition(".")[2]
            saying = (f for f in self._project.mentioning(name) if f.id in reach)
            stores = [s for f in saying for s in f.body.stores if s.attr == name]
            own = [n for n in own_nodes(node) if _stores_true(n, name) and n.lineno < site.lineno]  # type: ignore[attr-defined]
            if not test.startswith("self.") or len(own) != 1 or len(stores) != 1:
                return None
            found += own
        return tuple(found)


def _drops(site: ast.Call) -> ast.expr | None:
    """`args.remove_unused_columns`"""
    given = given_at(site, 1, "args")
    asked = ast.Attribute(given, "remove_unused_columns", ast.Load()) if given is not None else None
    return ast.copy_location(asked, given) if asked is not None and given is not None else None


def _sample_key(test: str, collator: FunctionFacts) -> str:
    """The key that a collator asks its samples for: `"image" in samples[0]`."""
    positional = collator.parameters.positional
    given = positional[bound_first(collator) :][:1]
    match ast.parse(test, mode="eval").body:
        case ast.Compare(
            left=ast.Constant(value=str(key)),
            ops=[ast.In()],
            comparators=[ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=0))],
        ) if (name,) == given:
            return key
    return ""


def _stores_true(node: ast.AST, name: str) -> bool:
    """`args.name = True`"""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Constant):
        return False
    target = node.targets[0]
    return node.value.value is True and isinstance(target, ast.Attribute) and target.attr == name
