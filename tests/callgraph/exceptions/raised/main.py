"""Raising a class builds it; the handler may call what it caught."""


class Broken(Exception):
    def __init__(self, text="broken"):
        self.text = text

    def explain(self):
        return self.text


def fail(how):
    if how:
        raise Broken
    raise Broken("again")


for how in (True, False):
    try:
        fail(how)
    except Broken as error:
        error.explain()
