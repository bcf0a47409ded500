import eryx


def open_session(language):
    return eryx.Session()


def run(session, code):
    return session.execute(code).stdout_text
