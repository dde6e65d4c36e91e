import { FrameBatch } from "./frame-batch";

/** A writer that is flushed at the end of the tick. */
export interface TickWriter {
  flush(): void;
}

/** Collects frames until the end of the tick, so that each client gets one write. */
export class WriteTick {
  #root = new FrameBatch();
  #writers: TickWriter[] = [];

  /** Registers a writer for this tick and returns the empty batch it starts from. */
  join(writer: TickWriter): FrameBatch {
    if (this.#writers.length === 0) setImmediate(() => this.#flush());
    this.#writers.push(writer);
    return this.#root;
  }

  #flush(): void {
    const writers = this.#writers;
    this.#writers = [];
    this.#root = new FrameBatch();
    for (const writer of writers) writer.flush();
  }
}
