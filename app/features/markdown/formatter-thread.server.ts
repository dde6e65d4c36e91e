import { Worker } from "node:worker_threads";
import { z } from "zod";

/** Milliseconds: for formatting one text, and for waiting for a turn, including the thread's start. */
const longestFormatting = 3_000;
const longestWait = 30_000;
const mostMemoryMb = 256;

const messageSchema = z.union([
  z.object({ ready: z.literal(true) }),
  z.object({ made: z.string().nullable() }),
]);

/** Result for a text. "too-heavy" depends only on the text; "too-busy" means the thread had no time. */
export type Formatted = { made: string } | "too-heavy" | "too-busy";

interface Turn {
  text: string;
  patience: NodeJS.Timeout;
  settle(outcome: Formatted): void;
}

/**
 * One worker thread that formats texts one after the other; it is replaced if a text takes too long. Viewers take
 * turns, so a viewer with many texts does not delay the others.
 */
export class FormatterThread {
  readonly #source: string;
  #worker: Worker | undefined;
  #isReady = false;
  #hasBegun = false;
  #current: Turn | undefined;
  #limit: NodeJS.Timeout | undefined;
  readonly #waiting = new Turns<Turn>();

  /** `source`: code of the thread's program (`import source from "./program?thread"`). */
  constructor(source: string) {
    this.#source = source;
  }

  /** Whether a thread has ever started. Until then, all texts wait for the start. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** `viewer`: the user whose turn is used. */
  format(text: string, viewer: string): Promise<Formatted> {
    return new Promise((settle) => {
      const patience = setTimeout(() => this.#giveUp(turn), longestWait);
      const turn: Turn = { text, patience, settle };
      if (this.#waiting.add(viewer, turn)) this.#next();
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
    this.#limit = setTimeout(() => this.#replace(worker), longestFormatting);
    worker.postMessage(turn.text);
  }

  #start(): Worker {
    const worker = new Worker(this.#source, {
      eval: true,
      resourceLimits: { maxOldGenerationSizeMb: mostMemoryMb },
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
    } else this.#settle(message.made === null ? "too-heavy" : { made: message.made });
    this.#next();
  }

  #settle(outcome: Formatted): void {
    clearTimeout(this.#limit);
    this.#current?.settle(outcome);
    this.#current = undefined;
  }

  #giveUp(turn: Turn): void {
    clearTimeout(turn.patience);
    this.#waiting.remove(turn);
    turn.settle("too-busy");
  }

  /** Replaces a thread. If it never became ready, waiting texts give up instead of waiting for the next one. */
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

/** Resolves to "too-busy" after the given time. Formatting continues, and later requests get its result. */
export function within(milliseconds: number, formatted: Promise<Formatted>): Promise<Formatted> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve("too-busy"), milliseconds);
    void formatted.then((outcome) => {
      clearTimeout(timer);
      resolve(outcome);
    });
  });
}

/** Maximum waiting texts per viewer. */
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
