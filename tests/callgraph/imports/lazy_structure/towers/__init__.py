import sys

from transformers.utils import _LazyModule

_import_structure = {"tower": ["Tower"]}
_import_structure["builder"] = ["build"]

sys.modules[__name__] = _LazyModule(__name__, globals()["__file__"], _import_structure, module_spec=__spec__)
