/** Random structured programs, as modules in text format that end by themselves. */

import fc from "fast-check";

type Statement =
  | { readonly kind: "assign" | "store" | "log" | "grow" | "return"; readonly a: number; readonly b: number }
  | { readonly kind: "call" | "indirect" | "branch" | "table"; readonly a: number; readonly b: number }
  | {
    readonly kind: "block" | "loop" | "parametric";
    readonly a: number;
    readonly body: readonly Statement[];
  }
  | {
    readonly kind: "if";
    readonly a: number;
    readonly body: readonly Statement[];
    readonly otherwise: readonly Statement[];
  };

const small = fc.nat(40);

const { statements } = fc.letrec<{ statement: Statement; statements: Statement[] }>((tie) => ({
  statements: fc.array(tie("statement"), { maxLength: 5, depthIdentifier: "program" }),
  statement: fc.oneof(
    { depthSize: "medium", depthIdentifier: "program", withCrossShrink: true },
    fc.record({ kind: fc.constantFrom("assign", "store", "log", "grow", "return"), a: small, b: small }),
    fc.record({ kind: fc.constantFrom("call", "indirect", "branch", "branch", "table"), a: small, b: small }),
    fc.record({
      kind: fc.constantFrom("block", "loop", "loop", "loop", "parametric"),
      a: small,
      body: tie("statements"),
    }),
    fc.record({
      kind: fc.constant("if" as const),
      a: small,
      body: tie("statements"),
      otherwise: tie("statements"),
    }),
  ),
}));

/** Functions of a program; the first is exported as `main`. */
export const programs: fc.Arbitrary<readonly (readonly Statement[])[]> = fc.array(statements, {
  minLength: 1,
  maxLength: 4,
});

const LOCALS = 4;
/** Jumps back and calls that a run may make. */
const STEPS = 200;

const local = (n: number) => `(local.get ${n % LOCALS})`;
const bit = (n: number) => `(i32.and (i32.shr_u ${local(n)} (i32.const ${n % 5})) (i32.const 1))`;
const increment = (global: string, by: number) =>
  `(global.set ${global} (i32.add (global.get ${global}) (i32.const ${by})))`;
const hasSteps = "(i32.gt_s (global.get $steps) (i32.const 0))";

/**
 * The text of a program. Everything that could go on forever is bounded by the global `$steps`, and the global
 * `counted` counts how often the header of a loop is passed, and an indirect call is made outside of all loops.
 */
export function toText(functions: readonly (readonly Statement[])[]): string {
  const bodies = functions.map((body, i) => {
    const text = new Emitter(functions.length).statements(body, []);
    return `(func $f${i} (export "f${i}") (type $f) (local i32 i32 i32)\n${text}\n${local(1)})`;
  });
  return `(module
    (import "host" "log" (func $log (param i32)))
    (type $f (func (param i32) (result i32)))
    (memory (export "memory") 1 3)
    (table funcref (elem ${functions.map((_, i) => `$f${i}`).join(" ")}))
    (global $steps (mut i32) (i32.const ${STEPS}))
    (global $counted (export "counted") (mut i32) (i32.const 0))
    ${bodies.join("\n")})`;
}

class Emitter {
  #labels = 0;
  /** Loops around the present statement. */
  #loops = 0;

  constructor(private readonly functions: number) {}

  /** @param scope Labels without operands around the statements. */
  statements(statements: readonly Statement[], scope: readonly string[]): string {
    return statements.map((statement) => this.#statement(statement, scope)).join("\n");
  }

  #statement(statement: Statement, scope: readonly string[]): string {
    const { a } = statement;
    switch (statement.kind) {
      case "assign":
        return `(local.set ${a % LOCALS} (i32.add (i32.mul ${
          local(statement.b)
        } (i32.const 3)) (i32.const ${a})))`;
      case "store":
        return `(i32.store8 (i32.const ${a}) ${local(statement.b)})`;
      case "log":
        return `(call $log ${local(a)})`;
      case "grow":
        return `(local.set ${statement.b % LOCALS} (memory.grow ${bit(a)}))`;
      case "return":
        return `(if ${bit(a)} (then (return ${local(statement.b)})))`;
      case "call":
      case "indirect":
        return this.#call(statement.kind, a, statement.b);
      case "branch":
        return this.#guarded(
          scope[a % scope.length] && `(br_if ${scope[a % scope.length]} ${bit(statement.b)})`,
        );
      case "table": {
        const targets = [a, a + 1, statement.b].map((it) => scope[it % scope.length]);
        return this.#guarded(
          scope.length > 0 && `(br_table ${targets.join(" ")} (i32.and ${local(a)} (i32.const 3)))`,
        );
      }
      case "block": {
        const label = this.#label();
        return `(block ${label} ${this.statements(statement.body, [...scope, label])})`;
      }
      case "if": {
        const label = this.#label();
        const inner = [...scope, label];
        const otherwise = this.statements(statement.otherwise, inner);
        return `(if ${label} ${bit(a)} (then ${this.statements(statement.body, inner)}) (else ${otherwise}))`;
      }
      case "loop": {
        const label = this.#label();
        const body = this.#looped(statement.body, [...scope, label]);
        return `(loop ${label} ${increment("$counted", 1)} ${body} ${
          this.#guarded(`(br_if ${label} ${bit(a)})`)
        })`;
      }
      case "parametric": {
        const label = this.#label();
        return `${local(a)} (loop ${label} (param i32) (result i32)
          ${increment("$counted", 1)} (local.set ${a % LOCALS})
          ${this.#looped(statement.body, scope)}
          ${local(a + 1)} ${increment("$steps", -1)} (br_if ${label} (i32.and ${bit(a)} ${hasSteps})))
          (local.set ${a % LOCALS})`;
      }
    }
  }

  #looped(body: readonly Statement[], scope: readonly string[]): string {
    this.#loops++;
    const text = this.statements(body, scope);
    this.#loops--;
    return text;
  }

  #call(kind: "call" | "indirect", a: number, b: number): string {
    const argument = `(i32.add ${local(a)} (i32.const 1))`;
    const callee = b % this.functions;
    const call = kind === "call"
      ? `(call $f${callee} ${argument})`
      : `(call_indirect (type $f) ${argument} (i32.const ${callee}))`;
    const counts = kind === "indirect" && this.#loops === 0 ? increment("$counted", 1) : "";
    return this.#guarded(`${counts} (local.set ${b % LOCALS} ${call})`);
  }

  /** `action`, if there are steps left. */
  #guarded(action: string | false | undefined): string {
    return action ? `${increment("$steps", -1)} (if ${hasSteps} (then ${action}))` : "";
  }

  #label(): string {
    return `$l${this.#labels++}`;
  }
}
