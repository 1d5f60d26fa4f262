"""Which run meets which finding: findings (or, where there are many, rules) as rows, runs as columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mmcodemod.report.page.columns import Column, Columns, columns
from mmcodemod.report.page.element import EMPTY, Html, element, joined
from mmcodemod.report.page.shown import WORDS, Item, Shown, ranges
from mmcodemod.report.words import count

MOST_ROWS = 120  # findings that each get a row of their own
_CUT = "Columns are out of view: scroll the table sideways \N{RIGHTWARDS ARROW}"


def matrix(shown: Shown) -> Html:
    """The table with its caption; empty when no finding is about a run of the tree."""
    made = columns(shown)
    items = [item for item in shown.items if item.runs]
    if not made.kept or not items:
        return EMPTY
    by_rule = len(items) > MOST_ROWS
    rows = _by_rule(shown, items, made) if by_rule else _by_finding(shown, items, made)
    head = element("thead", _strategies(made), _runs(made))
    table = element("table", head, element("tbody", joined(rows)), class_="matrix")
    scroll = element("div", table, class_="scroll", tabindex=0, role="region", aria_labelledby="matrix-title")
    remarks = element(
        "p", joined(_remarks(made, by_rule, len(shown.items) - len(items)), " "), class_="remark"
    )
    cut = element("p", _CUT, id="sideways", class_="remark", hidden=True)  # the script knows the width
    return joined([remarks, cut, scroll, EMPTY if by_rule else _legend(items)])


def _legend(items: Iterable[Item]) -> Html:
    met = dict.fromkeys(item.finding.severity.value for item in items)
    marks = [element("li", element("span", class_=f"dot {s}", aria_hidden="true"), WORDS[s]) for s in met]
    return element("ul", *marks, element("li", "empty: not met"), class_="legend")


def _remarks(made: Columns, by_rule: bool, without: int) -> Iterator[str]:
    single = all(len(column.runs) == 1 for column in made.kept)
    yield "A column is one run." if single else "A column is all runs that meet the same findings."
    yield "A row is a rule, a number counts its findings." if by_rule else "A cell leads to the finding."
    if made.left_out:
        yield f"{count(made.left_out, 'run')} with fewer findings left out here; the list of runs has them."
    if without:
        yield f"{count(without, 'finding')} about no run of this tree left out here."


def _strategies(made: Columns) -> Html:
    cells = (_strategy(name, wide, runs) for name, wide, runs in made.strategies())
    return element("tr", element("td", class_="corner"), *cells, class_="strategies")


def _strategy(name: str, wide: int, runs: int) -> Html:
    label = element("span", name, class_="strategy")
    number = count(runs, "run") if wide > 2 else f"{runs}"
    return element("th", label, f" {number}", colspan=wide, scope="colgroup")


def _runs(made: Columns) -> Html:
    corner = element("th", "finding", class_="corner", scope="col")
    return element("tr", corner, *(_run(at, column) for at, column in enumerate(made.kept)), class_="runs")


def _run(at: int, column: Column) -> Html:
    more = element("small", f" +{len(column.runs) - 1}") if len(column.runs) > 1 else EMPTY
    label = element("span", element("bdi", column.first.label), more)
    number = column.first.number
    link = element("a", label, href=f"#run-{number}", data_run=number, title=_title(column))
    numbers = ranges(tuple(run.number for run in column.runs))
    return element("th", link, scope="col", data_column=at, data_runs=numbers)


def _title(column: Column) -> str:
    more = f" and {count(len(column.runs) - 1, 'run')} with the same findings" if len(column.runs) > 1 else ""
    return f"{column.first.context.id}{more}"


def _by_finding(shown: Shown, items: Iterable[Item], made: Columns) -> Iterator[Html]:
    for item in items:
        link = element("a", *_name(shown, item.finding.rule), href=f"#{item.id}")
        head = element("th", link, element("small", element("bdi", _end(item))), scope="row")
        cells = (_cell(item, at, column) for at, column in enumerate(made.kept))
        yield element("tr", head, *cells, class_=item.finding.severity.value, data_of=item.id)


def _cell(item: Item, at: int, column: Column) -> Html:
    number, severity = column.first.number, item.finding.severity.value
    if number not in item.runs:
        return element("td", data_column=at)
    word = element("span", WORDS[severity], class_="hidden")
    mark = element("a", word, class_=f"dot {severity}", href=f"#{item.id}", data_run=number)
    return element("td", mark, class_=severity, data_column=at)


def _name(shown: Shown, code: str) -> tuple[str, ...]:
    return element("b", code), " ", element("span", shown.names.get(code, ""))


def _end(item: Item) -> str:
    """The end of the path says more than its beginning."""
    at = item.finding.at
    return f"{at.path.rpartition('/')[2]}:{at.line}"


def _by_rule(shown: Shown, items: Iterable[Item], made: Columns) -> Iterator[Html]:
    rules: dict[str, list[Item]] = {}
    for item in items:
        rules.setdefault(item.finding.rule, []).append(item)
    for code, some in rules.items():
        loudest = some[0]
        link = element("a", *_name(shown, code), href=f"#{loudest.id}", data_rule=code)
        head = element("th", link, element("small", count(len(some), "finding")), scope="row")
        cells = _counted(_by_runs(some), made)
        yield element("tr", head, *cells, class_=loudest.finding.severity.value, data_rule=code)


def _by_runs(items: Iterable[Item]) -> list[tuple[frozenset[int], list[Item]]]:
    """Findings that are about the same runs."""
    groups: dict[tuple[int, ...], list[Item]] = {}
    for item in items:
        groups.setdefault(item.runs, []).append(item)
    return [(frozenset(runs), some) for runs, some in groups.items()]


def _counted(groups: list[tuple[frozenset[int], list[Item]]], made: Columns) -> Iterator[Html]:
    for at, column in enumerate(made.kept):
        met = [some for runs, some in groups if column.first.number in runs]
        yield _number(met, at, column) if met else element("td", data_column=at)


def _number(met: list[list[Item]], at: int, column: Column) -> Html:
    loudest = max((some[0] for some in met), key=lambda item: item.finding.severity.rank)
    severity, number = loudest.finding.severity.value, f"{sum(map(len, met))}"
    rule, run = loudest.finding.rule, column.first.number
    link = element("a", number, href=f"#{loudest.id}", data_run=run, data_rule=rule)
    return element("td", link, class_=severity, data_column=at)
