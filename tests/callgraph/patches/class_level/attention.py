def score():
    pass


def run():
    score()
