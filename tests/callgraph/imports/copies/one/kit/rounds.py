def one_round():
    pass
