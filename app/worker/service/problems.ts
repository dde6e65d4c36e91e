/** A sentence for the person who started the worker; the worker ends with it. */
export class WorkerProblem extends Error {}

/** The service refused a call: what it said, for the worker to act on. */
export class Refusal extends Error {
  readonly code: number;
  /** The codes of what has to be done first, when that is why. */
  readonly blockedBy: readonly string[];

  constructor(code: number, message: string, blockedBy: readonly string[] = []) {
    super(message);
    this.code = code;
    this.blockedBy = blockedBy;
  }
}

/** The attempt no longer holds the job, or the worker is told to stop: nothing of it may be kept. */
export class AttemptOver extends Error {}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The service asks for a pause. */
export class LimitReached extends Error {
  constructor(
    message: string,
    readonly seconds: number,
  ) {
    super(message);
  }
}

/** What the person at this machine can do about it. */
export function refusalOf(status: number, path: string): Error {
  if (status === 401 || status === 403) {
    return new WorkerProblem(
      "The service does not accept the token: make a new one under Settings",
    );
  }
  if (status === 404) return new WorkerProblem(`There is no ${path} at this address: check --url`);
  return status === 429
    ? new LimitReached("Too many calls", 5)
    : new WorkerProblem(`The service answered ${path} with ${status}`);
}
