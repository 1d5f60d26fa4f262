"""Library calls between the backward pass and the optimizer's step, by dotted name.

Sources: https://docs.pytorch.org/docs/stable/notes/amp_examples.html (unscale before clipping),
https://huggingface.co/docs/accelerate/package_reference/accelerator (clip_grad_norm_ unscales by itself).
"""

from __future__ import annotations

import re

_OPTIMIZER = re.compile(
    r"""
    torch\.optim\.(?!lr_scheduler|swa_utils)(\w+\.)*[A-Z]\w*
  | transformers\.(optimization\.)?(AdamW|Adafactor)
  | (bitsandbytes|timm|torch_optimizer|pytorch_optimizer|torchao)\.(\w+\.)*\w+
  | apex\.(\w+\.)*Fused\w+
  | deepspeed\.ops\.(\w+\.)*[A-Z]\w*
  | (lion_pytorch|schedulefree|came_pytorch|adafactor|sophia)\.(\w+\.)*[A-Z]\w*
    """,
    re.VERBOSE,
)
# Adafactor and CAME clip their update, LARS, LAMB and LBFGS choose its length, Lion takes its sign and Rprop
# that of the gradient, Muon orthogonalises it, icefall's ScaledAdam clips by the median of the norms and
# AdamWClip (https://pypi.org/project/AdamWClip) by their deviation: the size of a gradient does not reach the
# weights.
_OWN_CLIPPING = re.compile(
    r"Adafactor|LARS|LBFGS|CAME|\w*Lion\w*|\w*LAMB|Lamb|NVLAMB|StableAdamW\w*|Sophia\w*|Muon|ScaledAdam|Rprop|AdamWClip"
)
_OWN_CLIPPING_OPTIM = re.compile(r"adafactor|(paged_)?lion|stable_adamw")
_SCALER = re.compile(r"\w+(\.\w+)*\.\w*GradScaler")
_PLAIN_CLIP = re.compile(r"torch\.nn\.utils\.(clip_grad\.)?clip_grad\w*|timm\.utils\.(\w+\.)*\w*clip_grad")
_CLIP_WORDS = re.compile(r"clip\w*grad|grad\w*clip|clip\w*norm|agc", re.IGNORECASE)
# `ZClip().step(model)`: a clipper of its own (https://github.com/bluorion-com/ZClip)
_CLIPPER = re.compile(r"(\w+\.)*\w*Clip(per|ping)?\(\)\.(step|__call__)")
_UNSCALING = re.compile(r".*\.(Accelerator|Fabric)\(\)\.\w+")


def is_optimizer(maker: str) -> bool:
    """Does calling the library callable give an optimizer?"""
    return bool(_OPTIMIZER.fullmatch(maker))


def clips_itself(maker: str) -> bool:
    """Does the optimizer bound its own update?"""
    return bool(_OWN_CLIPPING.fullmatch(maker.rpartition(".")[2]))


def clips_by(maker: str, keyword: str) -> bool:
    """Is it a keyword of an optimizer by which it clips gradients? Those of bitsandbytes do at a percentile
    of the last 100 norms, 100 being off (https://huggingface.co/docs/bitsandbytes/reference/optim/adam)."""
    return maker.startswith("bitsandbytes.") and keyword == "percentile_clipping"


def is_clipper(name: str) -> bool:
    """Is it the step of an object that only clips?"""
    return bool(_CLIPPER.fullmatch(name))


def optim_clips_itself(value: object) -> bool:
    """Does `--optim` (OptimizerNames of transformers: adafactor, lion_8bit) name such an optimizer?"""
    return isinstance(value, str) and bool(_OWN_CLIPPING_OPTIM.match(value))


def is_scaler(maker: str) -> bool:
    """Does calling it give a GradScaler?"""
    return bool(_SCALER.fullmatch(maker))


def clips_as_is(name: str) -> bool:
    """Does the library function clip the gradients as they are, scaled or not?"""
    return bool(_PLAIN_CLIP.fullmatch(name))


def unscales(name: str) -> bool:
    """Is it a method of an object that unscales by itself before it clips?"""
    return bool(_UNSCALING.fullmatch(name))


def sounds_like_clipping(word: str) -> bool:
    """The last part of a name that clips, whoever defines it."""
    return bool(_CLIP_WORDS.search(word))
