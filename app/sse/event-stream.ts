import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { ContractError } from "~/contract/errors";
import type { Delivery } from "~/realtime/delivery";
import type { Hub, TopicViewer } from "~/realtime/hub";
import { TopicBundle } from "~/realtime/topic-bundle";
import type { TopicEvent } from "~/realtime/topic-event";
import type { ResponseSink } from "~/server/load-context";
import { ClientWriter } from "./client-writer";
import { encodeMessage, heartbeat } from "./encode";
import type { OpenStream, OpenStreams } from "./open-streams.server";
import type { StreamSource, StreamState } from "./stream-source";

/** Events kept while the state is read; with more of them waiting it is read once more instead. */
const maxWaitingEvents = 1000;
const firstRetryMs = 250;
const longestRetryMs = 5000;
/** How long a stream waits for its topics before it says so. */
const patienceMs = 3000;

interface EventStreamOptions {
  source: StreamSource;
  state: StreamState;
  hub: Hub;
  streams: OpenStreams;
  sink: ResponseSink;
  closeSignal: AbortSignal;
  log: Logger;
  /** Gives the taken place back. */
  release: () => void;
}

/** One open stream, from its first byte to its clean-up, which happens exactly once. */
export class EventStream implements TopicViewer, OpenStream {
  readonly #options: EventStreamOptions;
  readonly #writer: ClientWriter;
  readonly #ended = new AbortController();
  readonly #cleanUps: (() => void)[];
  #state: StreamState;
  /** What the reader knows from the state; nothing of it is sent again. */
  #known: StreamState["snapshot"];
  #topics: TopicBundle | undefined;
  #phase: "joining" | "reading" | "live" | "ended" = "joining";
  #waiting: TopicEvent[] = [];
  #mustReadAgain = false;
  #hasToldFailure = false;

  constructor(options: EventStreamOptions) {
    const { sink, streams } = options;
    this.#options = options;
    this.#state = options.state;
    this.#cleanUps = [options.release];
    this.#writer = new ClientWriter(sink, streams.tick, streams.limits.maxBufferedBytes, () =>
      this.#cut(),
    );
  }

  get access(): StreamState["access"] {
    return this.#state.access;
  }

  get expiresAt(): string | null {
    return this.#state.expiresAt;
  }

  /**
   * Subscribes. When the topics were joined before the first read began, that read and the events since then are
   * complete; otherwise the state is read again as soon as they are joined.
   */
  start(mark: number, lastEventId: string | null): void {
    const { hub, streams } = this.#options;
    streams.add(this);
    this.#cleanUps.push(() => streams.delete(this));
    this.#endWithConnection();
    this.#startClocks();
    this.#attach();
    const topics = new TopicBundle(hub, this.#state.topics, this);
    this.#topics = topics;
    this.#cleanUps.push(() => topics.close());
    if (topics.isJoined) this.#beginJoined(topics, mark, lastEventId);
    else this.#expectJoin();
  }

  #endWithConnection(): void {
    const { closeSignal } = this.#options;
    const listener = () => this.#cleanUp();
    closeSignal.addEventListener("abort", listener, { once: true });
    this.#cleanUps.push(() => closeSignal.removeEventListener("abort", listener));
  }

  #attach(): void {
    const detach = this.#options.source.attach?.((frame) => {
      if (this.#phase === "live") this.#writer.push(frame);
    });
    if (detach) this.#cleanUps.push(detach);
  }

  #startClocks(): void {
    const { heartbeatSeconds, lifetimeSeconds } = this.#options.streams.limits;
    const beat = setInterval(() => this.#writer.push(heartbeat), heartbeatSeconds * 1000);
    const life = setTimeout(() => this.end(), lifetimeSeconds * 1000);
    this.#cleanUps.push(
      () => clearInterval(beat),
      () => clearTimeout(life),
    );
  }

  #beginJoined(topics: TopicBundle, mark: number, lastEventId: string | null): void {
    const since = topics.since(mark);
    if (!since) {
      this.recheck();
      return;
    }
    const missed = this.#missedSince(topics, lastEventId);
    this.#waiting.push(...(missed ?? since));
    this.#greet(this.#state, mark, missed !== undefined);
  }

  /** What a reader who comes back has missed; undefined when that is unknown or asks for reading anew. */
  #missedSince(topics: TopicBundle, lastEventId: string | null): TopicEvent[] | undefined {
    const mark = lastEventId === null ? undefined : this.#options.hub.markOf(lastEventId);
    const events = mark === undefined ? undefined : topics.since(mark);
    const changesMore = events?.some((event) => this.#deliveryOf(event).follow !== undefined);
    return changesMore ? undefined : events;
  }

  /** A source that cannot be reached is told, and waited for. */
  #expectJoin(): void {
    const late = setTimeout(() => {
      if (this.#phase === "joining") {
        this.#tellFailure("Live changes are not available yet; the stream waits for them.");
      }
    }, patienceMs);
    this.#cleanUps.push(() => clearTimeout(late));
  }

  event(event: TopicEvent): void {
    if (this.#phase === "ended") return;
    if (this.#phase === "live") {
      this.#handle(event);
    } else if (this.#waiting.length < maxWaitingEvents) {
      this.#waiting.push(event);
    } else {
      this.#waiting = [];
      this.#mustReadAgain = true;
    }
  }

  lost(): void {
    this.#tellFailure("Live changes are interrupted; what happened meanwhile follows.");
  }

  resync(): void {
    if (this.#topics?.isJoined) this.recheck();
  }

  missed(transactions: readonly number[]): boolean {
    if (this.#phase !== "live" && this.#phase !== "reading") return false;
    const known = this.#phase === "live" ? this.#known : undefined;
    if (known && transactions.every((id) => known.includes(id))) return false;
    this.recheck();
    return true;
  }

  recheck(): void {
    void this.#refresh();
  }

  #deliveryOf(event: TopicEvent): Delivery {
    return this.#state.deliver(event.change, event.topic);
  }

  #handle(event: TopicEvent): void {
    const { xid } = event.change;
    if (xid !== undefined && this.#known?.includes(xid)) return;

    const { send, follow } = this.#deliveryOf(event);
    if (send) this.#writer.push(event.frame(this.#options.source.kind, this.#buildFrame));
    if (follow === "refresh") this.recheck();
    if (follow === "end") this.end();
  }

  readonly #buildFrame = ({ mark, change }: TopicEvent): Uint8Array => {
    const { hub, source } = this.#options;
    return encodeMessage({
      event: source.name,
      id: hub.cursorOf(mark),
      data: source.payload(change),
    });
  };

  /** Reads the state and sends it; what happens meanwhile waits. Refused means that the stream is over. */
  async #refresh(): Promise<void> {
    if (this.#phase === "ended") return;
    this.#mustReadAgain = this.#phase === "reading";
    if (this.#mustReadAgain) return;

    this.#phase = "reading";
    for (let retryMs = firstRetryMs; ; retryMs = Math.min(retryMs * 2, longestRetryMs)) {
      const mark = this.#options.hub.mark();
      const state = await this.#read(retryMs);
      if (this.#ended.signal.aborted) return;
      if (state && !this.#mustReadAgain) {
        this.#greet(state, mark, false);
        return;
      }
      this.#mustReadAgain = false;
    }
  }

  async #read(retryMs: number): Promise<StreamState | undefined> {
    const { source, log } = this.#options;
    try {
      return await source.read();
    } catch (error) {
      if (error instanceof ContractError && error.status < 429) {
        this.end();
        return undefined;
      }
      log.error({ err: error, stream: source.kind }, "The state of a stream was not read");
      this.#tellFailure("The state could not be read; the stream tries again.");
      await pause(retryMs, undefined, { signal: this.#ended.signal }).catch(() => {});
      return undefined;
    }
  }

  #greet(state: StreamState, mark: number, resumed: boolean): void {
    this.#state = state;
    // Who comes back with an id does not read the state again, so what was missed is sent.
    this.#known = resumed ? undefined : state.snapshot;
    this.#hasToldFailure = false;
    const [first, ...rest] = state.greeting(resumed);
    this.#writer.push(encodeMessage({ ...first, id: this.#options.hub.cursorOf(mark) }));
    for (const message of rest) this.#writer.push(encodeMessage(message));
    if (state.isFinal) {
      this.end();
      return;
    }
    this.#phase = "live";
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const event of waiting) this.event(event);
  }

  /** Named event `error`: something inside failed (specification: Solo stream). Said once until it is over. */
  #tellFailure(error: string): void {
    if (this.#hasToldFailure || this.#phase === "ended") return;
    this.#hasToldFailure = true;
    this.#writer.push(encodeMessage({ event: "error", data: { error } }));
  }

  /** Nothing can be read from here: the reader is told and sent away. */
  fail(error: unknown): void {
    const { log, source } = this.#options;
    log.error({ err: error, stream: source.kind }, "A stream could not begin");
    this.#tellFailure("The stream could not begin; connect again.");
    this.end();
  }

  /** The reader does not keep up. */
  #cut(): void {
    const { log, source, sink } = this.#options;
    log.info({ stream: source.kind }, "A reader that stalled was cut off");
    this.#cleanUp();
    sink.destroy();
  }

  end(): void {
    if (this.#phase === "ended") return;
    this.#writer.flush();
    this.#cleanUp();
    this.#options.sink.end();
  }

  #cleanUp(): void {
    if (this.#phase === "ended") return;
    this.#phase = "ended";
    this.#ended.abort();
    this.#writer.discard();
    this.#waiting = [];
    for (const cleanUp of this.#cleanUps) cleanUp();
  }
}
