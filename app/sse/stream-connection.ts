import type { Logger } from "pino";
import type { ResponseSink } from "~/server/load-context";
import { encodeMessage, heartbeat } from "./encode";
import type { FrameBatch } from "./frame-batch";
import type { OpenStreams } from "./open-streams.server";
import type { TickWriter, WriteTick } from "./write-tick";

export interface ConnectionOptions {
  kind: string;
  streams: OpenStreams;
  sink: ResponseSink;
  closeSignal: AbortSignal;
  log: Logger;
  /** Gives the taken place back. */
  release: () => void;
}

/** The way to one reader, from its first byte to its end, which happens exactly once and ends all that hangs on it. */
export class StreamConnection {
  readonly #options: ConnectionOptions;
  readonly #writer: ClientWriter;
  readonly #ended = new AbortController();
  readonly #endings: (() => void)[];
  #hasToldFailure = false;

  constructor(options: ConnectionOptions) {
    const { sink, streams } = options;
    this.#options = options;
    this.#endings = [options.release];
    this.#writer = new ClientWriter(sink, streams.tick, streams.limits.maxBufferedBytes, () =>
      this.#cut(),
    );
  }

  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  get isOver(): boolean {
    return this.#ended.signal.aborted;
  }

  onEnd(ending: () => void): void {
    this.#endings.push(ending);
  }

  /** It ends with its connection or its time, and beats until then. */
  begin(): void {
    const { closeSignal, streams } = this.#options;
    const { heartbeatSeconds, lifetimeSeconds } = streams.limits;
    const close = () => this.#close();
    closeSignal.addEventListener("abort", close, { once: true });
    const beat = setInterval(() => this.send(heartbeat), heartbeatSeconds * 1000);
    const life = setTimeout(() => this.end(), lifetimeSeconds * 1000);
    this.onEnd(() => {
      closeSignal.removeEventListener("abort", close);
      clearInterval(beat);
      clearTimeout(life);
    });
  }

  send(frame: Uint8Array): void {
    if (!this.isOver) this.#writer.push(frame);
  }

  /** Named event `error`: something inside failed (specification: Solo stream). Said once until it is over. */
  tellFailure(error: string): void {
    if (this.#hasToldFailure) return;
    this.#hasToldFailure = true;
    this.send(encodeMessage({ event: "error", data: { error } }));
  }

  /** What had failed is over. */
  recover(): void {
    this.#hasToldFailure = false;
  }

  end(): void {
    if (this.isOver) return;
    this.#writer.flush();
    this.#close();
    this.#options.sink.end();
  }

  /** The reader does not keep up. */
  #cut(): void {
    const { log, kind, sink } = this.#options;
    log.info({ stream: kind }, "A reader that stalled was cut off");
    this.#close();
    sink.destroy();
  }

  #close(): void {
    if (this.isOver) return;
    this.#ended.abort();
    this.#writer.discard();
    for (const ending of this.#endings) ending();
  }
}

/**
 * Writes to one client: at most once a tick, and never more than the reader takes. A reader that leaves too much
 * lying is cut off, not buffered; its browser reconnects and reads the state again.
 */
class ClientWriter implements TickWriter {
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
