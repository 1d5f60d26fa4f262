"""The memory of one GPU as the user gives it: `--gpu-memory 24GiB`, or `gpu-memory` in the configuration."""

from __future__ import annotations

from mmcodemod.model.pattern import regex

_SIZE = regex(r" {0,9}(\d{1,6}(?:\.\d{1,3})?) {0,9}(GiB|GB|MiB|MB) {0,9}")
_BYTES = {"GiB": 2**30, "GB": 10**9, "MiB": 2**20, "MB": 10**6}
MAX_SHOWN = 100  # characters of what was given


class BadSize(ValueError):
    """Text that states no size; the message says what is wanted."""


def memory_size(text: str, file: str = "") -> int:
    """Bytes; 0 for "". `file`: the configuration that the text comes from.

    Raises:
        BadSize: for what is no number with a unit, and for nothing at all.
    """
    if not text:
        return 0
    match = _SIZE.fullmatch(text)
    size = int(float(match[1]) * _BYTES[match[2]]) if match else 0
    if size == 0:
        where = f"{file}: 'gpu-memory'" if file else "--gpu-memory"
        raise BadSize(f"{where} wants a size with a unit (24GiB, 80GB), not {text[:MAX_SHOWN]!r}")
    return size
