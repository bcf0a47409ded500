# Follows a peer's own part, which defines `open_session()` and `run(session, code, language)`, the latter giving what
# the program printed. A line of stdin is a command, a line of stdout its answer; whatever else prints goes to stderr.
import json
import os
import sys
import time

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
sessions = {}


def obey(session, code, language, times):
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        if (session, language) not in sessions:
            sessions[session, language] = open_session(language)  # noqa: F821
        output = run(sessions[session, language], code)  # noqa: F821
        taken.append((time.perf_counter() - start) * 1000)
    return {"ms": taken, "output": output}


for line in sys.stdin:
    try:
        answer = obey(**json.loads(line))
    except BaseException as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    answers.write(json.dumps(answer) + "\n")
    answers.flush()
