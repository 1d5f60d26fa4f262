"""MM506: a key of a DeepSpeed configuration that DeepSpeed does not know: it is ignored, or an error."""

from __future__ import annotations

from collections.abc import Iterator

from mmcodemod.api import (
    DEEPSPEED_KEYS,
    DEEPSPEED_RELEASES,
    Answer,
    Applicability,
    Context,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Fix,
    JsonMember,
    JsonNode,
    Note,
    Project,
    Rule,
    Severity,
    Site,
    Unclear,
    config_answers,
    config_site,
    configs,
    dies_untold,
    member_place,
    versions,
)

from .codemod import distance, renamed

NEAR = 2  # letters
SHORT = 6  # letters of a key for which a likeness means nothing
FOREIGN = 5  # so many unknown keys, and the file is meant for somebody else, too
COMMENTS = ("_", "//", "#", "comment", "$")
SIGNS = "?!*:#/_ .-"

Named = tuple[str, JsonMember]  # the object, "" for the whole configuration, and the member


def trigger(project: Project) -> Iterator[Site]:
    """Every key that some recorded release of DeepSpeed refuses, or none reads."""
    for path, document in sorted(project.get(configs.parsed).items()):
        found = list(_unknown(document.root, "")) if document.root else []
        foreign = sum(1 for section, m in found if not section and not _near(section, m.key)) > FOREIGN
        for section, member in found:
            if section or not foreign or _near(section, member.key):
                at = member_place(path, member.key_start, member.node)
                yield config_site(at, (section, member, document.root))


def _unknown(node: JsonNode, section: str) -> Iterator[Named]:
    known = DEEPSPEED_KEYS[section]
    for member in node.members:
        inner = f"{section}.{member.key}" if section else member.key
        gated = known.get(member.key, "none").strip("x?" if section else "x?-")
        if gated and not _is_remark(node, section, member.key):
            yield section, member
        if inner in DEEPSPEED_KEYS and member.node.kind == "object":
            yield from _unknown(member.node, inner)


def _is_remark(node: JsonNode, section: str, key: str) -> bool:
    """Is it a word to the reader: by its beginning, or, where DeepSpeed does not mind, as the name of a key
    beside it with a sign behind?"""
    name = key.rstrip(SIGNS)
    beside = not section and name != key and any(m.key == name for m in node.members)
    return beside or key.lower().startswith(COMMENTS)


def _near(section: str, key: str) -> str:
    """The one key that is meant, "" when none is or several may be: what some release knows means itself."""
    if key in DEEPSPEED_KEYS[section]:
        return ""
    close = [
        (d, known)
        for known, marks in DEEPSPEED_KEYS[section].items()
        if len(key) > SHORT and _common(marks) and (d := distance(key, known)) <= NEAR
    ]
    best = sorted(close)[:2]
    return best[0][1] if best and (len(best) == 1 or best[0][0] < best[1][0]) else ""


def _common(marks: str) -> bool:
    """Do the newest recorded release and most others read the key?"""
    return marks[-1] == "x" and 2 * len(marks.replace("-", "")) > len(marks)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    section, member, _ = site.data
    answers = config_answers.answered(project, site.path, lambda context: _judge(context, section, member))

    def message(_: Context, answer: Answer) -> str:
        return _message(section, member, answer, _stops(section, member, answer))

    def most(answer: Answer) -> Severity:
        return Severity.ERROR if _stops(section, member, answer) else Severity.WARNING

    anchor = f"{section}.{member.key}".lstrip(".")
    yield from config_answers.concluded(
        project, RULE.code, site.at, answers, message, anchor, most, ends=dies_untold
    )


def _judge(context: Context, section: str, member: JsonMember) -> Answer:
    """Is the key unknown to the DeepSpeed of this run?"""
    marks = DEEPSPEED_KEYS[section].get(member.key, "")
    if configs.changed_by_code(context, f"{section}.{member.key}".lstrip(".")):
        at = member_place(context.configs[-1], member.key_start, member.node)
        return Excluded(Note(at, "the code sets or removes it before DeepSpeed reads it"))
    if not marks:
        return _never_known(context, section, member)
    for release, mark in zip(DEEPSPEED_RELEASES, marks):
        if (mark == "r" or (mark == "-" and section)) and _has(context, release, marks):
            pin = versions.pinned(context, "deepspeed", f", {_why(release, mark)}")
            return Fatal(pin)
    at = member_place(context.configs[-1], member.key_start, member.node)
    return Excluded(
        Note(at, f'releases of DeepSpeed know "{member.key}", and none that is required does not')
    )


def _never_known(context: Context, section: str, member: JsonMember) -> Answer:
    if section and member.node.value == "auto":
        return Unclear('the value: "auto" is left out before the keys are checked', plausible=False)
    since = _checked_since(section)
    if section and since and versions.below(context, "deepspeed", since) is not False:
        return Unclear(f"the deepspeed version: {since} checks these keys", plausible=False)
    return Fatal() if section or _near(section, member.key) else Unclear("", plausible=False)


def _checked_since(section: str) -> str:
    """The recorded release that is the first to check the keys of an object, "" when all do."""
    marks = next(iter(DEEPSPEED_KEYS[section].values()))
    unchecked = marks.count("?")
    return DEEPSPEED_RELEASES[unchecked] if unchecked else ""


def _has(context: Context, release: str, marks: str) -> bool:
    """Is every version that the run may have on the side of this release on which its mark holds? Before a
    key was read, up to this release; after it was removed, from it on."""
    at = DEEPSPEED_RELEASES.index(release)
    if "x" in marks[at:]:
        return versions.below(context, "deepspeed", _next(release)) is True
    return versions.below(context, "deepspeed", release) is False


def _next(release: str) -> str:
    head, _, last = release.rpartition(".")
    return f"{head}.{int(last) + 1}"


def _why(release: str, mark: str) -> str:
    return f"in which it is {'removed' if mark == 'r' else 'unknown'} (so in {release})"


# -- what is said -------------------------------------------------------------------------------------------


def _stops(section: str, member: JsonMember, answer: Answer) -> bool:
    """Does DeepSpeed refuse the key? Else it does not read it."""
    removed = "r" in DEEPSPEED_KEYS[section].get(member.key, "")
    return isinstance(answer, Fatal) and (bool(section) or removed)


def _message(section: str, member: JsonMember, answer: Answer, stops: bool) -> str:
    where = f'"{section}"' if section else "the DeepSpeed configuration"
    near = _near(section, member.key)
    like = f', which is like "{near}"' if near else ""
    if stops:
        removed = "r" in DEEPSPEED_KEYS[section].get(member.key, "")
        why = "it was removed" if removed else "it knows no such key there"
        return f'DeepSpeed stops at "{member.key}" in {where}{like}: {why}.'
    return f'DeepSpeed does not read "{member.key}" in {where}{like}, and says nothing.'


def fix(project: Project, site: Site, finding: Finding) -> Fix | None:
    """Rename a key that can only mean one other. Unsafe where the value was ignored: it will count."""
    section, member, root = site.data
    near = _near(section, member.key)
    holder = root.get(section) if section else root
    if not near or holder is None or holder.member(near) is not None:
        return None
    safe = Applicability.SAFE if section else Applicability.UNSAFE
    return Fix(f'rename "{member.key}" to "{near}"', safe, renamed(site.path, member, near))


RULE = Rule(
    code="MM506",
    name="ds-unknown-key",
    summary="A key of a DeepSpeed configuration that DeepSpeed ignores or refuses",
    family="launch",
    severity=Severity.ERROR,
    since="0.1.0",
    preview=True,
    trigger=trigger,
    check=check,
    fix=fix,
)
