"""A method is called under a name that is not known, with what nobody passes it by name."""

import sys


class Tool:
    def speak(self, loud=False):
        if loud:
            shout()


def shout():
    return 1


def run(name):
    tool = Tool()
    tool.speak()
    getattr(tool, name)(loud=True)


run("".join(["spe", "ak"]) if sys.argv else "")
