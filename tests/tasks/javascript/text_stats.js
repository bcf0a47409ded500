// Words of a text: counts, longest, an index by letter.
const text = `The quick brown fox jumps over the lazy dog. The dog sleeps;
the fox doesn't. Über-quick foxes – naïve ones, at that – jump 2 times, or 10.`;

const words = text.toLowerCase().match(/\p{L}+(?:['’-]\p{L}+)*/gu);
const counts = words.reduce((all, word) => all.set(word, (all.get(word) || 0) + 1), new Map());
const top = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 4);
console.log(top);
console.log(words.length, counts.size, Math.max(...words.map((w) => w.length)));

const index = {};
for (const word of new Set(words)) (index[word[0]] ||= []).push(word);
console.log(Object.keys(index).sort().join(""), index.q, index["ü"]);

const numbers = [...text.matchAll(/(?<n>\d+)\s*(?<unit>\w+)?/g)].map(({ groups: { n, unit } }) => ({
  n: +n,
  unit,
}));
console.log(numbers);

const title = text.split("\n")[0].replace(/\b(\w)(\w*)/g, (_, first, rest) => first.toUpperCase() + rest);
console.log(title);
console.log([..."naïve 👋🏽"].length, "naïve".normalize("NFD").length, "%s is %d %j", "x", 1, { a: [1] });
console.log(`${words.at(-1)}|${"abc".padStart(5, ".")}|${"a-b-c".replaceAll("-", "+")}`);
