import { deepEqual, equal } from "node:assert/strict";
import { olderNotices } from "../../../src/session/older_packages.ts";

const because = "foo 2.4 needs bar, which has no wheel in pure Python";

Deno.test("that an older package was taken is said with the reason, and another major version plainly", () => {
  deepEqual(olderNotices([{ name: "foo", version: "2.3" }]), []);
  deepEqual(olderNotices([{ name: "foo", version: "2.3", older: { newest: "2.4", because } }]), [
    `foo 2.3 was taken instead of 2.4: ${because}.`,
  ]);
  deepEqual(olderNotices([{ name: "foo", version: "1.9", older: { newest: "2.4", because } }]), [
    `foo 1.9 was taken instead of 2.4: ${because}. This is foo 1, not foo 2: code that was written for 2 may fail, or do something else.`,
  ]);
  const [epoch] = olderNotices([{ name: "foo", version: "1!2.0", older: { newest: "1!2.4", because } }]);
  equal(epoch, `foo 1!2.0 was taken instead of 1!2.4: ${because}.`);
});
