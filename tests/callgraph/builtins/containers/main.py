"""`list`, `enumerate`, `zip` and `reversed` keep the elements."""


def one():
    pass


def two():
    pass


def three():
    pass


for index, fn in enumerate([one]):
    fn()
for fn, name in zip([two], ["two"]):
    fn()
for fn in reversed(list([three])):
    fn()
