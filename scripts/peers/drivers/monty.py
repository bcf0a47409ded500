from pydantic_monty import Monty

# One worker a session: by default further ones wait until there is a processor for each.
pool = Monty(max_processes=100)
pool.__enter__()


def open_session(language):
    return pool.checkout().__enter__()


def run(session, code):
    printed = []
    session.feed_run(code, print_callback=lambda stream, text: printed.append(text))
    return "".join(printed)
