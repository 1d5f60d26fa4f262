from hidden_names import hidden


def shown():
    pass


def _private():
    pass
