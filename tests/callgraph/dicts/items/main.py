"""Loops over `items` and `values`, and a dict comprehension."""


def load():
    pass


def save():
    pass


def show():
    pass


steps = {"load": load, "save": save}
for name, step in steps.items():
    step()
more = {name: show for name in ("a", "b")}
for step in more.values():
    step()
