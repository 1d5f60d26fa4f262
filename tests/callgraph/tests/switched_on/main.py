"""Somebody switches it on: by position, by name, by spreading, through a call that is not resolved."""

import copy


def first():
    return 1


def second():
    return 2


def third():
    return 3


def fourth():
    return 4


def by_position(a, extra=False):
    return first() if extra else None


def by_name(a, extra=False):
    return second() if extra else None


def by_spread(a, extra=False):
    return third() if extra else None


class Tool:
    def by_unknown(self, extra=False):
        return fourth() if extra else None


def run(options, thing):
    by_position(1, True)
    by_name(1, extra=True)
    by_spread(1, **options)
    Tool().by_unknown()
    thing.by_unknown(extra=True)


run(copy.copy({"extra": True}), copy.copy(Tool()))
