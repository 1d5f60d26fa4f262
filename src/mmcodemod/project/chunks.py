"""Loops over pieces of one size, of which there are the more, the more a tensor or list has:
`images.split(8)`, `torch.split(images, 8)`, `images.unbind()` and `range(0, len(images), 8)`. By form alone:
pieces along another axis, of given sizes, or of a given number (`chunk`) are none of these."""

from __future__ import annotations

import ast
import re

from mmcodemod.model.pattern import regex

_SIZE = regex(r"(\w+_)?(chunk|batch|micro|mini|split|step|slice|group|block)\w*|n|k|size", re.IGNORECASE)
_SEVERAL = regex(r"sizes|splits|lengths|counts|nums?|sections|indices", re.IGNORECASE)


def whole_of_pieces(over: ast.expr) -> ast.expr | None:
    """What a loop takes piece by piece; None where it does not."""
    match over:
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=0), end, step]) if _one_size(step):
            return _counted(end)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr=how), args=[whole, *rest]):
            return whole if _along_the_first(how, rest, over.keywords) else None
        case ast.Call(func=ast.Attribute(value=whole, attr=how), args=rest):
            return whole if _along_the_first(how, rest, over.keywords) else None
    return None


def _along_the_first(how: str, rest: list[ast.expr], keywords: list[ast.keyword]) -> bool:
    """`split(8)`, `split(8, 0)`, `split(split_size=8, dim=0)`, `unbind()`"""
    named = {k.arg: k.value for k in keywords}
    sizes = [*rest[:1], *(named[k] for k in ("split_size", "split_size_or_sections") if k in named)]
    dims = [*(rest[1:2] if how == "split" else rest[:1]), *(named[k] for k in ("dim",) if k in named)]
    first = all(isinstance(d, ast.Constant) and d.value == 0 for d in dims)
    return first and (how == "unbind" or (how == "split" and len(sizes) == 1 and _one_size(sizes[0])))


def _one_size(size: ast.expr) -> bool:
    """A number, or a name of one; not a list of sizes."""
    if isinstance(size, ast.Constant):
        return isinstance(size.value, int)
    name = size.attr if isinstance(size, ast.Attribute) else size.id if isinstance(size, ast.Name) else ""
    return bool(_SIZE.fullmatch(name)) and not _SEVERAL.search(name)


def _counted(end: ast.expr) -> ast.expr | None:
    """`images` of `len(images)`, `images.shape[0]` and `images.size(0)`"""
    match end:
        case ast.Call(func=ast.Name(id="len"), args=[whole]):
            return whole
        case ast.Subscript(value=ast.Attribute(value=whole, attr="shape"), slice=ast.Constant(value=0)):
            return whole
        case ast.Call(func=ast.Attribute(value=whole, attr="size"), args=[ast.Constant(value=0)]):
            return whole
    return None
