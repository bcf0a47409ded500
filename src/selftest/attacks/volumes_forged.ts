/** Host calls for mapped directories that no program of the session's makes: for others' volumes, with hostile names. */

import { GAINS_NOTHING, javascript, python, type Unfiled } from "../attack.ts";

/** Requests to the host operations that must not be carried out: of other volumes, of no volume, of hostile shapes. */
const FORGED = `
    import _wasmbox, json
    OTHERS = ["foreign", "nosuch", ".", "..", "../foreign", "readonly/../foreign", "/", "__proto__", "constructor", "a" * 64, "a" * 65, "readonly\\0", "READONLY"]
    NAMES = [[], ["canary.txt"], ["known.txt"]]
    LOST = [[".."], ["..", "foreign", "canary.txt"], ["../foreign/canary.txt"], ["sub/inner"], ["sub\\\\inner"], ["."], [""], ["a\\0"], ["\\ud800"], ["x" * 256],
        ["file"], ["up", "canary.txt"], ["directory", "canary.txt"], ["parent", "foreign", "canary.txt"], ["d"] * 129, ["d"] * 20000, "known.txt", {"0": "known.txt"}, None]
    CHANGES = [{"kind": "create", "exclusive": False}, {"kind": "mkdir"}, {"kind": "unlink"}, {"kind": "rmdir"}, {"kind": "truncate", "id": None, "size": 0},
        {"kind": "times", "atime": "1", "mtime": "1"}, {"kind": "rename", "to": ["x"]}]
    READ = {"id": None, "position": 0, "length": 100, "known": None}
    def ask(operation, volume, names, more={}, data=b""):
        request = json.dumps({"volume": volume, "names": names, **more}).encode()
        try: answer, found = _wasmbox.host_call("volume." + operation, request, data)
        except OSError: return
        answer = json.loads(answer)
        refused = "error" in answer or answer.get("kind") in ("missing", "symlink")
        if not refused: gained.append((operation, volume, names, more, answer, found))
    def ask_all(volume, names):
        for operation, more in (("look", {}), ("list", {"after": None}), ("read", READ)): ask(operation, volume, names, more)
        change_all(volume, names)
    def change_all(volume, names):
        ask("write", volume, names, {"id": None, "position": None}, b"x")
        for change in CHANGES: ask("change", volume, names, change)
    gained = []
`;

export const FORGED_VOLUME_CALLS: readonly Unfiled[] = [
  python(
    "forged calls for other volumes",
    `${FORGED}
    for volume in OTHERS:
        for names in NAMES: ask_all(volume, names)
    gained`,
    GAINS_NOTHING,
  ),
  python(
    "forged calls with hostile names",
    `${FORGED}
    for volume in ("readonly", "writable"):
        for names in LOST: ask_all(volume, names) if names != ["file"] else ask("read", volume, names, READ)
    ask("read", "readonly", ["pipe"], READ)
    gained`,
    GAINS_NOTHING,
  ),
  python(
    "forged changes of what is read-only",
    `${FORGED}
    for volume, names in (("readonly", ["known.txt"]), ("readonly", ["sub"]), ("readonly", ["new"]), ("readonly", []), ("", ["known.txt"]), ("", ["new"]), ("", []), ("writable", [])):
        change_all(volume, names)
    gained`,
    GAINS_NOTHING,
  ),
  python(
    "forged calls of hostile shapes",
    `${FORGED}
    for value in (-1, 1.5, 2**53, 2**64, 1e308, "0", None, [], {}, True, float("nan")):
        for field in ("position", "length"): ask("read", "readonly", ["known.txt"], {**READ, field: value})
        if value is not None: ask("write", "writable", ["near", "d", "canary.txt"], {"id": None, "position": value}, b"x")
        ask("change", "writable", ["near", "d", "canary.txt"], {"kind": "truncate", "id": None, "size": value})
        if not isinstance(value, str): ask("change", "writable", ["near"], {"kind": "times", "atime": value, "mtime": value or {}})
    ask("read", "readonly", ["known.txt"], {**READ, "id": 12345})
    ask("read", "readonly", ["known.txt"], {**READ, "length": 262145})
    ask("read", "readonly", ["known.txt"], {**READ, "principal": "somebody else"})
    ask("look", "foreign", ["canary.txt"], {"principal": "somebody else"})
    ask("look", "foreign", ["canary.txt"], {"__proto__": {"principal": "somebody else"}})
    ask("write", "writable", ["near", "x"], {"id": None, "position": 2**44}, b"x")
    ask("write", "writable", ["near", "d", "canary.txt"], {"id": None, "position": 2**43}, b"x")
    ask("list", "readonly", ["many"], {"after": "../x"})
    ask("write", "writable", ["near", "d", "canary.txt"], {"id": None, "position": 0}, bytes(2**24))
    for operation in ("", "open", "close", "exec", "__proto__", "look\\0", "Look"): ask(operation, "readonly", [])
    gained`,
    GAINS_NOTHING,
  ),
  javascript(
    "forged calls of JavaScript",
    `
    const { hostCall } = require("wasmbox:host"), gained = [];
    const ask = (operation, request, ...more) => {
      try {
        const answer = hostCall("volume." + operation, request, ...more);
        if (!(answer.error || answer.kind === "missing" || answer.kind === "symlink")) gained.push([operation, request, answer]);
      } catch {}
    };
    for (const volume of ["foreign", "nosuch", "", "../foreign", "__proto__", "constructor"]) {
      for (const names of [["canary.txt"], ["..", "foreign"], ["new"]]) {
        ask("look", { volume, names });
        ask("list", { volume, names, after: null });
        ask("read", { volume, names, id: null, position: 0, length: 100, known: null });
        ask("write", { volume, names, id: null, position: null }, new Uint8Array(3));
        for (const kind of ["create", "mkdir", "unlink", "rmdir"]) ask("change", { volume, names, kind, ...(kind === "create" && { exclusive: false }) });
      }
    }
    ask("look", { volume: "foreign", names: [], get principal() { throw new Error("x"); } });
    ask("look", new Proxy({}, { get: () => "foreign" }));
    ask("look", { volume: { toString: () => "foreign", toJSON: () => "foreign" }, names: [] });
    ask("look", { volume: "readonly", names: { length: 1, 0: "known.txt" } });
    ask("look", JSON.parse('{"volume": "foreign", "names": [], "__proto__": {"principal": "somebody else"}}'));
    gained
    `,
    GAINS_NOTHING,
  ),
];
