"""The program's handlers of errors in texts, and searches for codecs: those who keep them tell nobody."""

import codecs

handlers, searches = {}, []
real_register, real_unregister, real_register_error = codecs.register, codecs.unregister, codecs.register_error


def register_error(errors, handler, /):
    real_register_error(errors, handler)
    handlers[errors] = handler


def register(search_function, /):
    real_register(search_function)
    searches.append(search_function)


def unregister(search_function, /):
    real_unregister(search_function)
    searches[:] = [each for each in searches if each is not search_function]


def install():
    for function, real in (register_error, real_register_error), (register, real_register), (unregister, real_unregister):
        function.__module__, function.__doc__ = real.__module__, real.__doc__
        setattr(codecs, function.__name__, function)
