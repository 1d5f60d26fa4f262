"""What stands behind a test that is never true does not run."""


def shown():
    return 1


def hidden():
    return 2


def run():
    if False:
        hidden()
    else:
        shown()
    return hidden() if 0 else shown()


run()
