"""The engine of fixes, with rules made of words: rounds, conflicts, and all that a fix may not do."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from mmcodemod.engine import fixing
from mmcodemod.engine.called import UnknownContext, context_ids
from mmcodemod.engine.fixing import fix_all
from mmcodemod.engine.plan import decided, every, take, within
from mmcodemod.model.context import Context, Entry, Strategy
from mmcodemod.model.finding import Finding, Problem
from mmcodemod.model.fix import Edit, Fix, apply_edits
from mmcodemod.model.grade import Applicability, Severity
from mmcodemod.model.place import Place
from mmcodemod.model.report import Report
from mmcodemod.report.words import labels
from mmcodemod.scan.rewrite import edits_between
from mmcodemod.source.tree import MemoryTree, OverlayTree, read_text, text_tree

LOUD, QUIET = Severity.WARNING, Severity.INFO


def words(tree, pattern):
    """(path, line, column, match) of each match in the tree."""
    for path in tree.paths:
        for number, line in enumerate(read_text(tree, path).splitlines(), start=1):
            for match in re.finditer(pattern, line):
                yield path, number, match.start() + 1, match


def finding(path, line, column, text, edits=(), severity=LOUD, contexts=()):
    fix = Fix(f"mend {text}", Applicability.SAFE, tuple(edits)) if edits else None
    return Finding("MM1", Place(path, line, column), f"{text} is bad", severity, anchor=text,
                   fix=fix, contexts=contexts)  # fmt: skip


def swap(path, line, column, old, new):
    return Edit(path, (line, column), (line, column + len(old)), new)


class Checker:
    """`bad*` is a finding whose fix writes what stands behind `->` in `fixes`, else `good`."""

    def __init__(self, fixes=(), contexts=lambda tree: ()):
        self.fixes, self.contexts, self.runs = dict(fixes), contexts, 0

    def __call__(self, tree):
        self.runs += 1
        found = []
        for path, line, column, match in words(tree, r"bad\w*"):
            new = self.fixes.get(match[0], "good")
            edits = () if new is None else (swap(path, line, column, match[0], new),)
            found.append(finding(path, line, column, match[0], edits))
        return Report(tuple(found), contexts=tuple(self.contexts(tree)))


def fixed(files, check=None, plan=None):
    tree = text_tree(files)
    result = fix_all(tree, check or Checker(), plan or every(True))
    return {**files, **{path: data.decode() for path, data in result.changed.items()}}, result


def problems(result):
    return [refusal.problem for refusal in result.refused]


def test_many_findings_of_which_several_are_refused():
    """Each good fix lands, however many bad ones are among them."""
    names = [f"bad{n:02}" for n in range(40)]
    stuck = {name: f"{name} " for name in names[3::5]}  # their finding stays
    files = {"a.txt": "".join(f"{name}\n" for name in names)}
    after, result = fixed(files, Checker(stuck))
    assert after["a.txt"].split() == [name if name in stuck else "good" for name in names]
    assert sorted(f.anchor for f in result.gone) == sorted(set(names) - set(stuck))
    assert [p.line for p in problems(result)] == [names.index(name) + 1 for name in stuck]
    assert {p.message for p in problems(result)} == {
        "the fix of MM1 was not applied: the finding is still there after the fix"
    }


def test_equal_findings_are_told_one_by_one():
    _, result = fixed({"a.txt": "bad\ngood\nbad\n"}, Checker({"bad": "bad "}))
    assert [(r.at.at.line, r.now.at.line) for r in result.refused] == [(1, 1), (3, 3)]


def test_one_bad_fix_costs_few_checks():
    check = Checker({"bad07": "bad07 "})
    fixed({"a.txt": "".join(f"bad{n:02}\n" for n in range(32))}, check)
    assert check.runs <= 6


def test_a_chain_of_many_rounds():
    """Each fix lays the next one open; five rounds would not do."""

    def check(tree):
        stage = int(read_text(tree, "a.txt"))
        edit = swap("a.txt", 1, 1, str(stage), str(stage - 1))
        return Report((finding("a.txt", 1, 1, f"stage{stage}", (edit,)),) if stage else ())

    def anew(tree):  # the next finding is there from the start, without a fix
        report = check(tree)
        stage = int(read_text(tree, "a.txt"))
        rest = tuple(finding("a.txt", 1, 1, f"stage{n}") for n in range(1, stage))
        return replace(report, findings=(*report.findings, *rest))

    after, result = fixed({"a.txt": "12"}, anew)
    assert after["a.txt"] == "0" and not result.last.findings and len(result.gone) == 12


def test_the_number_of_checks_is_bounded(monkeypatch):
    monkeypatch.setattr(fixing, "MAX_CHECKS", 9)
    check = Checker({f"bad{n:02}": "x bad99" for n in range(0, 64, 2)})
    _, result = fixed({"a.txt": "".join(f"bad{n:02}\n" for n in range(64))}, check)
    assert check.runs <= 9
    assert any("too many" in p.message for p in problems(result))


def test_overlapping_fixes_land_one_after_the_other():
    def check(tree):
        text = read_text(tree, "a.txt")
        found = []
        if "A" in text:
            found.append(finding("a.txt", 1, 1, "A", (swap("a.txt", 1, 1, "A-B", "a-B"),)))
        if "B" in text:
            found.append(finding("a.txt", 1, 1, "B", (swap("a.txt", 1, 1, text, text.replace("B", "b")),)))
        return Report(tuple(found))

    after, result = fixed({"a.txt": "A-B"}, check)
    assert after["a.txt"] == "a-b" and result.refused == ()
    assert [f.anchor for f in result.applied] == ["A", "B"]


def test_what_overlaps_and_never_lands_is_told():
    def check(tree):
        text = read_text(tree, "a.txt")
        edits = (swap("a.txt", 1, 1, "one", "two"),)
        if text == "one":
            return Report((finding("a.txt", 1, 1, "A", edits),
                           finding("a.txt", 1, 1, "B", (swap("a.txt", 1, 2, "n", "N"),))))  # fmt: skip
        return Report((finding("a.txt", 1, 1, "B"),))

    after, result = fixed({"a.txt": "one"}, check)
    assert after["a.txt"] == "two"
    assert [p.message for p in problems(result)] == [
        "the fix of MM1 was not applied: its edits overlap those of another fix"
    ]


def test_a_fix_that_overlaps_one_that_fails_is_tried():
    fixes = {"A": swap("a.txt", 1, 1, "AB", "AAB"), "B": swap("a.txt", 1, 1, "AB", "A")}

    def check(tree):
        text = read_text(tree, "a.txt")
        return Report(tuple(finding("a.txt", 1, 1, w, (fixes[w],)) for w in "AB" if w in text))

    assert fixed({"a.txt": "AB"}, check)[0]["a.txt"] == "A"


def test_a_fix_that_fails_is_tried_again_on_the_changed_text():
    """Two members of an empty object: each text is right alone, both together are not JSON."""

    def check(tree):
        text = read_text(tree, "ds.json")
        column = text.index("{") + 2
        comma = "" if text == "{}" else ", "
        missing = [k for k in "ab" if f'"{k}"' not in text]
        at = (1, column)
        return Report(tuple(finding("ds.json", 1, 1, k, (Edit("ds.json", at, at, f'"{k}": 1{comma}'),))
                            for k in missing))  # fmt: skip

    assert fixed({"ds.json": "{}"}, check)[0]["ds.json"] == '{"b": 1, "a": 1}'


def test_the_same_import_of_two_fixes_lands_once_and_first():
    start = (1, 1)
    add = Edit("a.txt", start, start, "import x\n")

    def check(tree):
        found = []
        for path, line, column, match in words(tree, r"bad\d"):
            note = Edit(path, start, start, f"note {match[0][3]}\n")
            edits = (note, swap(path, line, column, match[0], "ok"), add)
            found.append(finding(path, line, column, match[0], edits))
        return Report(tuple(found))

    after, _ = fixed({"a.txt": "bad1\nbad2\n"}, check)
    assert after["a.txt"] == "import x\nnote 1\nnote 2\nok\nok\n"


def test_the_same_import_at_two_places_lands_once_where_one_is_enough():
    """The second finding is fixed on the changed text, which has the import."""

    def check(tree):
        text, found = read_text(tree, "a.txt"), []
        for path, line, column, match in words(tree, r"bad\d"):
            new = Edit(path, (line, 1), (line, 1), "import x\n")
            edits = (swap(path, line, column, match[0], "ok"), *(() if "import" in text else (new,)))
            found.append(finding(path, line, column, match[0], edits))
        return Report(tuple(found))

    assert fixed({"a.txt": "bad1\nbad2\n"}, check)[0]["a.txt"] == "import x\nok\nok\n"


def test_insertions_at_one_place_keep_the_order_of_the_fixes():
    at = (1, 1)
    edits = tuple(Edit("f", at, at, text) for text in ("z()\n", "a()\n", "import b\n", "z()\n"))
    assert apply_edits("end", edits) == "import b\nz()\na()\nend"


def test_two_equal_findings_of_which_one_has_a_fix():
    def check(tree):
        found = [finding(p, n, c, m[0], (swap(p, n, c, "bad", "good"),) if n == 1 else ())
                 for p, n, c, m in words(tree, "bad")]  # fmt: skip
        return Report(tuple(found))

    after, result = fixed({"a.txt": "bad\nbad\n"}, check)
    assert after["a.txt"] == "good\nbad\n"
    assert [f.at.line for f in result.gone] == [1]


def test_a_second_finding_of_a_known_kind_is_new():
    after, result = fixed({"a.txt": "bad1\nbad2\n"}, Checker({"bad1": "bad2"}))
    assert after["a.txt"] == "bad1\ngood\n" or after["a.txt"] == "good\ngood\n"
    grown, result = fixed({"a.txt": "bad1\nbad2\n"}, Checker({"bad1": "bad2 bad2", "bad2": None}))
    assert grown["a.txt"] == "bad1\nbad2\n"
    assert "it would bring a new finding, MM1 at a.txt:1" in problems(result)[0].message


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.py", "x = bad", "x = ="),
        ("ds.json", '{"a": "bad"}', '"'),
        ("ds.json", '{"a": 1} // bad', "\n}"),
        ("c.yaml", "a: bad", "[1"),
        ("run.sh", "echo bad\ntorchrun train.py\n", "'"),
    ],
)
def test_a_file_that_would_not_parse(path, before, after):
    files, result = fixed({path: before}, Checker({"bad": after}))
    assert files[path] == before
    assert f"{path} would not parse" in problems(result)[0].message


def test_a_file_that_never_parsed_may_be_mended():
    assert fixed({"ds.json": '{"a": bad"}'}, Checker({"bad": '"good'}))[0]["ds.json"] == '{"a": "good"}'


def test_json_that_was_strict_stays_strict():
    assert fixed({"ds.json": '{"bad": 1}'}, Checker({"bad": 'good": 2, // "'}))[1].changed == {}


def context(line, path="run.sh", id=""):
    return Context(id or f"{path}:{line}", Entry("train.py"), Place(path, line), Strategy.ZERO3)


def launches(tree):
    """A context for each line with `torchrun`."""
    return [context(line, path) for path, line, _, _ in words(tree, "torchrun")]


def test_a_launch_may_move():
    check = Checker({"bad": "export A=1\ngood"}, launches)
    assert "export" in fixed({"run.sh": "bad\ntorchrun train.py\n"}, check)[0]["run.sh"]


def test_a_launch_may_not_vanish():
    """Its findings would vanish with it."""
    files, result = fixed({"run.sh": "torchrun bad\n"}, _every({"torchrun bad": "nothing good"}, launches))
    assert files["run.sh"] == "torchrun bad\n"
    assert "run.sh:1 would not be a training run any more" in problems(result)[0].message


def _every(fixes, contexts):
    def check(tree):
        found = [finding(p, n, c, m[0], (swap(p, n, c, m[0], fixes[m[0]]),))
                 for pattern in fixes for p, n, c, m in words(tree, pattern)]  # fmt: skip
        return Report(tuple(found), contexts=tuple(contexts(tree)))

    return check


def worse(change):
    """After the fix of `bad`, a second finding is as `change` makes it."""

    def check(tree):
        report = Checker(contexts=launches)(tree)
        other = finding("run.sh", 2, 1, "other", contexts=tuple(c.id for c in report.contexts)[:1])
        other = other if report.findings else replace(other, **change(report))
        return replace(report, findings=(*report.findings, other))

    return fixed({"run.sh": "bad\ntorchrun a\ntorchrun b\n"}, check)[1]


def test_no_other_finding_gets_more_contexts():
    result = worse(lambda report: {"contexts": tuple(c.id for c in report.contexts)})
    assert not result.changed and "MM1 at run.sh:2 would hold in more runs" in problems(result)[0].message


def test_no_other_finding_gets_worse():
    result = worse(lambda report: {"severity": Severity.ERROR})
    assert not result.changed and "MM1 at run.sh:2 would be an error" in problems(result)[0].message


def test_a_quiet_finding_may_stay_and_fewer_contexts_are_fine():
    assert worse(lambda report: {"contexts": ()}).changed
    assert worse(lambda report: {"severity": QUIET}).changed


def test_contexts_that_moved_are_the_same():
    def check(tree):
        report = Checker({"bad": "one\ntwo"}, launches)(tree)
        other = finding("run.sh", 2, 1, "other", contexts=tuple(c.id for c in report.contexts)[:1])
        return replace(report, findings=(*report.findings, other))

    assert fixed({"run.sh": "bad\ntorchrun a\ntorchrun b\n"}, check)[1].changed


def test_a_new_problem_is_an_objection():
    def check(tree):
        report = Checker()(tree)
        crashed = (Problem("", "rule", "MM2 crashed"),)
        return report if report.findings else replace(report, problems=crashed)

    result = fixed({"a.txt": "bad"}, check)[1]
    assert not result.changed and "MM2 crashed" in problems(result)[0].message


def test_line_ends_of_windows_are_kept():
    tree = MemoryTree({"a.txt": b"bad\r\nend\r\n"})
    result = fix_all(tree, Checker({"bad": "one\ntwo"}), every(True))
    assert result.changed == {"a.txt": b"one\r\ntwo\r\nend\r\n"}


def test_a_text_that_the_encoding_lacks_is_refused():
    data = b"# -*- coding: latin-1 -*-\nx = 'bad\xe9'\n"
    tree = MemoryTree({"a.py": data})
    check = Checker({"bad\xe9": "\u4e2d"})
    result = fix_all(tree, check, every(True))
    assert not result.changed and "cannot be written" in problems(result)[0].message


def test_a_fix_of_a_file_that_is_not_there_is_refused():
    edit = Edit("new.txt", (1, 1), (1, 1), "x")
    report = Report((finding("a.txt", 1, 1, "bad", (edit,)),))
    _, result = fixed({"a.txt": "bad"}, lambda tree: report)
    assert not result.changed and "new.txt cannot be read" in problems(result)[0].message


def test_fixed_again_gives_no_edits():
    names = [f"bad{n:02}" for n in range(12)]
    tree = text_tree({"a.txt": "".join(f"{name}\n" for name in names)})
    check = Checker({name: f"{name} " for name in names[::3]})
    once = fix_all(tree, check, every(True))
    assert not fix_all(OverlayTree(tree, once.changed), check, every(True)).changed


def leave(finding, tree):
    return None


def test_a_decision_holds_for_its_finding_alone():
    def only_second(report, tree):
        return decided({f: take if f.at.line == 2 else leave for f in report.findings})

    assert fixed({"a.txt": "bad\nbad\nbad\n"}, plan=only_second)[0]["a.txt"] == "bad\ngood\nbad\n"


def test_a_decision_holds_in_later_rounds_where_it_is_clear():
    """The second of the two overlaps with the first, and is tried on the changed text."""

    def check(tree):
        text = read_text(tree, "a.txt")
        edit = {w: (swap("a.txt", 1, 1, text, text.replace(w, "")),) for w in "ABC"}
        return Report(tuple(finding("a.txt", 1, 1, w, edit[w]) for w in "ABC" if w in text))

    def plan(report, tree):
        return decided({f: leave if f.anchor == "B" else take for f in report.findings})

    assert fixed({"a.txt": "ABC"}, check, plan)[0]["a.txt"] == "B"


def test_an_own_edit_instead_of_the_fix():
    """What a decision writes is verified like a fix: here, that the finding is gone."""

    def plan(report, tree):
        own = Fix("own", Applicability.SAFE, (Edit("a.txt", (1, 1), (1, 4), "fine"),))
        return decided({f: lambda finding, tree: own for f in report.findings})

    assert fixed({"a.txt": "bad"}, plan=plan)[0]["a.txt"] == "fine"


def two_runs(tree):
    """`bad1` is of the first launch alone, `bad2` of the second, `bad3` of both."""
    report = Checker(contexts=launches)(tree)
    ids = [c.id for c in report.contexts]
    of = {"bad1": ids[:1], "bad2": ids[1:], "bad3": ids}
    found = tuple(replace(f, contexts=tuple(of[f.anchor])) for f in report.findings)
    return replace(report, findings=found)


def test_only_these_contexts():
    files = {"run.sh": "torchrun a\ntorchrun b\n", "a.txt": "bad1 bad2 bad3"}
    after, _ = fixed(files, two_runs, within(("run.sh:1",), every(True)))
    assert after["a.txt"] == "good bad2 good"
    after, _ = fixed(files, two_runs, within(("run.sh:2",), every(True)))
    assert after["a.txt"] == "bad1 good good"
    after, _ = fixed(files, two_runs, within(("run.sh",), every(True)))
    assert after["a.txt"] == "good good good"


def test_an_unknown_context_names_what_is_near():
    files = {"run.sh": "torchrun a\ntorchrun b\n", "a.txt": "bad1"}
    with pytest.raises(UnknownContext, match=r"'run.sh:3' .*did you mean run.sh:."):
        fixed(files, two_runs, within(("run.sh:3",), every(True)))
    with pytest.raises(UnknownContext, match="mmcodemod contexts"):
        fixed(files, two_runs, within(("xyz",), every(True)))


LAUNCHES = ("a/run.sh:1", "a/run.sh:9", "b/run.sh:2", "b/c/tune.sh:3", "deep/b/c/last.sh:4", "train.py")


def launched_as(*ids):
    """Contexts with these ids; what has no line is an entry that nothing launches."""
    at = [(i, *i.partition(":")[::2]) for i in ids]
    return [
        Context(i, Entry("train.py"), Place(path, int(line)) if line else None, Strategy.DDP)
        for i, path, line in at
    ]


def test_what_reports_call_a_run_is_what_a_context_is_called():
    """Also where the names that are shown are ends of paths."""
    shown = labels(launched_as(*LAUNCHES))
    assert {i: context_ids([name], launched_as(*LAUNCHES)) for i, name in shown.items()} == {
        i: {i} for i in LAUNCHES
    }
    assert shown["deep/b/c/last.sh:4"] == "c/last.sh"


def test_the_end_of_a_path_means_all_runs_of_that_file():
    assert context_ids(["a/run.sh"], launched_as("x/a/run.sh:1", "x/a/run.sh:9", "b/run.sh:2")) == {
        "x/a/run.sh:1",
        "x/a/run.sh:9",
    }
    assert context_ids(["run.sh"], launched_as("run.sh:1", "b/run.sh:2")) == {"run.sh:1"}, "exact comes first"


def test_the_end_of_several_paths_means_none_of_them():
    with pytest.raises(UnknownContext, match=r"'run.sh' is several runs: a/run.sh, b/run.sh$"):
        context_ids(["run.sh"], launched_as(*LAUNCHES))
    with pytest.raises(UnknownContext, match=r"no training context is called 'un\.sh'"):
        context_ids(["un.sh"], launched_as(*LAUNCHES))
    many = launched_as(*(f"{n}/run.sh:2" for n in range(9)))
    with pytest.raises(UnknownContext, match=r"several runs: 0/run.sh:2, .*, 4/run.sh:2 \(\+4\)$"):
        context_ids(["run.sh:2"], many)


def test_a_part_of_a_name_that_is_no_end_suggests_the_names_that_have_it():
    launches = ("scripts/finetune.sh:3", "scripts/v1/finetune_lora.sh:5", "finetune/pretrain.sh:2", "x.sh:1")
    with pytest.raises(UnknownContext) as caught:
        context_ids(["Finetune"], launched_as(*launches))
    assert str(caught.value) == (
        "no training context is called 'Finetune' (did you mean scripts/finetune.sh, "
        "scripts/v1/finetune_lora.sh, finetune/pretrain.sh?)"
    )
    many = launched_as(*(f"{n}/run_{n}.sh:2" for n in range(9)))
    with pytest.raises(UnknownContext, match=r"\(did you mean 0/run_0.sh, .*, 4/run_4.sh \(\+4\)\?\)$"):
        context_ids(["run"], many)
    with pytest.raises(UnknownContext, match=r"\(`mmcodemod contexts` lists them\)$"):
        context_ids([""], many)


@pytest.mark.parametrize("mark", ["\x0c", "\x1c", "\u2028", "\x85"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_edits_of_a_transformation_count_lines_as_the_file_does(mark, end):
    """A form feed or U+2028 ends no line."""
    before = f"a{mark}b{end}{mark}{end}c{end}d"
    after = before.replace("c", f"C{end}C")
    edits = edits_between("f.py", before, after)
    assert apply_edits(before, edits) == after
    assert edits[0].start[0] == 3
