"""Makes the rule folders importable as `mmcodemod.codemods.<slug>`.

In a wheel they lie in this folder. From source they lie in the top-level `codemods/` of the checkout, which
is no import package of its own: one would be shadowed by an analysed repository's `codemods/`.
"""

from pathlib import Path

_checkout = Path(__file__).resolve().parents[3]
if Path(__file__).resolve().parents[2].name == "src" and (_checkout / "pyproject.toml").is_file():
    __path__ = [str(_checkout / "codemods")]
