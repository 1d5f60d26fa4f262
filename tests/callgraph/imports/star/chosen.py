from hidden_names import hidden as _hidden

__all__ = ["taken"]


def taken():
    _hidden()


def hidden():
    pass
