"""A name that an import, a definition or a handler gives something else behind a test of it."""

from plain import Tool


def imported():
    tool = Tool
    if not hasattr(tool, "speak"):
        from compat import Tool as tool

        tool.speak()


def defined(tool=Tool):
    if not hasattr(tool, "speak"):

        class tool:
            def speak():
                return 2

        tool.speak()


imported()
defined()
