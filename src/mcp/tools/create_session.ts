import * as z from "zod";
import { FLAVOR_NAMES } from "../../config/limits.ts";
import { meantBy } from "../../languages.ts";
import { languageInput, sessionIdSchema } from "../schemas.ts";
import { defineTool } from "../tool.ts";

const input = z.strictObject({
  session_id: sessionIdSchema.optional().describe("1 to 100 of A-Z a-z 0-9 _ -. Absent: a random one."),
  language: languageInput.optional().describe("Starts this interpreter at once."),
  flavor: z.enum(FLAVOR_NAMES).optional().describe(
    "Lower limits of time, memory and files.",
  ),
});
const output = z.object({ session_id: z.string(), session_created: z.boolean() });

export const createSession = defineTool({
  name: "create_session",
  title: "Create a session",
  description:
    "Makes a session: an empty workspace with variables and files of its own, apart from all others.",
  input,
  output,
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  async run(args, { sessions, principal }) {
    const flavor = args.flavor && sessions.terms.flavors[args.flavor];
    const session = await sessions.create(principal, args.session_id, flavor);
    await session.open(args.language ? [meantBy(args.language).language] : []);
    return {
      output: { session_id: session.id, session_created: true },
      text: `Created the session "${session.id}".`,
    };
  },
});
