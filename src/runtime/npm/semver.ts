/** Npm's own `semver`, which would ask a `process` for the environment that a Worker may not read. */

import "./hide_process.ts";
// @ts-types="@types/semver"
import semver from "semver";

export const { inc, maxSatisfying, satisfies, valid, validRange } = semver;
