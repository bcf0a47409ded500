/** A program that could not do what it was asked; becomes a line on its standard error. */
export class ProgramError extends Error {
  override name = "ProgramError";
  constructor(message: string, readonly exitCode = 1) {
    super(message);
  }
}
