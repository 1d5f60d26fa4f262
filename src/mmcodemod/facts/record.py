"""Records of facts as bytes, to be kept under the hash of the content or sent by another process.

The digest is looked at first: what was cut, overwritten or written by another version is Damaged, and nothing
of it is unpacked."""

from __future__ import annotations

import sys
from collections.abc import Callable
from hashlib import blake2b

from mmcodemod.facts.extract import extract
from mmcodemod.facts.outline import Outline
from mmcodemod.facts.packing import pack, unpack
from mmcodemod.facts.syntax import ParseError
from mmcodemod.facts.terms import Record

EXTRACTOR_VERSION = 7  # goes up with every change of what a record says
_DIGEST = 16  # bytes
_MAKER = f"facts {EXTRACTOR_VERSION} {sys.version_info[0]}.{sys.version_info[1]}".encode()


class Damaged(Exception):
    """These bytes are no record that this version wrote."""


def facts_key(data: bytes) -> bytes:
    """What the record of a file is kept under: changes with content, extractor and Python's grammar."""
    return blake2b(data, digest_size=20, person=_MAKER[:16]).digest()


def extracted(data: bytes, outlined: Callable[[], Outline] | None = None) -> bytes:
    """The record of a file as bytes. That `ast` rejects the file is a fact, too. `outlined` reads the file
    where its tree is to be kept."""
    try:
        return encode(extract(data, outlined() if outlined else None))
    except ParseError as error:
        return encode((error.message, error.line))


def encode(record: Record) -> bytes:
    """The bytes of a record."""
    written = pack(record)
    return _digest(written) + written


def decode(blob: bytes) -> Record:
    """The record of `encode`.

    Raises:
        Damaged: for all other bytes.
        ParseError: when it says that the file cannot be parsed.
    """
    digest, written = blob[:_DIGEST], blob[_DIGEST:]
    if digest != _digest(written):
        raise Damaged
    record: Record = unpack(written)
    if len(record) == 2:
        raise ParseError(*record)
    return record


def _digest(written: bytes) -> bytes:
    return blake2b(written, digest_size=_DIGEST, person=_MAKER[:16]).digest()
