"""A tool that has what the other lacks."""


class Tool:
    def speak():
        return 1
