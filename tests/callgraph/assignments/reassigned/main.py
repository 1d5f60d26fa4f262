"""Only the last of several straight assignments counts."""


def draft():
    pass


def final():
    pass


def run():
    step = draft
    step = final
    step()


run()
