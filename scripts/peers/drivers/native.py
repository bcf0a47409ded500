import contextlib
import io


def open_session(language):
    return {"__name__": "__main__"}


def run(session, code):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "<program>", "exec"), session)
    return printed.getvalue()
