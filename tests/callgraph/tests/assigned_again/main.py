"""A name that holds a constant first, and what is computed later, or that others write."""

import sys

LEVEL = 0
QUIET = False
NEVER = False


def raised():
    return 1


def loud():
    return 2


def silent():
    return 3


def counted():
    return 4


def found():
    return 5


def set_level(value):
    global LEVEL
    LEVEL = value


def run(words):
    set_level(len(words))
    if LEVEL:
        raised()
    if not QUIET:
        loud()
    if NEVER:
        silent()
    total = 0
    for word in words:
        total += len(word)
    if total:
        counted()
    last = None
    match words:
        case [*_, last]:
            pass
    if last is not None:
        found()


run(sys.argv)
