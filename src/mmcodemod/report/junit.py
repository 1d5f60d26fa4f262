"""JUnit XML, as CI servers read it: one suite for each file, one case for each finding.

A case is known by its name from one build to the next, so names hold no line numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import groupby
from xml.etree import ElementTree

from mmcodemod.model.finding import Finding, Problem
from mmcodemod.model.grade import Severity
from mmcodemod.model.pattern import regex
from mmcodemod.model.report import Report
from mmcodemod.report.escape import visible
from mmcodemod.report.order import ordered
from mmcodemod.report.words import advice, few, from_top, heading, labels, plain

_FORBIDDEN = regex("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even escaped."""

Element = ElementTree.Element


def render(report: Report, names: Mapping[str, str], folder: str = "", fail_on: str = "warning") -> str:
    """Findings at or above `fail_on` are failures, so that the exit code and the report agree; the others
    pass with their text, and files that could not be analysed are skipped. Without any of them there is one
    case that passes: several servers take a report without cases for a mistake."""
    root = Element("testsuites", {"name": "mmcodemod"})
    runs = labels(report.contexts)
    for path, found in groupby(ordered(report.findings), key=lambda f: f.at.path):
        root.append(_suite(from_top(path, folder), _cases(found, names, folder, fail_on, runs)))
    for path, problems in groupby(sorted(set(report.problems)), key=lambda p: p.path):
        root.append(_suite(from_top(path, folder), [_skipped(p, folder) for p in problems]))
    if not len(root):
        root.append(_suite("mmcodemod", [_element("testcase", classname="mmcodemod", name="no findings")]))
    _count(root, root)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _cases(
    found: Iterable[Finding], names: Mapping[str, str], folder: str, fail_on: str, runs: Mapping[str, str]
) -> list[Element]:
    seen: Counter[str] = Counter()
    cases = []
    for finding in found:
        name = heading(finding.rule, names) + (f" in {finding.symbol}" if finding.symbol else "")
        seen[name] += 1
        numbered = f"{name} ({seen[name]})" if seen[name] > 1 else name
        cases.append(_case(finding, numbered, from_top(finding.at.path, folder), fail_on, runs))
    return cases


def _case(finding: Finding, name: str, path: str, fail_on: str, runs: Mapping[str, str]) -> Element:
    line = str(finding.at.line)
    case = _element("testcase", classname=path, name=name, file=path, line=line, time="0")
    if finding.severity.rank < Severity(fail_on).rank:
        _within(case, "system-out", _told(finding, path, runs))
        return case
    message = plain(finding.message)
    _within(case, "failure", _told(finding, path, runs), message=message, type=finding.severity.value)
    return case


def _told(finding: Finding, path: str, runs: Mapping[str, str]) -> str:
    """The finding in full: place, message, trace, contexts, fix."""
    at = finding.at
    lines = [f"{visible(path)}:{at.line}:{at.column}: {finding.severity.value}: {plain(finding.message)}"]
    lines += [f"  {visible(str(step.at))}  {plain(step.note)}" for step in finding.trace]
    if finding.contexts:
        lines.append("runs: " + few([runs.get(i, visible(i)) for i in sorted(finding.contexts)]))
    if finding.fix:
        lines.append(f"fix, {advice(finding.fix)}")
    return "\n".join([*lines, f"mmcodemod explain {finding.rule}"])


def _skipped(problem: Problem, folder: str) -> Element:
    path = from_top(problem.path, folder)
    case = _element("testcase", classname=path, name=f"analysed ({problem.kind})", file=path, time="0")
    where = f"line {problem.line}: " if problem.line else ""
    message = f"{problem.kind}: {where}{plain(problem.message)}"
    _within(case, "skipped", message, message=message)
    return case


def _suite(name: str, cases: Iterable[Element]) -> Element:
    suite = _element("testsuite", name=name, time="0")
    suite.extend(cases)
    _count(suite, suite)
    return suite


def _count(target: Element, within: Element) -> None:
    """The attributes that tell how many cases there are."""
    target.set("tests", str(len(list(within.iter("testcase")))))
    target.set("failures", str(len(list(within.iter("failure")))))
    target.set("errors", "0")
    target.set("skipped", str(len(list(within.iter("skipped")))))


def _element(tag: str, **attributes: str) -> Element:
    return Element(tag, {name: _xml(visible(value)) for name, value in attributes.items()})


def _within(case: Element, tag: str, text: str, **attributes: str) -> None:
    element = _element(tag, **attributes)
    element.text = _xml(text) or None
    case.append(element)


def _xml(text: str) -> str:
    """Text that is XML; Jenkins and GitLab take `[[ATTACHMENT|path]]` for an order to attach a file."""
    text = text.replace("[[ATTACHMENT|", "[ [ATTACHMENT|")
    return _FORBIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)
