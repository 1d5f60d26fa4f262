"""Of an import in `try`, both sides are possible; a library that is missing leaves its replacement."""

try:
    from not_installed_anywhere import attend
except ImportError:
    from plain import attend

try:
    import ujson_not_there as codec
except ImportError:
    codec = None


def encode():
    attend()


encode()
