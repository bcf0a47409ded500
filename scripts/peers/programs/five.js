// Five programs of some tens of milliseconds; prints the milliseconds of each and its result, as JSON.

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
    // In the manner of Richards: tasks of an imagined system, which pass packets to each other by priority.
    tasks() {
      class Packet {
        constructor(work) {
          this.work = work;
          this.hops = 0;
          this.next = null;
        }
      }
      class Task {
        constructor(priority) {
          this.priority = priority;
          this.first = this.last = null;
          this.handled = 0;
        }
        get isReady() {
          return this.first !== null;
        }
        take(packet) {
          packet.next = null;
          if (this.last) this.last.next = packet;
          else this.first = packet;
          this.last = packet;
        }
        step(system) {
          const packet = this.first;
          this.first = packet.next;
          if (!this.first) this.last = null;
          this.handled++;
          this.handle(packet, system);
        }
      }
      class Device extends Task {
        handle(packet, system) {
          packet.work -= this.priority;
          if (packet.work > 0) system.send((packet.hops++ * 7 + this.priority) % system.tasks.length, packet);
          else system.done++;
        }
      }
      class Worker extends Task {
        constructor(priority) {
          super(priority);
          this.state = priority * 911;
        }
        handle(packet, system) {
          this.state = this.state & 1 ? (this.state >> 1) ^ 0xd008 : this.state >> 1;
          packet.work--;
          packet.hops++;
          system.send(this.state % system.tasks.length, packet);
        }
      }
      class System {
        constructor() {
          this.tasks = [new Device(3), new Worker(5), new Device(2), new Worker(4), new Device(1)];
          this.done = 0;
        }
        send(to, packet) {
          this.tasks[to].take(packet);
        }
        run() {
          for (;;) {
            let best = null;
            for (const task of this.tasks) {
              if (task.isReady && (!best || task.priority > best.priority)) best = task;
            }
            if (!best) return;
            best.step(this);
          }
        }
      }
      const system = new System();
      for (let i = 0; i < 400; i++) system.send(i % 5, new Packet(60 + i % 13));
      system.run();
      return system.done + system.tasks.reduce((sum, { handled }) => sum + handled, 0);
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
