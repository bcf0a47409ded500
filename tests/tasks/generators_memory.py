"""Streams a large file line by line."""
import itertools
import tracemalloc

with open("big.log", "w") as f:
    f.writelines(f"{i} {'ERROR' if i % 1000 == 0 else 'ok'} message\n" for i in range(50_000))


def errors(path):
    with open(path) as lines:
        yield from (line.split()[0] for line in lines if " ERROR " in line)


tracemalloc.start()
print(list(itertools.islice(errors("big.log"), 3)), sum(1 for _ in errors("big.log")))
print(tracemalloc.get_traced_memory()[1] < 1_000_000)
tracemalloc.stop()
