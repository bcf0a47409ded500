"""How classes of programs are pickled where cloudpickle would make others of them: those with slots would have none, and members
of enumerations no more than their values."""

import enum

from _wasmbox_containers import VALUES, fill
from _wasmbox_copies import is_own

# What enum makes of the members of a class.
MADE = "_generate_next_value_", "_hashable_values_", "_member_map_", "_member_names_", "_unhashable_values_", "_value2member_map_"
# What each member has of its class.
OF_MEMBERS = "__objclass__", "_name_", "_sort_order_", "_value_"
BY_MEMBERS = "__init__", "__new__", "__new_member__"


def reduce_class(kind, base):
    """Of a class that is not to be imported. `base`: cloudpickle's module."""
    if isinstance(kind, enum.EnumType) and is_known(kind):
        return reduce_enumeration(kind, base)
    make, args, *rest = base._dynamic_class_reduce(kind)
    slots = vars(kind).get("__slots__")
    of_typing = "NamedTuple" in [getattr(each, "__name__", None) for each in getattr(kind, "__orig_bases__", ())]
    if make is base._make_skeleton_class and type(slots) in (dict, list, str, tuple) and not of_typing:
        constructor, name, bases, fields, *more = args
        args = (constructor, name, bases, {**fields, "__slots__": slots}, *more)
    return make, args, *rest


def is_known(kind):
    """Whether objects can be made of it by one of the types here."""
    return all(each in VALUES or each is object or each.__module__ == "enum" or is_own(each.__module__) for each in kind.__mro__)


def plain_type(kind):
    return next(each for each in kind.__mro__ if each in VALUES or each is object)


def reduce_enumeration(kind, base):
    plain = plain_type(kind)
    members, states = [], {}
    for name, member in kind.__members__.items():
        args = () if plain is object else (VALUES[plain](member),)
        members.append((name, args, member._value_))
        if member._name_ == name:
            states[name] = state_of(member)
    fields, _ = base._class_getstate(kind)
    told = {name: value for name, value in fields.items() if name not in MADE and name not in kind.__members__}
    made = type(kind), kind.__name__, kind.__bases__, plain, members, kind._boundary_ if issubclass(kind, enum.Flag) else None
    return enumeration, made, (base._class_setstate, told, states), None, None, fill_enumeration


def state_of(member):
    state = object.__getstate__(member)
    fields, slots = state if type(state) is tuple else (state, None)
    return {name: value for name, value in (fields or {}).items() if name not in OF_MEMBERS}, slots


def enumeration(metaclass, name, bases, plain, members, boundary):
    """With its members as they are, whatever its own methods would make of them."""
    pending = iter(members)

    def make(kind, *_):
        _, args, value = next(pending)
        member = plain.__new__(kind, *args)
        member._value_ = value
        return member

    fields = enum.EnumType.__prepare__(name, bases)
    fields["__new__"] = make
    fields["__init__"] = lambda self, *_: None
    for member, *_ in members:
        fields[member] = enum.member(0)
    return enum.EnumType.__new__(metaclass, name, bases, fields, boundary=boundary)


def fill_enumeration(kind, told):
    set_fields, fields, states = told
    for name in BY_MEMBERS:
        if name in vars(kind) and name not in fields:
            type.__delattr__(kind, name)
    set_fields(kind, (fields, {}))
    for name, state in states.items():
        fill(kind.__members__[name], state)
