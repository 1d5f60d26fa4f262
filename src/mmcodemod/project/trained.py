"""What an optimizer trains: the calls that build it, and the model whose parameters it was given."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain

from mmcodemod.facts.body import Via
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.knowledge.gradients import clips_by, clips_itself, is_optimizer
from mmcodemod.knowledge.modules import makes_module
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.project.arguments import argument
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin, Origins
from mmcodemod.project.stubs import MODELS
from mmcodemod.project.values import External, FunctionRef, Instance, Items, Made, Value, Values, ordered

__all__ = ["Kind", "bounding", "builders", "clips_itself", "kind_of", "makers", "model_here", "owners"]

MAX_CLASSES = 60
_PUTS = ("append", "extend")
_TRANSFORMER = regex(
    r"""
    transformers\.(\w+\.)*\w*(Model|For[A-Z]\w*|Encoder|Decoder)(\.(from_pretrained|from_config|_from_config))?
  | torch\.nn\.(\w+\.)*(Transformer\w*|MultiheadAttention)
  | torch\.nn\.functional\.(scaled_dot_product|multi_head)_attention\w*
  | diffusers\.(\w+\.)*(?!Timestep|EMAModel|Resnet|Downsample|Upsample)[A-Z]\w*
    (?<!Embedding)(?<!Embed)(?<!Embeddings)(?<!Mixin)(?<!Scheduler)(?<!Output)(?<!Norm)(\.from_pretrained)?
  | (open_clip|sentence_transformers|peft|x_transformers|trl)\.(\w+\.)*[A-Z]\w*(\.from_pretrained)?
  | timm\.models\.(\w+\.)*(Block|Attention|VisionTransformer|SwinTransformer)\w*
  | open_clip\.create_model\w* | clip\.load | flash_attn\.\w+(\.\w+)*
    """,
    re.VERBOSE,
)
_CONVOLUTION = regex(r"torch\.nn\.(\w+\.)*(Conv\w+|BatchNorm\w+) | torchvision\.models\.(\w+\.)*\w+", re.X)


@frozen()
class Kind:
    """What a model is made of, as far as it shows: "transformer", "convolution" or ""."""

    name: str
    seen: str = ""


def builders(project: Project, optimizer: ast.expr, function: str) -> list[Origin]:
    """The calls that may have built an optimizer; empty when one of them does not show."""
    origins = Origins(project).of(optimizer, function)
    found = [o for o in origins if _builds(project, o)]
    unseen = [o for o in origins if o not in found and not _is_none(o.expr)]
    return [] if unseen else found


def _builds(project: Project, origin: Origin) -> bool:
    if not isinstance(origin.expr, ast.Call):
        return False
    if any(map(is_optimizer, project.names(origin.expr.func, origin.function))):
        return True
    made = project.values(origin.expr, origin.function)
    return any(
        isinstance(v, Instance) and any(map(is_optimizer, project.resolver.classes.external_bases(v.cls)))
        for v in made
    )


def makers(project: Project, built: Origin) -> set[str]:
    """What builds an optimizer, by dotted name; a class of the tree goes by its own name and its bases'."""
    if not isinstance(built.expr, ast.Call):
        return set()
    made = (v for v in project.values(built.expr, built.function) if isinstance(v, Instance))
    own = [cls for v in made for cls in project.bases(v.cls)]
    bases = {base for cls in own for base in project.resolver.classes.external_bases(cls.id)}
    return project.names(built.expr.func, built.function) | {cls.name for cls in own} | bases


def bounding(project: Project, built: Origin) -> list[str]:
    """The names of what builds an optimizer that bound its update, or clip as its keywords say."""
    assert isinstance(built.expr, ast.Call)
    told = [k.arg for k in built.expr.keywords if k.arg and not _is_hundred(k.value)]
    named = makers(project, built)
    return sorted(n for n in named if clips_itself(n) or any(clips_by(n, keyword) for keyword in told))


def _is_hundred(expr: ast.expr) -> bool:
    return isinstance(expr, ast.Constant) and expr.value == 100


def _is_none(expr: ast.expr) -> bool:
    return isinstance(expr, ast.Constant) and expr.value is None


def owners(project: Project, built: Origin) -> list[Origin]:
    """`X` for every `X.parameters()` that the call that builds an optimizer is given."""
    assert isinstance(built.expr, ast.Call)
    given = [*built.expr.args[:1], *(k.value for k in built.expr.keywords if k.arg == "params")]
    found: dict[str, Origin] = {}
    for expr in given:
        _collect(project, Origin(expr, built.function), found, 0)
    return list(found.values())


def _collect(project: Project, origin: Origin, found: dict[str, Origin], depth: int) -> None:
    for node in walk(origin.expr):
        if isinstance(node, ast.Attribute) and node.attr in ("parameters", "named_parameters"):
            found.setdefault(unparse(node.value), Origin(node.value, origin.function))
        elif isinstance(node, ast.Call) and not _is_builtin(project, node, origin.function):
            for arg in node.args:  # parameter_groups(model, ...)
                if isinstance(arg, ast.Name) and _is_model(project, arg, origin.function):
                    found.setdefault(arg.id, Origin(arg, origin.function))
        elif isinstance(node, ast.Name) and depth < 4 and not _is_model(project, node, origin.function):
            for expr in _given(project, node.id, origin.function):
                if expr is not origin.expr:
                    _collect(project, Origin(expr, origin.function), found, depth + 1)


def _given(project: Project, name: str, function: str) -> Iterator[ast.expr]:
    """What a name of a function holds: what it is assigned, and what `name.append(...)` puts into it."""
    body = project.resolver.body(function)
    yield from (source.expr for source in body.names.get(name, ()))
    for call in body.calls:
        put = call.func if isinstance(call.func, ast.Attribute) and call.func.attr in _PUTS else None
        if put is not None and isinstance(put.value, ast.Name) and put.value.id == name:
            yield from call.args[:1]


def _is_builtin(project: Project, node: ast.Call, function: str) -> bool:
    return any(name.startswith("<builtin>") for name in project.names(node.func, function))


def _is_model(project: Project, node: ast.Name, function: str) -> bool:
    values = project.values(node, function)
    if any(isinstance(v, Instance) and project.is_module(v.cls) for v in values):
        return True
    return any(isinstance(v, Made) and makes_module(v.by) for v in values)


def model_here(project: Project, optimizer: ast.expr, function: str, depth: int = 0) -> str:
    """The text of an expression in `function` for the one model that the optimizer trains, "" if unsure."""
    facts = project.index.function(function)
    if isinstance(optimizer, ast.Name) and _is_parameter(facts, optimizer.id):
        found = {
            _through(project, facts, e.caller.function, e.call, optimizer.id, depth)
            for e in _calls(project, facts)
        }
        return found.pop() if len(found) == 1 else ""
    built = builders(project, optimizer, function)
    texts = {_named(project, owner, facts) for b in built for owner in owners(project, b)}
    return texts.pop() if len(texts) == 1 and all(owners(project, b) for b in built) else ""


def _calls(project: Project, facts: FunctionFacts) -> list[Edge]:
    return [e for e in project.callers(facts.id) if e.site is not None]


def _through(
    project: Project, facts: FunctionFacts, caller: str, call: ast.Call | None, name: str, depth: int
) -> str:
    """The caller's model, by the parameter that the same call passes it for."""
    passed = argument(call, facts, name)
    if passed is None or depth > 3 or isinstance(facts.node, ast.Module):
        return ""
    text = model_here(project, passed, caller, depth + 1)
    for arg in (*facts.node.args.args, *facts.node.args.kwonlyargs):
        given = argument(call, facts, arg.arg)
        if text and given is not None and unparse(given) == text:
            return arg.arg
    return text if text.startswith("self.") and _is_parameter(facts, "self") else ""


def _named(project: Project, owner: Origin, facts: FunctionFacts) -> str:
    """How `facts` can name the owner: the same text in the same function, or an attribute of self."""
    text = unparse(owner.expr)
    root = next((n.id for n in walk(owner.expr) if isinstance(n, ast.Name)), "")
    if not re.fullmatch(r"[\w.]+", text):
        return ""
    if owner.function == facts.id:
        return text if root == "self" or _bound_once(project, facts, root) else ""
    theirs = project.index.function(owner.function)
    if theirs.owner and theirs.owner == facts.owner and theirs.path == facts.path:
        return text if root == "self" else _stored(project, theirs, root)
    at_top = theirs.qualname.startswith("<") and theirs.path == facts.path
    local = facts.id != owner.function and root in project.resolver.body(facts.id).names
    return text if at_top and not local and not _is_parameter(facts, root) else ""


def _bound_once(project: Project, facts: FunctionFacts, root: str) -> bool:
    """Is it a name of the function itself, and not a variable of a loop?"""
    sources = project.resolver.body(facts.id).names.get(root, ())
    return all(s.via is Via.VALUE for s in sources)


def _stored(project: Project, facts: FunctionFacts, name: str) -> str:
    """`self.model` where a method says `self.model = model`."""
    for store in project.resolver.body(facts.id).stores:
        if isinstance(store.value.expr, ast.Name) and store.value.expr.id == name and store.value.index < 0:
            if isinstance(store.base, ast.Name) and store.base.id == "self":
                return f"self.{store.attr}"
    return ""


def _is_parameter(facts: FunctionFacts, name: str) -> bool:
    return name in (*facts.parameters.positional, *facts.parameters.keyword_only)


# -- what a model is made of ----------------------------------------------------------------------------


def kind_of(project: Project, values: Values) -> Kind:
    """Transformer-like when anything in the model attends; convolution when it only convolves."""
    return project.once(_kind_of, values)


def _kind_of(project: Project, values: Values) -> Kind:
    best = Kind("")
    for value in ordered(values):
        found = _kind(project, value, set())
        if found.name == "transformer":
            return found
        best = found if found.name else best
    return best


def _kind(project: Project, value: Value, seen: set[str]) -> Kind:
    if isinstance(value, Items):
        return _first(_kind(project, v, seen) for v in ordered(value.elements))
    name = value.name if isinstance(value, External) else value.by if isinstance(value, Made) else ""
    if name:
        return _library(name)
    if isinstance(value, Instance) and value.cls not in seen and len(seen) < MAX_CLASSES:
        seen.add(value.cls)
        return _class(project, value.cls, seen)
    return Kind("")


@cache
def _library(name: str) -> Kind:
    if _TRANSFORMER.fullmatch(name):
        return Kind("transformer", name)
    return Kind("convolution", name) if _CONVOLUTION.fullmatch(name) else Kind("")


def _class(project: Project, cls: str, seen: set[str]) -> Kind:
    return _first(chain(_bases(project, cls), _methods(project, cls, seen), _wrapped(project, cls, seen)))


def _bases(project: Project, cls: str) -> Iterator[Kind]:
    return map(_library, project.resolver.classes.external_bases(cls))


def _wrapped(project: Project, cls: str, seen: set[str]) -> Iterator[Kind]:
    """What DistributedDataParallel and its like were given."""
    if cls.startswith(MODELS):
        for value in ordered(project.resolver.member(Instance(cls), "module")):
            yield _kind(project, value, seen)


def _methods(project: Project, cls: str, seen: set[str]) -> Iterator[Kind]:
    """What the class's methods build and run."""
    for facts in project.resolver.classes.own(cls):
        for qualname in facts.methods.values():
            function = f"{facts.path}::{qualname}"
            if not function.startswith("<"):
                yield from (_kind(project, value, seen) for value in project.once(_used_in, function))
                yield project.once(_attends, function)


def _used_in(project: Project, function: str) -> list[Value]:
    """What a function calls of libraries, and what its other calls make."""
    found: list[Value] = []
    for call in project.resolver.body(function).calls:
        for value in ordered(project.values(call.func, function)):
            if isinstance(value, External):
                found.append(value)
            elif not isinstance(value, FunctionRef):
                made = project.resolver.called(value, call, project.frames(function)[0])
                found += (v for v in ordered(made) if isinstance(v, (Instance, Made)))
    return found


def _attends(project: Project, function: str) -> Kind:
    """Does it weigh by products of queries and keys?"""
    calls = [call.func for call in project.resolver.body(function).calls]
    words = {func.attr for func in calls if isinstance(func, ast.Attribute)}
    words |= {v.name.rpartition(".")[2] for v in project.once(_used_in, function) if isinstance(v, External)}
    if "softmax" in words and any(_scores(n) for n in walk(project.index.function(function).node)):
        return Kind("transformer", f"attention in {function.partition('::')[2]}")
    return Kind("")


_PRODUCTS = ("matmul", "bmm", "einsum", "baddbmm")


def _scores(node: ast.AST) -> bool:
    """Queries times transposed keys."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        return _transposed(node.right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _PRODUCTS:
        return node.func.attr == "einsum" or any(map(_transposed, node.args))
    return False


def _transposed(expr: ast.expr) -> bool:
    if isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute):
        return expr.func.attr in ("transpose", "permute", "swapaxes")
    return isinstance(expr, ast.Attribute) and expr.attr in ("T", "mT")


def _first(kinds: Iterable[Kind]) -> Kind:
    best = Kind("")
    for kind in kinds:
        if kind.name == "transformer":
            return kind
        best = kind if kind.name else best
    return best
