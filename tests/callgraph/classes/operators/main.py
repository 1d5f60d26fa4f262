"""Operators, subscripts, `in`, `len`, `str` and comparisons are methods."""


class Seq:
    def __init__(self, items):
        self.items = items

    def __add__(self, other):
        return Seq(self.items)

    def __radd__(self, other):
        return self

    def __iadd__(self, other):
        return self

    def __eq__(self, other):
        return True

    def __lt__(self, other):
        return True

    def __neg__(self):
        return self

    def __len__(self):
        return 1

    def __contains__(self, item):
        return True

    def __getitem__(self, index):
        return self

    def __setitem__(self, index, value):
        pass

    def __delitem__(self, index):
        pass

    def __repr__(self):
        return "Seq"

    def show(self):
        pass


a = Seq([])
(a + a).show()
1 + a
a += a
a == a
a < a
-a
len(a)
1 in a
a[0].show()
a[0] = 1
del a[0]
repr(a)
