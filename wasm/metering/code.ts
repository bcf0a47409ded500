import type { Additions } from "./additions.ts";
import { BodyRewriter } from "./body.ts";
import { checkedEntries } from "./call_graph.ts";
import { BranchHints } from "./checks.ts";
import { MeteringError } from "./error.ts";
import type { Layout } from "./layout.ts";
import { functionName } from "./names.ts";
import type { Sections } from "./sections.ts";
import { SectionId } from "./sections.ts";
import type { BodySurvey } from "./survey.ts";
import { surveyBody } from "./survey.ts";
import { ByteWriter } from "./writer.ts";

/** The code section, rewritten, and what was found in it. */
export interface MeteredCode {
  readonly bodies: readonly BodySurvey[];
  /** Per body: is its entry checked? */
  readonly entries: readonly boolean[];
  /** Content of the code section. */
  readonly code: ByteWriter;
  /** Content of the custom section with branch hints. */
  readonly hints: ByteWriter;
}

/** Surveys and rewrites all function bodies. @throws {MeteringError} that names the function at fault. */
export function meterCode(sections: Sections, layout: Layout, additions: Additions): MeteredCode {
  const { importedFunctions, functionTypes } = layout;
  const reader = sections.open(SectionId.code);
  const count = reader?.u32() ?? 0;
  if (count !== functionTypes.length) {
    throw new MeteringError(
      `${functionTypes.length} functions, but ${count} bodies`,
      reader?.position ?? sections.wasm.length,
    );
  }

  const bodies: BodySurvey[] = [];
  for (let i = 0; i < count; i++) {
    bodies.push(naming(sections, importedFunctions + i, () => {
      return surveyBody(reader!.sized(), layout, additions.grow !== undefined);
    }));
  }
  reader?.expectEnd("code");

  const entries = checkedEntries(bodies);
  const code = new ByteWriter(reader ? reader.end * 2 : 64);
  const hints = new BranchHints();
  const added = additions.bodies();
  const body = new ByteWriter(1 << 16);
  code.u32(count + added.length);
  bodies.forEach((survey, i) => {
    body.clear();
    const parameters = layout.parameters[functionTypes[i]!]!;
    const rewriter = new BodyRewriter(sections.wasm, survey, additions, body, parameters);
    const unlikely = naming(sections, importedFunctions + i, () => rewriter.rewrite(entries[i]!));
    hints.add(additions.shifted(importedFunctions + i), unlikely);
    code.sized(body);
  });
  for (const item of added) code.copy(item.written);
  return { bodies, entries, code, hints: hints.section() };
}

/** Runs `action`, and names the function in the MeteringError that it throws. */
function naming<T>(sections: Sections, index: number, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof MeteringError)) throw error;
    const name = functionName(sections, index);
    throw new MeteringError(error.reason, error.offset, name === undefined ? { index } : { index, name });
  }
}
