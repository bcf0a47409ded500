/** Npm's own `semver`, which would ask a `process` for the environment that a Worker may not read. */

import "./hide_process.ts";
// @ts-types="@types/semver"
import semver, { type ReleaseType } from "semver";

// Asked for when they are called: to evaluate the library takes a Worker 7 ms, and few ever need it.
export const inc = (version: string, release: ReleaseType): string | null => semver.inc(version, release);
export const maxSatisfying: typeof semver.maxSatisfying = (...args) => semver.maxSatisfying(...args);
export const satisfies: typeof semver.satisfies = (...args) => semver.satisfies(...args);
export const valid: typeof semver.valid = (...args) => semver.valid(...args);
export const validRange: typeof semver.validRange = (...args) => semver.validRange(...args);
