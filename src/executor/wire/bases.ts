/** What parts of an image are deltas of. */

import * as z from "zod/mini";

/** By the name of a part of the image: what that part is a delta of, as a digest. Parts that stand alone are not in it. */
export const bases = z.record(z.string().check(z.maxLength(50)), z.string().check(z.maxLength(200)));
export type Bases = Readonly<z.infer<typeof bases>>;
