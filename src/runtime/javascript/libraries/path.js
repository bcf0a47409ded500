/** `path`: Node's own, by a package that keeps it. */
import posix from "path-unified/posix";
import { checkObject, checkString } from "./errors.js";
import win32 from "path-unified/win32";

for (const each of [posix, win32]) Object.assign(each, { posix, win32, _makeLong: each.toNamespacedPath });

/** What each of its functions takes, by Node's names. */
const ARGUMENTS = {
  normalize: ["path"],
  isAbsolute: ["path"],
  dirname: ["path"],
  extname: ["path"],
  parse: ["path"],
  basename: ["path"],
  relative: ["from", "to"],
};
for (const each of [posix, win32]) {
  for (const [name, names] of Object.entries(ARGUMENTS)) {
    const method = each[name];
    each[name] = {
      [name](...args) {
        if (name === "basename" && args[1] !== undefined) checkString(args[1], "suffix");
        names.forEach((argument, at) => checkString(args[at], argument));
        return method(...args);
      },
    }[name];
  }
  for (const name of ["join", "resolve"]) {
    const method = each[name];
    each[name] = {
      [name](...parts) {
        parts.forEach((part, at) => checkString(part, name === "join" ? "path" : `paths[${at}]`));
        return method(...parts);
      },
    }[name];
  }
  const { format } = each;
  each.format = function (pathObject) {
    checkObject(pathObject, "pathObject");
    return format(pathObject);
  };
}

export const resolve = (...parts) => posix.resolve(...parts);
export default posix;
