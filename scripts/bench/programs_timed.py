# Follows programs.py: prints the milliseconds of each program as JSON. Its first round warms up and is not counted.

import time

ROUNDS = 5

times = {}
for program in PROGRAMS:
    program()
    rounds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        program()
        rounds.append((time.perf_counter() - start) * 1000)
    times[program.__name__] = sorted(rounds)[ROUNDS // 2]
print(json.dumps(times))
