"""Classes to choose from by name; what a library defines is none of the tree's."""

from collections import OrderedDict


class Clip:
    def run(self):
        return 1


class Siglip:
    def run(self):
        return 2


def helper():
    return OrderedDict()
