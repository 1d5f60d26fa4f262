"""Versions and specifiers, compared with what the `packaging` library says of them."""

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from mmcodemod.facts.pep440 import order
from mmcodemod.facts.versions import allows, pinned_version, version_below

NUMBERS = st.integers(0, 3)
RELEASES = st.lists(NUMBERS, min_size=1, max_size=4).map(lambda parts: ".".join(map(str, parts)))
PRE = st.sampled_from(["", "", "", "a0", "b1", "rc1", "rc2", ".alpha.1", "-preview-2"])
POST = st.sampled_from(["", "", "", ".post0", ".post1", "-2", "rev3"])
DEV = st.sampled_from(["", "", "", ".dev0", ".dev1"])
LOCAL = st.sampled_from(["", "", "", "+cu118", "+1", "+abc.5"])
EPOCHS = st.sampled_from(["", "", "", "", "1!", "v"])


def joined(*parts):
    return st.tuples(*parts).map("".join)


PUBLIC = joined(EPOCHS, RELEASES, PRE, POST, DEV)
VERSIONS = joined(EPOCHS, RELEASES, PRE, POST, DEV, LOCAL)
CLAUSES = st.one_of(
    joined(st.sampled_from(["<", "<=", ">", ">=", "~="]), PUBLIC),
    joined(st.sampled_from(["==", "!="]), VERSIONS),
    joined(st.sampled_from(["==", "!="]), RELEASES, st.just(".*")),
)
SPECS = st.lists(CLAUSES, min_size=1, max_size=3).map(",".join)


@settings(max_examples=1500, deadline=None)
@given(VERSIONS, VERSIONS)
def test_versions_are_ordered_as_packaging_orders_them(one, other):
    first, second = Version(one), Version(other)
    assert (order(one) < order(other), order(one) == order(other)) == (first < second, first == second)


@settings(max_examples=3000, deadline=None)
@given(SPECS, VERSIONS, st.lists(VERSIONS, max_size=12))
@example("<3.1", "3.1rc1", ["3.1.dev0", "3.0"])
@example("==2.1.0", "2.1.0+cu118", ["2.1.0", "2.1.0+cu121"])
@example("==0.19.*,>=0.19.0rc1", "0.19.0", ["0.19.0rc1", "0.19.0"])
@example("<=1.0", "1.0.post1", ["1.0+abc", "1.0"])
@example("<=1.0", "1.0+abc", ["1.0+xyz"])
@example(">=1.0,<2", "2", ["2.dev0", "2rc1", "1.9"])
def test_no_version_that_packaging_allows_contradicts_an_answer(spec, limit, candidates):
    """The answer speaks of every version that the specifier allows; pre-releases where it names one."""
    try:
        allowed = SpecifierSet(spec)
    except InvalidSpecifier:
        assume(False)
    answer = version_below(spec, limit)
    candidates += [clause.version.removesuffix(".*") for clause in allowed] + [limit]
    for candidate in candidates:
        if allowed.contains(candidate, prereleases=bool(allowed.prereleases)):
            below = Version(candidate) < Version(limit)
            assert answer in (below, None), candidate
            assert allows(spec, candidate), candidate


@settings(max_examples=1500, deadline=None)
@given(VERSIONS, PUBLIC)
def test_an_exact_pin_answers_every_question(pin, limit):
    """The limit has no local part: `==1.0` allows 1.0+cu118 as well."""
    assert version_below(f"=={pin}", limit) is (Version(pin) < Version(limit))
    assert pinned_version(f"=={pin}") == pin


@settings(max_examples=1000, deadline=None)
@given(RELEASES, RELEASES)
def test_a_bound_is_as_good_as_it_can_be(bound, limit):
    lower = Version(bound) < Version(limit)
    assert version_below(f">={bound}", limit) is (None if lower else False)
    assert version_below(f"<{bound}", limit) is (True if Version(bound) <= Version(limit) else None)
    assert version_below(f"<={bound}", limit) is (True if lower else None)


@pytest.mark.parametrize(
    ("spec", "answer"),
    [
        ("==0.9.*", True),
        ("<0.9 || >=2", None),
        (">=5,<6 || <0.1", None),
        ("==$VERSION", None),
        ("==9.*.*", None),
        ("===strange", None),
        ("==" + "9" * 300, None),
        ("==" + "1." * 3000, None),
        (">=1.0," * 1000, None),
        ("~=1.0+local" * 50, None),
        ("", None),
    ],
)
def test_what_cannot_be_read_says_nothing(spec, answer):
    assert version_below(spec, "1.0") is answer


def test_a_prefix_ends_before_the_first_development_release_of_the_next():
    assert version_below("==0.18.*", "0.19.dev0") is True


def test_below_a_release_means_below_its_pre_releases():
    assert version_below("<3.1", "3.1rc1") is True
    assert version_below("<3.1rc2", "3.1rc1") is None


def test_a_limit_that_is_no_version_says_nothing():
    assert version_below("==1.0", "one") is None


@pytest.mark.parametrize("spec", [">=1.0", "==1.*", "1.0", "==1.0,==1.0", "@git+https://h/x", "==$V", ""])
def test_what_pins_nothing(spec):
    assert pinned_version(spec) is None
