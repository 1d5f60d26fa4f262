"""Conditional expressions, `or` and the walrus keep all that a name may be."""


def fast():
    pass


def slow():
    pass


def fallback():
    pass


def choose(quick):
    return fast if quick else slow


for quick in (True, False):
    choose(quick)()
missing = None
(missing or fallback)()
if picked := choose(True):
    picked()
