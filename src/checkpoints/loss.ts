/** State that a session lost between two executions. */
export interface Loss {
  readonly state: "rolled_back" | "reset";
  /** What the caller is told. */
  readonly notice: string;
}
