def step():
    pass


def other():
    pass
