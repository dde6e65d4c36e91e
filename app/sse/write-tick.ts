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

/** A path in a tree: clients with the same frames share it, so their bytes are concatenated only once. */
export class FrameBatch {
  readonly #next = new Map<Uint8Array, FrameBatch>();
  /** Cache of the last child: most clients continue with the same frame. */
  #last: FrameBatch | undefined;
  #bytes: Uint8Array | undefined;

  constructor(
    private readonly frame: Uint8Array = new Uint8Array(),
    private readonly parent?: FrameBatch,
  ) {}

  next(frame: Uint8Array): FrameBatch {
    const last = this.#last;
    if (last && last.frame === frame) return last;
    const batch = this.#next.get(frame) ?? new FrameBatch(frame, this);
    this.#next.set(frame, batch);
    this.#last = batch;
    return batch;
  }

  get bytes(): Uint8Array {
    this.#bytes ??= Buffer.concat(this.#path());
    return this.#bytes;
  }

  #path(): Uint8Array[] {
    const frames: Uint8Array[] = [];
    for (let at: FrameBatch | undefined = this; at; at = at.parent) frames.push(at.frame);
    return frames.reverse();
  }
}
