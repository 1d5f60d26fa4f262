r"""The signatures: `signatures.yaml` in each rule's folder, and those of causes that no rule looks for.

```yaml
- text: 'size mismatch for [\w.]{1,200}: copying a param with shape torch\.Size\(\[\d'
  literals: ["size mismatch for"]
  symptom: shape
  weight: 5
  about: a parameter that ZeRO-3 has cut up is an empty placeholder
  source: https://github.com/...
  examples: ["size mismatch for eye.weight: copying a param with shape torch.Size([4]) from checkpoint, ..."]
```
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from mmcodemod.engine.registry import declared_code, shipped_roots
from mmcodemod.model.triage import Signature, Symptom

FILE = "signatures.yaml"
KEYS = frozenset(("text", "literals", "symptom", "weight", "about", "source", "examples"))
OPTIONAL = frozenset(("at_least", "strategies", "versions"))


class BadSignature(Exception):
    """A signature that cannot be used; the message names the file and what is wrong."""


def signatures(extra_dirs: Sequence[str | Path] = ()) -> tuple[Signature, ...]:
    """Those of all rules, in the order of their codes, and then those of no rule. Imports no rule.

    Raises:
        BadSignature: for a file that says something unknown.
    """
    roots = [*shipped_roots(), *map(Path, extra_dirs)]
    files = [file for root in roots for file in sorted(root.glob(f"*/{FILE}"))]
    found = [s for file in files for s in _read(file, _code(file))]
    elsewhere = _read(Path(__file__).with_name("elsewhere.yaml"), "")
    return (*sorted(found, key=lambda s: s.rule), *elsewhere)


def _code(file: Path) -> str:
    code = declared_code((file.parent / "rule.py").read_text(encoding="utf-8"))
    if code is None:
        raise BadSignature(f"{file}: the rule beside it declares no code")
    return code


def _read(file: Path, rule: str) -> Iterator[Signature]:
    for entry in _parsed(file):
        yield _signature(entry, rule, file)


def _parsed(file: Path) -> Iterable[object]:
    import yaml

    try:
        found = yaml.load(file.read_bytes(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise BadSignature(f"{file}: {error}") from None
    if not isinstance(found, list):
        raise BadSignature(f"{file}: wants a list of signatures")
    return found


def _signature(entry: object, rule: str, file: Path) -> Signature:
    if not isinstance(entry, dict) or not KEYS <= entry.keys() <= KEYS | OPTIONAL:
        raise BadSignature(f"{file}: a signature has the keys {', '.join(sorted(KEYS))}: {entry!r:.200}")
    given: dict[str, Any] = entry
    try:
        re.compile(given["text"])
        return Signature(
            rule=rule,
            text=given["text"],
            literals=tuple(given["literals"]),
            symptom=Symptom(given["symptom"]),
            weight=int(given["weight"]),
            about=given["about"],
            source=given["source"],
            examples=tuple(given["examples"]),
            at_least=int(given.get("at_least", 1)),
            strategies=tuple(given.get("strategies", ())),
            versions=tuple(sorted(given.get("versions", {}).items())),
        )
    except (TypeError, ValueError, re.error) as error:
        raise BadSignature(f"{file}: {error}: {entry!r:.200}") from None
