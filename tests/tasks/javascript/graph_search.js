// Shortest paths and a topological order.
class PriorityQueue {
  #items = [];
  push(item, priority) {
    this.#items.push({ item, priority });
    this.#items.sort((a, b) => a.priority - b.priority);
  }
  pop() {
    return this.#items.shift()?.item;
  }
  get size() {
    return this.#items.length;
  }
}

const roads = { A: { B: 4, C: 2 }, B: { D: 5 }, C: { B: 1, D: 8, E: 10 }, D: { E: 2 }, E: {} };

function shortest(graph, from) {
  const distance = Object.fromEntries(Object.keys(graph).map((node) => [node, Infinity]));
  const before = {};
  distance[from] = 0;
  const queue = new PriorityQueue();
  queue.push(from, 0);
  while (queue.size > 0) {
    const node = queue.pop();
    for (const [next, cost] of Object.entries(graph[node])) {
      const found = distance[node] + cost;
      if (found >= distance[next]) continue;
      distance[next] = found;
      before[next] = node;
      queue.push(next, found);
    }
  }
  return { distance, before };
}

const { distance, before } = shortest(roads, "A");
console.log(distance);
const path = ["E"];
while (before[path[0]]) path.unshift(before[path[0]]);
console.log(path.join(" → "));

function* order(graph, seen = new Set()) {
  function* visit(node) {
    if (seen.has(node)) return;
    seen.add(node);
    for (const next of Object.keys(graph[node])) yield* visit(next);
    yield node;
  }
  for (const node of Object.keys(graph)) yield* visit(node);
}
console.log([...order(roads)].reverse());
console.table([{ a: 1, b: "x" }, { a: 2, b: "y" }]);
try {
  shortest(roads, "Z");
} catch (error) {
  console.log(error.constructor.name, error instanceof TypeError);
}
