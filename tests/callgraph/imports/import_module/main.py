"""`importlib.import_module` with a constant, absolute and relative."""

import importlib

importlib.import_module("plugin").run()
module = importlib.import_module("package.part")
getattr(module, "work")()
