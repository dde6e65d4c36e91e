import { FrameBatch } from "./frame-batch";

/** Something with frames to write at the end of the tick. */
export interface TickWriter {
  flush(): void;
}

/** Collects what is to be written until the end of the tick, so that each client gets one write. */
export class WriteTick {
  #root = new FrameBatch();
  #writers: TickWriter[] = [];

  /** Where the frames of a writer begin in this tick; the writer is flushed at its end. */
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
