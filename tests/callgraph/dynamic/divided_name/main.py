"""The dotted name of a class is divided into its module and its own name."""

import importlib

import parts

NAMES = {"one": "parts.First", "two": "parts.Second"}


def find(which):
    module, name = NAMES[which].rsplit(".", 1)
    return getattr(importlib.import_module(module), name)


find("one")().go()
