"""Operands that run only where those before them were true, or false."""


def asked():
    return True


def skipped():
    return True


def run(strict=False, quiet=True):
    if strict and skipped():
        return None
    if quiet or skipped():
        return asked()
    return skipped()


run()
