"""Tuples with names, as modules that are written in C elsewhere return them."""


def structseq(qualified, names):
    """A class of tuples whose items are attributes too; `qualified` is its name after that of its module."""
    module, _, name = qualified.rpartition(".")

    def new(cls, values):
        values = tuple(values)
        if len(values) != len(names):
            raise TypeError(f"{qualified}() takes a {len(names)}-sequence ({len(values)}-sequence given)")
        return tuple.__new__(cls, values)

    def shown(self):
        return f"{qualified}({', '.join(f'{name}={value!r}' for name, value in zip(names, self))})"

    return type(name, (tuple,), {
        "__module__": module,
        "__slots__": (),
        "__match_args__": names,
        "__new__": new,
        "__repr__": shown,
        "__reduce__": lambda self: (type(self), (tuple(self),)),
        "n_fields": len(names),
        "n_sequence_fields": len(names),
        "n_unnamed_fields": 0,
        **{each: property(lambda self, at=at: self[at]) for at, each in enumerate(names)},
    })
