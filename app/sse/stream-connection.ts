import type { Logger } from "pino";
import { encodeMessage, heartbeat } from "./encode";
import type { OpenStreams } from "./open-streams.server";
import type { ResponseSink } from "./response-sink";
import type { FrameBatch, TickWriter, WriteTick } from "./write-tick";

export interface ConnectionOptions {
  kind: string;
  streams: OpenStreams;
  sink: ResponseSink;
  closeSignal: AbortSignal;
  log: Logger;
  release: () => void;
}

/** The connection to one reader. It ends exactly once, and then runs all `onEnd` callbacks. */
export class StreamConnection {
  readonly #options: ConnectionOptions;
  readonly #writer: ClientWriter;
  readonly #ended = new AbortController();
  readonly #endings: (() => void)[];
  #hasSentFailure = false;

  constructor(options: ConnectionOptions) {
    const { sink, streams } = options;
    this.#options = options;
    this.#endings = [options.release];
    this.#writer = new ClientWriter(sink, streams.tick, streams.limits.maxBufferedBytes, () => this.#cut());
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

  /** Starts the heartbeat, and ends the stream when the connection closes or its lifetime is over. */
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

  /** Sends the named event `error` for an internal failure (specification: Solo stream), once until `recover`. */
  sendFailure(error: string): void {
    if (this.#hasSentFailure) return;
    this.#hasSentFailure = true;
    this.send(encodeMessage({ event: "error", data: { error } }));
  }

  /** Marks the failure as over, so that the next one is reported again. */
  recover(): void {
    this.#hasSentFailure = false;
  }

  end(): void {
    if (this.isOver) return;
    this.#writer.flush();
    this.#close();
    this.#options.sink.end();
  }

  /** Cuts off a reader that does not keep up. */
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

/** At most once per tick. A reader with too many unread bytes is cut off: its browser reconnects and reads again. */
class ClientWriter implements TickWriter {
  #batch: FrameBatch | undefined;

  constructor(
    private readonly sink: ResponseSink,
    private readonly tick: WriteTick,
    private readonly maxBufferedBytes: number,
    private readonly onStalled: () => void,
  ) {}

  push(frame: Uint8Array): void {
    this.#batch = (this.#batch ?? this.tick.join(this)).next(frame);
  }

  /** Writes the pending frames, at the end of the tick and before the stream ends. */
  flush(): void {
    const batch = this.#batch;
    if (!batch) return;
    this.#batch = undefined;
    // One large burst does not mean lag: a reader lags only if an earlier write is still unread too.
    const lags = this.sink.waitingBytes() > 0;
    this.sink.write(batch.bytes);
    if (lags && this.sink.waitingBytes() > this.maxBufferedBytes) this.onStalled();
  }

  /** Discards the pending frames, because the client is gone. */
  discard(): void {
    this.#batch = undefined;
  }
}
