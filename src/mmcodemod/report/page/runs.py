"""The runs: as chips below a finding, and as a list that tells how each is launched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mmcodemod.model.context import Context, Entry, Origin
from mmcodemod.report.page.element import EMPTY, Html, element, joined, unbroken
from mmcodemod.report.page.shown import LOUDEST_FIRST, WORDS, Item, Run, Shown
from mmcodemod.report.words import count, few

MOST_CHIPS = 6  # that show at once
MOST_NAMES = 100  # of one finding
MOST_RUNS = 1000  # of the list

_ORIGINS = {
    Origin.LAUNCHED: "launched in the tree",
    Origin.NOTED: "a command that a plan or a record has",
    Origin.CONFIGURED: "a configuration that nothing launches",
    Origin.ENTRY: "an entry point that nothing launches",
    Origin.ASIDE: "an entry point that nothing launches or names, beside others that are launched",
    Origin.LIBRARY: "no training entry in the tree",
}


def chips(item: Item, shown: Shown) -> Html:
    """The runs of a finding, a line for each strategy."""
    if not item.runs:
        return _elsewhere(item)
    met = [shown.runs[number] for number in item.runs]
    whole = _share(len(met), len(shown.runs))
    lines = [_line(strategy, some) for strategy, some in _by_strategy(met)]
    return element("div", element("p", whole, class_="whole"), *lines, class_="runs")


def _elsewhere(item: Item) -> Html:
    """What is said of a finding in a context that is no run of the tree."""
    names = few(sorted(item.finding.contexts))
    return element("p", f"no run of this tree: {names}", class_="whole") if names else EMPTY


def _share(met: int, every: int) -> str:
    if met == every:
        return f"in all {every} runs" if every > 1 else "in the only run"
    return f"in {met} of {every} runs"


def _by_strategy(runs: Sequence[Run]) -> list[tuple[str, list[Run]]]:
    groups: dict[str, list[Run]] = {}
    for run in runs[:MOST_NAMES]:
        groups.setdefault(run.strategy, []).append(run)
    return sorted(groups.items())


def _line(strategy: str, runs: Sequence[Run]) -> Html:
    first, rest = runs[:MOST_CHIPS], runs[MOST_CHIPS:]
    opened = element("summary", f"{len(rest)} more")
    more = [element("details", opened, _names(rest))] if rest else []
    return element("div", element("span", strategy, class_="strategy"), _names(first), *more, class_="line")


def _names(runs: Sequence[Run]) -> Html:
    return joined((_chip(run) for run in runs), " ")


def _chip(run: Run) -> Html:
    return element(
        "a", element("bdi", run.label), class_="chip", href=f"#run-{run.number}", data_run=run.number
    )


def listed(shown: Shown) -> Html:
    """Every run with its command, the files that decide, and what it meets."""
    rows = [_run(run, shown) for run in shown.runs[:MOST_RUNS]]
    left = len(shown.runs) - len(rows)
    more = element("p", f"{count(left, 'more run')} left out.", class_="remark") if left else EMPTY
    return joined([*rows, more])


def _run(run: Run, shown: Shown) -> Html:
    name = element("code", element("bdi", run.label), class_="place")
    head = element("summary", name, element("span", run.strategy, class_="strategy"), _outcome(run, shown))
    facts = [(element("dt", what), _value(what, value)) for what, value in _facts(run.context) if value]
    anchor = element("span", id=f"run-{run.number}")
    rows = element("dl", *(part for fact in facts for part in fact))
    return element("details", head, anchor, rows, class_="run", data_run=run.number)


def _value(what: str, value: str) -> Html:
    text = " ".join(value.split())
    return element("dd", element("code", unbroken(text)) if what == "command" else element("bdi", text))


def _outcome(run: Run, shown: Shown) -> Html:
    found = [(s, number) for s, number in zip(LOUDEST_FIRST, shown.loudness(run)) if number]
    if not found:
        return element("span", "looks right", class_="outcome right")
    words = ", ".join(count(number, WORDS[s.value]) for s, number in found)
    return element("span", words, class_=f"outcome {found[0][0].value}")


def _facts(context: Context) -> Iterator[tuple[str, str]]:
    yield "launched", str(context.launcher) if context.launcher else _ORIGINS[context.origin]
    yield "command", context.command
    yield "entry", _entry(context.entry) if context.entry else ""
    yield "configuration", ", ".join(sorted(context.configs))
    at = context.strategy_from.at
    yield "strategy", f"{context.strategy.value}{f' ({at})' if at else ''}"
    found = sorted(context.dependencies.items())
    yield "versions", ", ".join(f"{d.name}{d.spec}" for _, d in found if d.spec)
    yield "notes", "; ".join(context.notes)


def _entry(entry: Entry) -> str:
    return f"installed {entry.library}" if entry.library else f"{entry.path} {entry.symbol}"
