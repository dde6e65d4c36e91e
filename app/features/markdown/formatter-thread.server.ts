import { Worker } from "node:worker_threads";
import { z } from "zod";

/** How long one text may take, and how long it may wait for its turn and the start of the thread besides. */
const longestFormatting = 3_000;
const longestWait = 30_000;
const mostMemoryMb = 256;

const messageSchema = z.union([
  z.object({ ready: z.literal(true) }),
  z.object({ made: z.string().nullable() }),
]);

/** What came of a text. One that is too heavy is so for everybody; too busy was only the thread. */
export type Formatted = { made: string } | "too-heavy" | "too-busy";

interface Turn {
  text: string;
  patience: NodeJS.Timeout;
  settle(outcome: Formatted): void;
}

/**
 * One thread of the process that formats one text after the other, and is replaced when one takes too long. Whoever looks at
 * something has a turn after everybody else who does, however much they ask for.
 */
export class FormatterThread {
  readonly #source: string;
  #worker: Worker | undefined;
  #isReady = false;
  #hasBegun = false;
  #current: Turn | undefined;
  #limit: NodeJS.Timeout | undefined;
  readonly #waiting = new Turns<Turn>();

  /** `source`: the text of the thread's program (`import source from "./program?thread"`). */
  constructor(source: string) {
    this.#source = source;
  }

  /** The first thread has started; before that everybody waits for it, and for nobody's text. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** `viewer`: whose turn it takes. */
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

  /** A thread that could not even begin lets nobody wait for the next one. */
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

/** What comes of a text in so many milliseconds; it is formatted all the same, for those who ask later. */
export function within(milliseconds: number, formatted: Promise<Formatted>): Promise<Formatted> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve("too-busy"), milliseconds);
    void formatted.then((outcome) => {
      clearTimeout(timer);
      resolve(outcome);
    });
  });
}

/** So much may wait for one of them. */
const mostWaiting = 500;

/** What waits, by whom it is for: they come in turn, and what is for one of them comes in its order. */
class Turns<Waiting> {
  readonly #lines = new Map<string, Set<Waiting>>();

  get size(): number {
    return this.all().length;
  }

  all(): Waiting[] {
    return [...this.#lines.values()].flatMap((line) => [...line]);
  }

  /** False when too much waits for this one already. */
  add(name: string, waiting: Waiting): boolean {
    const line = this.#lines.get(name) ?? new Set();
    if (line.size >= mostWaiting) return false;
    this.#lines.set(name, line.add(waiting));
    return true;
  }

  /** The first of the one whose turn it is, who then comes after all others. */
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
