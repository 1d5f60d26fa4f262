"""A class of a module by a name that is not known."""

import parts


def build(name):
    return getattr(parts, name)()


def run(name):
    return build(name).run()


run("".join(["Cl", "ip"]))
run("".join(["Sig", "lip"]))
