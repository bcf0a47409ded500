import quickjs


def open_session(language):
    context = quickjs.Context()
    printed = []
    context.add_callable("print", printed.append)
    context.eval("globalThis.console = { log: (...values) => print(values.join(' ') + '\\n') }")
    return context, printed


def run(session, code):
    context, printed = session
    printed.clear()
    context.eval(code)
    return "".join(printed)
