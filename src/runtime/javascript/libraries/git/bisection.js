/** Which commit is to be tested next, as git chooses it: that one which halves those among which the first bad one is. */
import { walk } from "./walk.js";

/**
 * @returns Of each commit that can be the first bad one, the oldest first: its id, and how many of them are no newer. The
 * one that is to be tested next is `chosen`, if none is to be left out.
 */
export async function weighed(objects, bad, goods) {
  const commits = new Map();
  for await (const { oid, parents } of walk(objects, [bad], { hidden: goods })) commits.set(oid, parents);
  const list = [...commits.keys()].reverse();
  const weights = new Map();
  const within = (oid) => commits.get(oid).filter((parent) => commits.has(parent));
  const halves = (oid) => Math.abs(2 * weights.get(oid) - list.length) <= 1;
  let half;
  const weigh = (oid, weight) => {
    weights.set(oid, weight);
    if (half === undefined && halves(oid)) half = oid;
  };
  for (const oid of list.filter((each) => within(each).length === 0)) weights.set(oid, 1);
  for (const oid of list.filter((each) => within(each).length > 1)) weigh(oid, reached(oid, within));
  for (let left = true; left;) {
    left = false;
    for (const oid of list.filter((each) => !weights.has(each))) {
      const parent = within(oid).find((each) => weights.has(each));
      if (parent === undefined) left = true;
      else weigh(oid, weights.get(parent) + 1);
    }
  }
  const ranked = list.map((oid) => ({ oid, weight: weights.get(oid) }));
  const distance = ({ weight }) => Math.min(weight, list.length - weight);
  let best = ranked[0];
  for (const each of ranked) if (distance(each) > distance(best)) best = each;
  const chosen = half === undefined ? best : { oid: half, weight: weights.get(half) };
  return { ranked, distance, chosen };
}

function reached(start, within) {
  const seen = new Set([start]);
  const waiting = [start];
  while (waiting.length > 0) {
    for (const parent of within(waiting.pop())) {
      if (seen.has(parent)) continue;
      seen.add(parent);
      waiting.push(parent);
    }
  }
  return seen.size;
}

const MODULUS = 32768;
/** One that is not skipped: near the best, but not always the next to what was skipped. */
export function besideSkipped({ ranked, distance }, bad, skipped) {
  const sorted = [...ranked].sort((a, b) => distance(b) - distance(a) || (a.oid < b.oid ? -1 : 1));
  const open = sorted.filter(({ oid }) => !skipped.has(oid));
  const tried = sorted.filter(({ oid }) => skipped.has(oid)).map(({ oid }) => oid);
  const isBest = open.length === 0 || !skipped.has(sorted[0].oid);
  if (isBest) return { chosen: open[0], best: sorted[0], tried: open.length === 0 ? tried : [] };
  // As git's: the same numbers give the same commit.
  const count = open.length;
  const product = BigInt(count) * 1103515245n + 12345n;
  const random = Number(BigInt.asUintN(32, product) / 65536n % BigInt(MODULUS));
  const at = Math.trunc(Math.trunc(count * random / MODULUS) * root(random) / root(MODULUS));
  const wanted = open[at]?.oid === bad ? open[Math.max(0, at - 1)] : open[at];
  return { chosen: wanted ?? open[0], best: sorted[0], tried };
}

function root(value) {
  if (value === 0) return 0;
  let [x, d] = [Math.fround(value), 0];
  do {
    const y = Math.fround(Math.fround(x + Math.fround(value / x)) / 2);
    d = y > x ? y - x : x - y;
    x = y;
  } while (d >= 0.5);
  return Math.trunc(x);
}

/** About how many more have to be tested. */
export function stepsOf(count) {
  if (count < 3) return 0;
  const whole = 31 - Math.clz32(count);
  const power = 2 ** whole;
  return power < 3 * (count - power) ? whole : whole - 1;
}
