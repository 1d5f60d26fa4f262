"""Constant keys are told apart; a key that is not known means all values."""


def linear():
    pass


def mlp():
    pass


def resampler():
    pass


TABLE = {"linear": linear, "mlp": mlp}
TABLE["linear"]()
TABLE.get("linear")()
nested = {"vision": {"a": mlp}, 3: linear}
nested["vision"]["a"]()
nested[3]()


def pick(name):
    return {"r": resampler, "l": linear}[name]


for name in "rl":
    pick(name)()
