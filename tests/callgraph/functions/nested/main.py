"""Nested functions, recursion, calls in defaults and in conditions."""


def depth():
    return 1


def walk(level=depth()):
    def inner():
        leaf()

    inner()
    if level and depth():
        walk(level - 1)


def leaf():
    pass


walk()
