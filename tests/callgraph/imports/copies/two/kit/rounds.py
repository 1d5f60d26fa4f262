def one_round():
    step()


def step():
    pass
