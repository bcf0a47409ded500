// Four programs of some tens of milliseconds; prints the milliseconds of each and its result, as JSON.

{
  const programs = {
    sieve() {
      const composite = new Uint8Array(300000);
      let primes = 0;
      for (let i = 2; i < composite.length; i++) {
        if (composite[i]) continue;
        primes++;
        for (let j = i * 2; j < composite.length; j += i) composite[j] = 1;
      }
      return primes;
    },
    json() {
      const rows = [];
      for (let i = 0; i < 1500; i++) {
        rows.push({ id: i, name: "name " + i, values: [i, i + 1, i + 2], deep: { yes: true } });
      }
      let total = 0;
      for (let i = 0; i < 3; i++) {
        const text = JSON.stringify(rows);
        total += text.length + JSON.parse(text).length;
      }
      return total;
    },
    regexp() {
      const text = "The quick brown fox, bob@example.com, jumps over 13 lazy dogs on 2026-11-23.\n".repeat(
        400,
      );
      return text.match(/(\w+)@(\w+)\.com/g).length + text.match(/\d{4}-\d{2}-\d{2}/g).length +
        text.replace(/\b[a-z]{3}\b/g, "X").length;
    },
    strings() {
      const parts = [];
      for (let i = 0; i < 30000; i++) {
        parts.push(("item " + i + ": " + "ab".repeat(i % 7)).toUpperCase().trim());
      }
      const text = parts.join(",");
      return text.length + text.split(",").length;
    },
  };

  const times = {};
  const results = {};
  for (const name of Object.keys(programs)) {
    let best = Infinity;
    for (let i = 0; i < 3; i++) {
      const start = Date.now();
      let runs = 0;
      // Some engines' clocks tell whole milliseconds only.
      do {
        results[name] = programs[name]();
        runs++;
      } while (Date.now() - start < 60);
      best = Math.min(best, (Date.now() - start) / runs);
    }
    times[name] = best;
  }
  console.log(JSON.stringify({ times, results }));
}
