"""Pages of one file that load nothing: their parts, the policy that says so, and data that stays data."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from importlib import resources

from mmcodemod.model.pattern import regex

_HOLE = regex(r"\{\{(\w+)\}\}")


def filled(folder: str, scripts: tuple[str, ...], styles: tuple[str, ...], parts: Mapping[str, str]) -> str:
    """`page.html` of a folder of this package, with its scripts, its styles and the given markup."""
    script, style = _assets(folder, scripts), _assets(folder, styles)
    holes = {**parts, "policy": escape(_policy(script, style)), "style": style, "script": script}
    return _HOLE.sub(lambda hole: holes[hole[1]], _assets(folder, ("page.html",)))


def embedded(data: object) -> str:
    """JSON that can end neither its own block nor the page: no `<`, `>`, `&` and no line separators."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _assets(folder: str, names: tuple[str, ...]) -> str:
    found = resources.files("mmcodemod") / "report" / folder
    return "".join((found / name).read_text("utf-8") for name in names)


def _policy(script: str, style: str) -> str:
    """The page may run its own script and use its own style, and nothing else."""
    sources = f"script-src '{_hash(script)}'; style-src '{_hash(style)}'"
    return f"default-src 'none'; {sources}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
