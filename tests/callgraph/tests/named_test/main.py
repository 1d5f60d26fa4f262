"""A test that has a name of its own, until one of the names in it changes."""


class Remote:
    remote = True

    def ask(self):
        return 1


class Local:
    def ask(self):
        return 2


def by_wire(model):
    return model.ask()


def by_hand(model):
    return model.ask()


def run(model):
    is_remote = getattr(model, "remote", False)
    if is_remote:
        return by_wire(model)
    return by_hand(model)


def either(model, other):
    is_remote = getattr(model, "remote", False)
    model = other
    if is_remote:
        return model.ask()
    return None


def swapped(model, others):
    is_remote = getattr(model, "remote", False)
    found = []
    for other in others:
        if not is_remote:
            found.append(model.ask())
        model = other
    return found


def settled(model, known):
    is_remote = True
    if not known:
        is_remote = getattr(model, "remote", False)
    if is_remote:
        return model.ask()
    return None


run(Remote())
run(Local())
either(Remote(), Local())
either(Remote(), Remote())
swapped(Local(), [Remote(), Local()])
settled(Local(), str(1))
