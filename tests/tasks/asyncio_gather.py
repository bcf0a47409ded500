"""Tasks that wait side by side, with a semaphore and a time-out."""
import asyncio
import time


async def fetch(name, delay, gate):
    async with gate:
        await asyncio.sleep(delay)
        return name


async def main():
    gate = asyncio.Semaphore(2)
    began = time.perf_counter()
    print(await asyncio.gather(*(fetch(n, 0.02, gate) for n in "abcd")))
    assert time.perf_counter() - began < 1
    try:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(5)
    except TimeoutError:
        print("timed out")
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(asyncio.to_thread(pow, 2, n)) for n in (3, 5)]
    print([t.result() for t in tasks])


asyncio.run(main())
