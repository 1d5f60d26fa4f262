import importlib
import os

MADE = {}


def make(wanted):
    found = None
    for name in MADE.keys():
        if name == wanted:
            found = MADE[name]
    return found


def register(name):
    def put(cls):
        MADE[name] = cls
        return cls

    return put


def load_every(folder, namespace):
    for file in sorted(os.listdir(folder)):
        if not file.startswith("_") and file.endswith(".py"):
            name = file[: file.find(".py")]
            importlib.import_module(namespace + "." + name)


load_every(os.path.dirname(__file__), "parts")
