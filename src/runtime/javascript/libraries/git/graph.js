/** `log --graph`, of histories in one line. */
import { fatal } from "./system.js";

export class Graph {
  skip() {
    throw fatal("a graph shows all commits here: leave --graph out, or what selects them");
  }

  /** @param texts Pairs of commits and what is told of them. @param apart Whether there is a line between them. */
  draw(texts, apart) {
    const parts = texts.map(([commit, text], at) => {
      const next = texts[at + 1]?.[0];
      const { followed } = commit;
      if (followed.length > 1 || (next && followed[0] !== next.oid)) {
        throw fatal("a history that branches can't be drawn here: leave --graph out");
      }
      const bar = followed.length > 0 ? "| " : "  ";
      const [first, ...rest] = text.replace(/\n$/, "").split("\n");
      const lines = [`* ${first}`, ...rest.map((line) => bar + line)];
      if (apart && next) lines.push(bar);
      return lines.map((line) => `${line}\n`).join("");
    });
    return parts.join("");
  }
}
