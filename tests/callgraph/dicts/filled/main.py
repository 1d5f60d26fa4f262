"""A dict is filled by subscript, update and setdefault, also in another function."""

HOOKS = {}


def before():
    pass


def after():
    pass


def last():
    pass


def install():
    HOOKS["before"] = before
    HOOKS.update({"after": after})
    HOOKS.setdefault("last", last)


def fire():
    HOOKS["before"]()
    HOOKS["after"]()
    HOOKS["last"]()


install()
fire()
