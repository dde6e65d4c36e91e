/** A sentence for the person who started the worker; the worker ends with it. */
export class WorkerProblem extends Error {}

/** The service refused a call: what it said, for the worker to act on. */
export class Refusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The attempt no longer holds the job, or the worker is told to stop: nothing of it may be kept. */
export class AttemptOver extends Error {}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
