"""A tool that cannot speak."""


class Tool:
    pass
