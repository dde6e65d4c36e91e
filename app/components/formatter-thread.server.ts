import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { z } from "zod";

/** How long one text may take, and how long it may wait for its turn and the start of the thread besides. */
const longestFormatting = 3_000;
const longestWait = 6_000;
const mostMemoryMb = 256;

const messageSchema = z.union([
  z.object({ ready: z.literal(true) }),
  z.object({ html: z.string().nullable() }),
]);

/** What came of a text. One that is too heavy is so for everybody; too busy was only the thread. */
export type Formatted = { html: string } | "too-heavy" | "too-busy";

interface Turn {
  text: string;
  settle(outcome: Formatted): void;
}

/**
 * One thread of the process that formats one text after the other, and is replaced when one takes too long. It is given as the
 * text of its program, and the files of the packages that the program imports: a module without a folder of its own finds
 * packages by their files only.
 */
export class FormatterThread {
  readonly #source: string;
  readonly #packages: readonly string[];
  #worker: Worker | undefined;
  #isReady = false;
  #current: Turn | undefined;
  #limit: NodeJS.Timeout | undefined;
  readonly #waiting = new Set<Turn>();

  constructor(source: string, packages: readonly string[]) {
    this.#source = source;
    this.#packages = packages;
  }

  format(text: string): Promise<Formatted> {
    return new Promise((resolve) => {
      const turn: Turn = { text, settle: resolve };
      const patience = setTimeout(() => this.#giveUp(turn), longestWait);
      turn.settle = (outcome) => {
        clearTimeout(patience);
        resolve(outcome);
      };
      this.#waiting.add(turn);
      this.#next();
    });
  }

  #next(): void {
    this.#worker ??= this.#start();
    const [turn] = this.#waiting;
    if (!this.#isReady || this.#current || !turn) return;
    this.#waiting.delete(turn);
    this.#current = turn;
    this.#limit = setTimeout(() => this.#giveUp(turn), longestFormatting);
    this.#worker.postMessage(turn.text);
  }

  #start(): Worker {
    const worker = new Worker(addressOf(this.#source), {
      workerData: { packages: this.#packages.map((file) => pathToFileURL(file).href) },
      resourceLimits: { maxOldGenerationSizeMb: mostMemoryMb },
    });
    worker.unref();
    worker.on("message", (message: unknown) => this.#hear(worker, messageSchema.parse(message)));
    worker.on("error", () => this.#replace(worker));
    return worker;
  }

  #hear(worker: Worker, message: z.infer<typeof messageSchema>): void {
    if (worker !== this.#worker) return;
    if ("ready" in message) this.#isReady = true;
    else this.#settle(message.html === null ? "too-heavy" : { html: message.html });
    this.#next();
  }

  #settle(outcome: Formatted): void {
    clearTimeout(this.#limit);
    this.#current?.settle(outcome);
    this.#current = undefined;
  }

  #giveUp(turn: Turn): void {
    if (turn === this.#current && this.#worker) {
      this.#replace(this.#worker);
      return;
    }
    this.#waiting.delete(turn);
    turn.settle("too-busy");
  }

  /** A thread that could not even begin lets nobody wait for the next one. */
  #replace(worker: Worker): void {
    if (worker !== this.#worker) return;
    const left = this.#isReady ? [] : [...this.#waiting];
    this.#worker = undefined;
    this.#isReady = false;
    void worker.terminate();
    this.#settle("too-heavy");
    for (const turn of left) this.#giveUp(turn);
    if (this.#waiting.size > 0) this.#next();
  }
}

/** From its text, because the pages are bundled into one file and a thread needs an address. */
function addressOf(source: string): URL {
  return new URL(`data:text/javascript;charset=utf-8,${encodeURIComponent(source)}`);
}
