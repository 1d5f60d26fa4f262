"""Which settings hold what nobody should print: reports are posted, and kept by CI."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from mmcodemod.model.option import Option
from mmcodemod.model.pattern import regex

MASK = "***"
_VARIABLE = regex(r"(.*_)?(KEY|TOKEN|SECRET|PASSWORD|PASSWD)", re.IGNORECASE)
_OPTION = regex(
    r"(.*[._-])?((api|access|secret|wandb|openai)_?key|(hub|hf|auth|access|api|wandb)_?token|secret|password)",
    re.IGNORECASE,
)
_FLAG = regex(r"--?(?P<name>[\w.-]+)(?P<value>=.+)?", re.DOTALL)
_OVERRIDE = regex(r"\+{0,2}(?P<name>\w+(\.\w+)*)=.+", re.DOTALL)  # `++tracker.api_key=...`


def is_secret(name: str) -> bool:
    """Does an option (`hub_token`) or a variable (`env.HF_TOKEN`) hold a key or a password? Tokens of
    texts (`--image_token`) are none."""
    wanted = _VARIABLE if name.startswith("env.") else _OPTION
    return wanted.fullmatch(name.removeprefix("env.")) is not None


def hidden(name: str, option: Option) -> Option:
    """The option as it may be shown."""
    return replace(option, value=MASK) if option.known and option.value and is_secret(name) else option


def masked(words: Iterable[str]) -> Iterator[str]:
    """The words of a command without the values of such options."""
    behind = False
    for word in words:
        flag = _FLAG.fullmatch(word)
        override = _OVERRIDE.fullmatch(word)
        secret = flag is not None and is_secret(flag["name"].replace("-", "_"))
        given = flag is not None and bool(flag["value"])
        if (secret and given) or (override is not None and not behind and is_secret(override["name"])):
            yield f"{word.partition('=')[0]}={MASK}"
        else:
            yield MASK if behind and flag is None else word
        behind = secret and not given
