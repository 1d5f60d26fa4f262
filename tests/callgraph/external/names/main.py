"""Calls of libraries keep the dotted name, through aliases, results and base classes."""

import collections
import json as codec
import os
from argparse import ArgumentParser
from json import JSONEncoder
from os import path as paths

os.getcwd()
paths.join("a", "b")
codec.dumps({})
parser = ArgumentParser()
parser.add_argument("--x")


class Encoder(JSONEncoder):
    def text(self):
        return self.encode(1)

    def default(self, value):
        return super().default(value)


Encoder().text()
collections.OrderedDict().copy()
