"""A queue between threads, ended by a sentinel."""
import queue
import threading

q = queue.Queue(maxsize=3)
results = []


def producer():
    for i in range(8):
        q.put(i)
    q.put(None)


def consumer():
    while (item := q.get()) is not None:
        results.append(item * 10)
        q.task_done()
    q.task_done()


threads = [threading.Thread(target=producer), threading.Thread(target=consumer)]
for t in threads:
    t.start()
for t in threads:
    t.join()
q.join()
print(results)
