"""A pool of processes, as tutorials have it."""
from multiprocessing import Pool, cpu_count


def square(n):
    return n * n


if __name__ == "__main__":
    with Pool(processes=max(1, cpu_count() - 1)) as pool:
        print(pool.map(square, range(5)))
        print(pool.starmap(pow, [(2, 3), (3, 2)]))
