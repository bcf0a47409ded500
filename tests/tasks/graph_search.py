"""Shortest ways in a graph, and a topological order."""
import heapq
from graphlib import TopologicalSorter

roads = {"A": {"B": 4, "C": 1}, "B": {"D": 1}, "C": {"B": 2, "D": 5}, "D": {}}


def dijkstra(start):
    far, heap = {start: 0}, [(0, start)]
    while heap:
        d, here = heapq.heappop(heap)
        for there, cost in roads[here].items():
            if d + cost < far.get(there, float("inf")):
                far[there] = d + cost
                heapq.heappush(heap, (far[there], there))
    return far


print(dijkstra("A"))
print(list(TopologicalSorter({"build": {"test"}, "test": {"compile"}, "compile": set()}).static_order()))
