"""How many parameters the model of a run has: from its name ("...-7b"), or from a config.json of the tree.
Nothing is downloaded; where both are silent, so is the answer."""

from __future__ import annotations

import posixpath
import re

from mmcodemod.facts import jsonspan
from mmcodemod.facts.node import Node
from mmcodemod.model.context import Context
from mmcodemod.model.frozen import frozen
from mmcodemod.model.option import Option
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.project.model import Project
from mmcodemod.source.tree import UnreadableFile

GIVEN = (
    "model_name_or_path", "pretrained_model_name_or_path", "model_id", "model_path", "model", "model_name",
)  # fmt: skip
# "-7b", "-1.8B", "_7b" after a letter, "-1_8b"; not "8x7b" (experts), "A3B" (active ones), "4bit", "_2_7b"
_COUNT = regex(
    r"(?:^|(?<=-)|(?<=[A-Za-z]_))(\d{1,3}(?:\.\d{1,2})?)[bB](?![A-Za-z\d])|(?<=-)(\d_\d)[bB](?![A-Za-z\d])"
)
_EXPERTS = regex(r"\d+x\d|moe|[-_]a\d+(\.\d+)?b", re.IGNORECASE)
_SMALLER = regex(r"awq|gptq|int4|int8|4bit|8bit|nf4|gguf|bnb|fp8", re.IGNORECASE)
# Decoders with gated feed-forward layers, of which the formula below holds (transformers, modeling_llama.py).
_GATED = ("llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2", "internlm2", "phi3", "yi")

_SIZES = ("vocab_size", "hidden_size", "num_hidden_layers", "intermediate_size")


@frozen()
class Count:
    """`total` parameters; `largest`: of the largest layer, 0 when not known. `at`, `name`: what says so."""

    total: int
    at: Place
    name: str
    largest: int = 0


def parameters(project: Project, context: Context) -> Count | None:
    """The parameters of the model that a run loads, None where its name does not say. A model whose weights
    are held in fewer than 16 bits, or that has experts, has no answer."""
    option = next((o for name in GIVEN if (o := context.option(name)).at is not None), None)
    if option is None or option.at is None or not isinstance(option.value, str):
        return None
    return _from_tree(project, context, option, option.value) or _from_name(option.at, option.value)


def _from_name(at: Place, text: str) -> Count | None:
    name = posixpath.basename(text.rstrip("/"))
    if _EXPERTS.search(name) or _SMALLER.search(name):
        return None
    found = _COUNT.findall(name)
    if len(found) != 1:
        return None
    total = round(float("".join(found[0]).replace("_", ".")) * 1e9)
    return Count(total, at, name) if total else None


def _from_tree(project: Project, context: Context, option: Option, text: str) -> Count | None:
    """`./models/x/config.json`, relative to the root or to the script."""
    folder = posixpath.dirname(context.launcher.path) if context.launcher else ""
    for base in ("", folder):
        path = posixpath.normpath(posixpath.join(base, text, "config.json"))
        root = _root(project, path) if path in project.tree.paths else None
        if root is not None and (made := _counted(root)) is not None:
            return Count(made[0], option.at or Place(path, 1), path, made[1])
    return None


def _root(project: Project, path: str) -> Node | None:
    try:
        return jsonspan.parse(project.index.text(path)).root
    except UnreadableFile:
        return None


def _counted(root: Node) -> tuple[int, int] | None:
    """All parameters, and those of the embedding, of a decoder with gated feed-forward layers."""
    kind = root.get("model_type")
    if kind is None or kind.value not in _GATED or root.get("quantization_config"):
        return None
    sizes = [_whole(root, key) for key in _SIZES]
    heads = _whole(root, "num_attention_heads")
    if not heads or not all(sizes):
        return None
    vocabulary, hidden, layers, inner = sizes
    width = _whole(root, "head_dim") or hidden // heads
    shared = (_whole(root, "num_key_value_heads") or heads) * width
    layer = 2 * hidden * heads * width + 2 * hidden * shared + 3 * hidden * inner + 2 * hidden
    tied = root.get("tie_word_embeddings")
    embeddings = vocabulary * hidden * (1 if tied and tied.value is True else 2)
    return embeddings + layers * layer + hidden, max(vocabulary * hidden, hidden * inner)


def _whole(root: Node, key: str) -> int:
    node = root.get(key)
    return node.value if node and isinstance(node.value, int) and not isinstance(node.value, bool) else 0
