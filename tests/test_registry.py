"""Finding rules: shipped, from entry points, from --codemods; and every mistake at once."""

import os
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import pytest

import mmcodemod.codemods
from mmcodemod.engine import plugins, registry
from mmcodemod.engine.registry import RegistryError, names, rule_page, rules, shipped_page

RULE = """
    from mmcodemod.model.grade import Severity
    from mmcodemod.model.rule import Rule
    from .codemod import nothing

    RULE = Rule(
        code={code!r}, name={name!r}, summary="A demo", family="sharding", severity=Severity.ERROR,
        since="0.1.0", trigger=nothing, check=nothing,
    )
"""


@pytest.fixture
def no_shipped_rules(tmp_path, monkeypatch):
    monkeypatch.setattr(mmcodemod.codemods, "__path__", [str(tmp_path / "nothing_is_here")])
    registry._load.cache_clear()
    yield
    registry._load.cache_clear()


def folder(root, slug="demo_rule", code="MM198", name="demo-rule", source=RULE):
    place = root / slug
    place.mkdir(parents=True)
    (place / "__init__.py").touch()
    (place / "codemod.py").write_text("def nothing(*_):\n    return ()\n")
    (place / "rule.py").write_text(textwrap.dedent(source).format(code=code, name=name))
    (place / "rule.md").write_text(f"# {code}\n\nPage.\n")
    return root


def mistakes(root):
    with pytest.raises(RegistryError) as caught:
        rules([root])
    return caught.value.problems


def test_a_folder_of_codemods_adds_rules_and_pages(tmp_path, no_shipped_rules):
    found = rules([folder(tmp_path)])
    assert [rule.code for rule in found] == sorted(rule.code for rule in found)
    demo = next(rule for rule in found if rule.code == "MM198")
    assert rule_page(demo, [tmp_path]) == "# MM198\n\nPage.\n"
    assert names([tmp_path])["MM198"] == "demo-rule"
    assert "MM198" not in {rule.code for rule in rules()}


def test_two_folders(tmp_path, no_shipped_rules):
    folder(tmp_path / "a")
    folder(tmp_path / "b", slug="other_rule", code="MM197", name="other-rule")
    codes = {rule.code for rule in rules([tmp_path / "a", tmp_path / "b"])}
    assert {"MM197", "MM198"} <= codes


def test_every_mistake_at_once(tmp_path, no_shipped_rules):
    folder(tmp_path, "wrong_folder", "MM198", "demo-rule")
    folder(tmp_path, "same_code", "MM198", "same-code")
    folder(tmp_path, "bad_code", "XX1", "bad-code")
    folder(tmp_path, "broken_rule", source="import no_such_module_at_all")
    folder(tmp_path, "empty_rule", source="x = 1")
    folder(tmp_path, "no_init", "MM196", "no-init")
    (tmp_path / "no_init" / "__init__.py").unlink()
    text = "\n".join(mistakes(tmp_path))
    for part in (
        "the folder is wrong_folder, but the name asks for demo_rule",
        "MM198: 2 rules have this code",
        "XX1: a code is MM and three digits",
        "broken_rule: cannot be imported: ModuleNotFoundError",
        "empty_rule: rule.py declares no RULE",
        "no_init: a rule folder needs __init__.py",
    ):
        assert part in text


def test_codes_of_our_own_findings_are_taken(tmp_path, no_shipped_rules):
    folder(tmp_path, "unused_suppression", "MM901", "unused-suppression")
    assert any("MM901: 2 rules have this code" in problem for problem in mistakes(tmp_path))


def test_a_missing_folder_is_a_mistake(tmp_path, no_shipped_rules):
    assert "no such folder" in mistakes(tmp_path / "nowhere")[0]


def test_entry_points(tmp_path, monkeypatch, no_shipped_rules):
    package = tmp_path / "acme_rules"
    folder(package)
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    installed = tmp_path / "acme-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    named = f"[{plugins.GROUP}]\nacme = acme_rules\n"
    (installed / "entry_points.txt").write_text(named + "gone = no_such_module_at_all\n")
    with pytest.raises(RegistryError, match="gone: cannot be imported"):
        rules()
    (installed / "entry_points.txt").write_text(named)
    assert [rule.code for rule in rules()] == ["MM198"]


def test_a_distribution_in_an_archive_is_found(tmp_path, monkeypatch):
    archive = tmp_path / "acme.egg"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("EGG-INFO/PKG-INFO", "Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
        file.writestr("EGG-INFO/entry_points.txt", f"[{plugins.GROUP}]\nacme = acme_rules\n")
    monkeypatch.syspath_prepend(str(archive))
    assert [point.value for point in plugins.plug_ins()] == ["acme_rules"]


def test_without_rules_of_others_importlib_metadata_is_not_imported():
    code = "import sys; from mmcodemod.engine import registry; registry.rules()\n"
    code += "assert 'importlib.metadata' not in sys.modules"
    env = {**os.environ, "PYTHONPATH": str(Path(mmcodemod.__file__).parents[1])}
    subprocess.run([sys.executable, "-c", code], env=env, check=True)


def test_pages_are_found_without_importing_rules(tmp_path, monkeypatch):
    folder(tmp_path, source=RULE + "\n    raise RuntimeError('imported')\n")
    monkeypatch.setattr(mmcodemod.codemods, "__path__", [str(tmp_path)])
    assert shipped_page("MM198") == shipped_page("demo-rule") == "# MM198\n\nPage.\n"
    assert shipped_page("MM19") is None
    assert shipped_page("MM901").startswith("# MM901")


def test_the_shipped_rules_are_well_formed_and_explain_finds_the_page_of_each():
    assert rules()
    for rule in rules():
        assert (shipped_page(rule.code) or "") == (shipped_page(rule.name) or "") == rule_page(rule)


def test_a_codemods_package_of_the_analysed_repository_is_not_imported(tmp_path):
    evil = tmp_path / "codemods" / "evil_rule"
    evil.mkdir(parents=True)
    for file in (tmp_path / "codemods" / "__init__.py", evil / "__init__.py", evil / "rule.py"):
        file.write_text("print('evil was here')\n")
    command = [sys.executable, "-m", "mmcodemod", "rules"]
    env = {**os.environ, "PYTHONPATH": str(Path(mmcodemod.__file__).parents[1])}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert "evil was here" not in done.stdout


CHECKOUT = Path(mmcodemod.__file__).parents[2]


@pytest.mark.skipif(not (CHECKOUT / "README.md").is_file(), reason="a wheel needs a checkout with README")
def test_a_wheel_holds_the_rules_and_their_pages(tmp_path):
    pytest.importorskip("hatchling")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=CHECKOUT, check=True, capture_output=True)
    zipfile.ZipFile(next(tmp_path.glob("*.whl"))).extractall(tmp_path / "installed")
    script = """
        from mmcodemod.engine.registry import rule_page, rules
        print([(rule.code, rule_page(rule)) for rule in rules()])
    """
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "installed")}
    command = [sys.executable, "-c", textwrap.dedent(script)]
    done = subprocess.run(command, cwd=tmp_path, env=env, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == str([(rule.code, rule_page(rule)) for rule in rules()])
