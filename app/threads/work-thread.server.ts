import { Worker } from "node:worker_threads";
import { z } from "zod";

/** Milliseconds to wait for a turn, including the thread's start. */
const longestWait = 30_000;

const messageSchema = z.union([
  z.object({ ready: z.literal(true) }),
  z.object({ made: z.string().nullable(), text: z.string().default("") }),
]);

/** Result of a task. "too-heavy" depends only on what was given; "too-busy" means the thread had no time. */
export type Outcome = Made | "too-heavy" | "too-busy";

/** An answer as JSON; `text` is what others read, however long: no one parses it here. */
type Made = { made: string; text: string };

/** What one task may take: milliseconds, and megabytes of memory. */
type Limits = { longest: number; memoryMb: number };

interface Turn {
  task: unknown;
  patience: NodeJS.Timeout;
  settle(outcome: Outcome): void;
}

/**
 * For all that costs more than a millisecond a kilobyte: one task after another, replaced when one takes too long or
 * too much memory. Users take turns, so that one with many tasks does not delay the others.
 */
export class WorkThread {
  #worker: Worker | undefined;
  #isReady = false;
  #hasBegun = false;
  #current: Turn | undefined;
  #limit: NodeJS.Timeout | undefined;
  readonly #waiting = new Turns<Turn>();

  /** `source`: code of the thread's program (`import source from "./program?thread"`). */
  constructor(
    private readonly source: string,
    private readonly limits: Limits,
  ) {}

  /** Whether a thread has ever started. Until then, all tasks wait for the start. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** `user`: whose turn is used. */
  run(task: unknown, user: string): Promise<Outcome> {
    return new Promise((settle) => {
      const patience = setTimeout(() => this.#giveUp(turn), longestWait);
      const turn: Turn = { task, patience, settle };
      if (this.#waiting.add(user, turn)) this.#next();
      else this.#giveUp(turn);
    });
  }

  #next(): void {
    this.#worker ??= this.#start();
    if (!this.#isReady || this.#current) return;
    const turn = this.#waiting.take();
    if (!turn) return;
    clearTimeout(turn.patience);
    const worker = this.#worker;
    this.#current = turn;
    this.#limit = setTimeout(() => this.#replace(worker), this.limits.longest);
    worker.postMessage(turn.task);
  }

  #start(): Worker {
    const worker = new Worker(this.source, {
      eval: true,
      resourceLimits: { maxOldGenerationSizeMb: this.limits.memoryMb },
    });
    worker.unref();
    worker.on("message", (message: unknown) => this.#hear(worker, messageSchema.parse(message)));
    worker.on("error", () => this.#replace(worker));
    return worker;
  }

  #hear(worker: Worker, message: z.infer<typeof messageSchema>): void {
    if (worker !== this.#worker) return;
    if ("ready" in message) {
      this.#isReady = true;
      this.#hasBegun = true;
    } else this.#settle(message.made === null ? "too-heavy" : { made: message.made, text: message.text });
    this.#next();
  }

  #settle(outcome: Outcome): void {
    clearTimeout(this.#limit);
    this.#current?.settle(outcome);
    this.#current = undefined;
  }

  #giveUp(turn: Turn): void {
    clearTimeout(turn.patience);
    this.#waiting.remove(turn);
    turn.settle("too-busy");
  }

  /** Replaces a thread. If it never became ready, waiting tasks give up instead of waiting for the next one. */
  #replace(worker: Worker): void {
    if (worker !== this.#worker) return;
    const left = this.#isReady ? [] : this.#waiting.all();
    this.#worker = undefined;
    this.#isReady = false;
    void worker.terminate();
    this.#settle("too-heavy");
    for (const turn of left) this.#giveUp(turn);
    if (this.#waiting.size > 0) this.#next();
  }
}

/** Resolves to "too-busy" after the given time. The task continues, and later requests get its result. */
export function within(milliseconds: number, answer: Promise<Outcome>): Promise<Outcome> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve("too-busy"), milliseconds);
    void answer.then((outcome) => {
      clearTimeout(timer);
      resolve(outcome);
    });
  });
}

/** Maximum waiting tasks per user. */
const mostWaiting = 500;

/** A round-robin queue: names take turns, and each name's entries keep their order. */
class Turns<Waiting> {
  readonly #lines = new Map<string, Set<Waiting>>();

  get size(): number {
    return this.all().length;
  }

  all(): Waiting[] {
    return [...this.#lines.values()].flatMap((line) => [...line]);
  }

  /** Returns false if this name's queue is full. */
  add(name: string, waiting: Waiting): boolean {
    const line = this.#lines.get(name) ?? new Set();
    if (line.size >= mostWaiting) return false;
    this.#lines.set(name, line.add(waiting));
    return true;
  }

  /** Takes the first entry of the next name, which then moves to the end. */
  take(): Waiting | undefined {
    for (const [name, line] of this.#lines) {
      this.#lines.delete(name);
      const [first] = line;
      if (first === undefined) continue;
      line.delete(first);
      if (line.size > 0) this.#lines.set(name, line);
      return first;
    }
    return undefined;
  }

  remove(waiting: Waiting): void {
    for (const line of this.#lines.values()) line.delete(waiting);
  }
}
