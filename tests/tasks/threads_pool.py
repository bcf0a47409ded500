"""Works on many items with a pool of threads."""
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

lock = threading.Lock()
done = []


def work(n):
    time.sleep(0.001)
    with lock:
        done.append(n)
    return n * n


with ThreadPoolExecutor(max_workers=4) as pool:
    print(list(pool.map(work, range(6))))
    futures = {pool.submit(work, n): n for n in range(10, 13)}
    print(sorted(f.result() for f in as_completed(futures)))
print(sorted(done))
