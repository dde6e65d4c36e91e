/** A refusal of the command line: one sentence that says what is wrong and what to do. */
export class CommandError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "CommandError";
  }
}
