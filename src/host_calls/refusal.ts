/** How the brokers of packages say no. */

import * as z from "zod/mini";

export const refused = z.object({ refused: z.object({ reason: z.string(), message: z.string() }) });
export type Refused = z.infer<typeof refused>;
