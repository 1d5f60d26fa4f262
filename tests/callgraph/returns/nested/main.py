"""A function returns what another returned."""


def project():
    pass


def inner():
    return project


def outer():
    found = inner()
    return found


outer()()
