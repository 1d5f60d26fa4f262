import importlib


def work():
    importlib.import_module(".other", "package").help()
