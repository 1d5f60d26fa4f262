"""Tests that ask for a modality after a stand-in has taken the place of what was missing: then it is there on
all ranks. Must-analysis on what surely runs before the test, here and in functions that pass the input on."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse
from mmcodemod.model.place import Place
from mmcodemod.project.arguments import argument
from mmcodemod.project.batch_keys import training_calls
from mmcodemod.project.collate import is_stand_in
from mmcodemod.project.emitting import defaults, holders, lacking_there, owners
from mmcodemod.project.flow import flow_of, leaves
from mmcodemod.project.modality import Atom
from mmcodemod.project.model import Project
from mmcodemod.project.whether_there import whether_there

MAX_DEPTH = 3


def filled_before(project: Project, facts: FunctionFacts, atom: Atom) -> Place | None:
    """The line that fills in what an atom of a test asks for; None where it may be missing."""
    if atom.key:
        return _key_filled(project, facts, atom) if whether_there(atom.node) else None
    asked = whether_there(atom.node) == atom.name
    return filled(project, facts, atom.name, atom.node, 0) if asked else None


def filled(project: Project, facts: FunctionFacts, name: str, node: ast.AST, depth: int) -> Place | None:
    """The line that gives a name something in any case before a node; None where it may be None there."""
    flow = flow_of(project, facts.id)
    statement = flow.statement_of(node)
    for earlier in flow.before(statement) if statement is not None else ():
        if _fills(earlier, name) or _helped(project, facts, earlier, name, depth):
            return project.place(facts.path, earlier)
        if _binds(earlier, name):
            return None
    outside = name in facts.parameters.names and not (flow.loops(node) and _binds_anywhere(facts, name))
    return _passed(project, facts, name, depth) if outside and depth < MAX_DEPTH else None


def _fills(statement: ast.stmt, name: str) -> bool:
    """`if images is None: images = zeros` and `images = zeros if images is None else images`"""
    match statement:
        case ast.If(test=test, body=body, orelse=other) if lacks(test, name):
            made = [value for s in body if (value := _given(s, name)) is not None]
            return any(map(is_stand_in, made)) and not any(_binds(s, name) for s in other)
    value = _given(statement, name)
    return value is not None and (_chosen(value, name) or _is_made(value))


def _is_made(value: ast.expr) -> bool:
    """A stand-in alone, not a choice of which one part is."""
    return not isinstance(value, (ast.IfExp, ast.BoolOp)) and is_stand_in(value)


def _chosen(value: ast.expr, name: str) -> bool:
    """Itself where it is there, else a stand-in."""
    match value:
        case ast.IfExp(test=test, body=made, orelse=ast.Name(id=kept)) if lacks(test, name):
            return kept == name and _is_made(made)
        case ast.IfExp(test=test, body=ast.Name(id=kept), orelse=made) if lacks(_negated(test), name):
            return kept == name and _is_made(made)
        case ast.BoolOp(op=ast.Or(), values=[ast.Name(id=kept), made]):
            return kept == name and _is_made(made)
    return False


def _negated(test: ast.expr) -> ast.expr:
    match test:
        case ast.Compare(left=left, ops=[ast.IsNot()], comparators=right):
            return ast.Compare(left, [ast.Is()], right)
    return ast.UnaryOp(ast.Not(), test)


def lacks(test: ast.expr, name: str) -> bool:
    """Is a test true wherever the name is None?"""
    match test:
        case ast.BoolOp(op=ast.Or(), values=values):
            return any(lacks(value, name) for value in values)
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=asked)):
            return asked == name
        case ast.Compare(left=ast.Name(id=asked), ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
            return asked == name
    return False


def _given(statement: ast.stmt, name: str) -> ast.expr | None:
    """What a statement gives a name, alone or as one of several: `images, weight = zeros, 0.0`."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name:
            return value
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
            pairs = zip(map(unparse, names), values)
            return next((value for bound, value in pairs if bound == name), None)
    return None


def _binds(statement: ast.stmt, name: str) -> bool:
    stores = (n for n in own_nodes(statement) if isinstance(n, ast.Name) and n.id == name)
    return any(not isinstance(n.ctx, ast.Load) for n in stores)


def _binds_anywhere(facts: FunctionFacts, name: str) -> bool:
    return any(_binds(s, name) for s in facts.node.body)


def _helped(project: Project, facts: FunctionFacts, statement: ast.stmt, name: str, depth: int) -> bool:
    """`images = self.filled(images)`, where the function gives back images or a stand-in."""
    call = _given(statement, name)
    if not isinstance(call, ast.Call) or depth >= MAX_DEPTH:
        return False
    edges = [
        e for f in project.frames(facts.id) for e in project.graph.edges.get(f, ()) if e.site is not None
    ]
    callees = {e.callee.function for e in edges if e.call is call}
    return bool(callees) and all(_gives(project, callee, depth + 1) for callee in callees)


def _gives(project: Project, function: str, depth: int) -> bool:
    """Is each thing that a function returns a stand-in, or an input that surely is there?"""
    if function.startswith("<"):
        return False
    facts = project.index.function(function)
    returns = [n for n in own_nodes(facts.node) if isinstance(n, ast.Return)]
    ends = leaves(getattr(facts.node, "body", []))
    return ends and bool(returns) and all(_surely(project, facts, r, depth) for r in returns)


def _surely(project: Project, facts: FunctionFacts, given: ast.Return, depth: int) -> bool:
    if isinstance(given.value, ast.Name):
        name, flow = given.value.id, flow_of(project, facts.id)
        left = any(
            isinstance(s, ast.If) and lacks(s.test, name) and leaves(s.body) for s in flow.before(given)
        )
        return left or filled(project, facts, name, given, MAX_DEPTH) is not None
    return given.value is not None and _is_made(given.value)


def _passed(project: Project, facts: FunctionFacts, name: str, depth: int) -> Place | None:
    """Where all calls of training fill in what they pass for a parameter."""
    places = []
    for edge in training_calls(project, facts):
        if edge.caller.function not in project.trained:
            return None  # an evaluation or a demonstration: who trains does not show
        given = argument(edge.call, facts, name)
        caller = project.index.function(edge.caller.function)
        known = isinstance(given, ast.Name) and filled(project, caller, given.id, edge.call, depth + 1)
        if not isinstance(known, Place):
            return None
        places.append(known)
    return places[0] if places else None


def _key_filled(project: Project, facts: FunctionFacts, atom: Atom) -> Place | None:
    """`if "images" not in batch: batch["images"] = zeros` before `if "images" in batch:`"""
    flow, asked = flow_of(project, facts.id), holders(atom.node, atom.name)
    statement = flow.statement_of(atom.node)
    for earlier in flow.before(statement) if statement is not None and asked else ():
        if asked <= _stocked(earlier, atom.name):
            return project.place(facts.path, earlier)
    return None


def _stocked(statement: ast.stmt, key: str) -> set[str]:
    """What surely has something under a key after a statement."""
    match statement:
        case ast.If(test=test, body=body, orelse=[]):
            made = [s for s in body if isinstance(s, ast.Assign) and is_stand_in(s.value)]
            return lacking_there(test, key) & {holder for s in made for holder in owners(s, key)}
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=holder), args=[_, made]) as call):
            return {unparse(holder)} if defaults(call, key) and is_stand_in(made) else set()
    return set()
