"""Contexts that are alike are judged once (one class, in the design): those that run the same code with the
same strategy, configurations and versions, and are equal in every option that the judge asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from mmcodemod.model.context import Context
from mmcodemod.model.option import Option, Scalar, Special
from mmcodemod.project.own_lines import at_home

T = TypeVar("T")
Seen = tuple[Scalar | Special, bool, str] | None  # value, whether a place sets it, note; None: not there
_Known = list[tuple[dict[str, Seen], Any, Context]]  # what was asked for and seen, the answer, and of whom


class Watched(dict[str, Option]):
    """Options that note which of them are asked for, while somebody listens."""

    def __init__(self, options: dict[str, Option]) -> None:
        super().__init__(options)
        self.listening: list[dict[str, Seen]] = []

    def seen(self, name: str) -> Seen:
        """What an answer may depend on: not where the option is written. "" asks which options there are."""
        if not name:
            return (", ".join(sorted(dict.keys(self))), True, "")
        option = dict.get(self, name)
        return None if option is None else (option.value, option.at is None, option.note)

    def _note(self, name: object) -> None:
        for log in self.listening:
            log[str(name)] = self.seen(str(name))

    def _note_all(self) -> None:
        for name in ("", *dict.keys(self)) if self.listening else ():
            self._note(name)

    def __getitem__(self, name: str) -> Option:
        self._note(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self._note(name)
        return super().__contains__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self._note(name)
        return super().get(name, default)

    def __iter__(self) -> Iterator[str]:
        self._note_all()
        return super().__iter__()

    def items(self) -> Any:
        self._note_all()
        return super().items()

    def values(self) -> Any:
        self._note_all()
        return super().values()

    def keys(self) -> Any:
        self._note_all()
        return super().keys()


def watched(context: Context) -> Context:
    """The context with options that note what is asked of them."""
    return replace(context, options=Watched(context.options))


class Judging:
    """`alike` says of a context what an answer may depend on besides its options."""

    def __init__(self, alike: Callable[[Context], object]) -> None:
        self._alike = alike
        self._kinds: dict[int, object] = {}
        # Keeps the context and the object: their ids could be used again.
        self._once: dict[tuple[int, int, str], tuple[Context, object, _Known]] = {}

    def each(self, contexts: Iterable[Context], judge: Callable[[Context], T]) -> list[tuple[Context, T]]:
        """Every context with its answer; contexts that are alike share the answer of the first, told with
        their own lines."""
        known: dict[object, _Known] = {}
        return [(c, self._answer(c, judge, known.setdefault(self._kind(c), []))) for c in contexts]

    def once(self, context: Context, about: object, kind: str, judge: Callable[[Context], T]) -> T:
        """One answer of a kind about one context, worked out once for each object that it is about: who
        listens hears again which options it asked for."""
        _, _, known = self._once.setdefault((id(context), id(about), kind), (context, about, []))
        return self._answer(context, judge, known)

    def _kind(self, context: Context) -> object:
        found = self._kinds.get(id(context))
        if found is None:
            found = self._kinds[id(context)] = self._alike(context)
        return found

    def _answer(self, context: Context, judge: Callable[[Context], T], known: _Known) -> T:
        options = context.options
        if not isinstance(options, Watched):
            return judge(context)
        for asked, answer, of in known:
            if all(options.seen(name) == seen for name, seen in asked.items()):
                for outer in options.listening:
                    outer |= asked
                given: T = at_home(answer, of, context, asked)
                return given
        log: dict[str, Seen] = {}
        options.listening.append(log)
        try:
            made = judge(context)
        finally:
            options.listening.pop()
        known.append((log, made, context))
        return made
