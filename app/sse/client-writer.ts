import type { ResponseSink } from "~/server/load-context";
import type { FrameBatch } from "./frame-batch";
import type { TickWriter, WriteTick } from "./write-tick";

/**
 * Writes to one client: at most once a tick, and never more than the reader takes. A reader that leaves too much
 * lying is cut off, not buffered; its browser reconnects and reads the state again.
 */
export class ClientWriter implements TickWriter {
  readonly #sink: ResponseSink;
  readonly #tick: WriteTick;
  readonly #maxBufferedBytes: number;
  readonly #onStalled: () => void;
  #batch: FrameBatch | undefined;

  constructor(
    sink: ResponseSink,
    tick: WriteTick,
    maxBufferedBytes: number,
    onStalled: () => void,
  ) {
    this.#sink = sink;
    this.#tick = tick;
    this.#maxBufferedBytes = maxBufferedBytes;
    this.#onStalled = onStalled;
  }

  push(frame: Uint8Array): void {
    this.#batch = (this.#batch ?? this.#tick.join(this)).next(frame);
  }

  /** Writes what waits now: at the end of the tick, and before the stream ends. */
  flush(): void {
    const batch = this.#batch;
    if (!batch) return;
    this.#batch = undefined;
    // One large burst is nobody's fault: a reader lags when an earlier write still lies there as well.
    const lags = this.#sink.waitingBytes() > 0;
    this.#sink.write(batch.bytes);
    if (lags && this.#sink.waitingBytes() > this.#maxBufferedBytes) this.#onStalled();
  }

  /** Forgets what waits: the client is gone. */
  discard(): void {
    this.#batch = undefined;
  }
}
