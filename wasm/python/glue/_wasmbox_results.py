"""`_`, `__` and `___`: the results of the last programs."""

import builtins

NAMES = "_", "__", "___"
# The newest first.
results = []


def remember(value, namespace):
    """Lets the names be the last results, unless the program has such variables of its own."""
    ours = dict(zip(NAMES, results))
    for name in NAMES:
        if name in vars(builtins) or name in namespace and namespace[name] is not ours.get(name, results):
            return
    results.insert(0, value)
    del results[len(NAMES) :]
    namespace.update(zip(NAMES, results))


def forget(namespace):
    """They may be what memory is full of."""
    for name, held in zip(NAMES, results):
        if namespace.get(name) is held:
            del namespace[name]
    results.clear()
