/** A message for the user who started the worker. Ends the worker. */
export class WorkerProblem extends Error {}

/** The service refused a call; the worker handles it. */
export class Refusal extends Error {
  readonly code: number;
  /** Codes of the blockers, if that is why. */
  readonly blockedBy: readonly string[];

  constructor(code: number, message: string, blockedBy: readonly string[] = []) {
    super(message);
    this.code = code;
    this.blockedBy = blockedBy;
  }
}

/** The attempt lost its job, or the worker must stop: nothing of it may be delivered. */
export class AttemptOver extends Error {}

/** A person takes the job over: the work is kept, and the job handed over. */
export class TakenOver extends AttemptOver {}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The service asks to wait. */
export class LimitReached extends Error {
  constructor(
    message: string,
    readonly seconds: number,
  ) {
    super(message);
  }
}

/** Maps an error status to what the worker's user can do. */
export function refusalOf(status: number, path: string): Error {
  if (status === 401 || status === 403) {
    return new WorkerProblem("The service does not accept the token: create a new one under Settings");
  }
  if (status === 404) return new WorkerProblem(`There is no ${path} at this address: check --url`);
  return status === 429
    ? new LimitReached("Too many calls", 5)
    : new WorkerProblem(`The service answered ${path} with ${status}`);
}

/** A file cannot be changed because of what people wrote. The message is for them. */
export class PeoplesWords extends Error {}
