import { setTimeout as pause } from "node:timers/promises";
import type { Delivery } from "~/realtime/delivery";
import { type Hub, TopicBundle, type TopicViewer } from "~/realtime/hub";
import type { TopicEvent } from "~/realtime/topic-events";
import { ContractError } from "~/wire/errors";
import { encodeMessage, eventId, readEventId } from "./encode";
import type { OpenStream } from "./open-streams.server";
import { type ConnectionOptions, StreamConnection } from "./stream-connection";
import type { StreamSource, StreamState } from "./stream-source";

/** Events buffered while the state is read. If more arrive, the state is read again instead. */
const maxWaitingEvents = 1000;
const firstRetryMs = 250;
const longestRetryMs = 5000;
/** A slow Realtime joins within 5 s and follows the database 2.5 s later. Only a longer wait is a failure. */
const patienceMs = 8000;

interface EventStreamOptions extends Omit<ConnectionOptions, "kind"> {
  source: StreamSource;
  state: StreamState;
  hub: Hub;
}

/** One open stream: sends its reader the state, then every later change exactly once. */
export class EventStream implements TopicViewer, OpenStream {
  readonly #options: EventStreamOptions;
  readonly #connection: StreamConnection;
  #state: StreamState;
  /** Snapshot of the state the reader has. Events it includes are not sent again. */
  #known: StreamState["snapshot"] | undefined;
  #topics: TopicBundle | undefined;
  #phase: "joining" | "reading" | "live" = "joining";
  #waiting: TopicEvent[] = [];
  #mustReadAgain = false;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#state = options.state;
    this.#connection = new StreamConnection({ ...options, kind: options.source.kind });
  }

  get access(): StreamState["access"] {
    return this.#state.access;
  }

  get expiresAt(): string | null {
    return this.#state.expiresAt;
  }

  /** If topics were joined before the first read, it and the events since are complete; else it reads again. */
  start(mark: number, lastEventId: string): void {
    const { hub, streams } = this.#options;
    streams.add(this);
    this.#connection.onEnd(() => streams.delete(this));
    this.#connection.begin();
    this.#attach();
    const topics = new TopicBundle(hub, this.#state.topics, this);
    this.#topics = topics;
    this.#connection.onEnd(() => topics.close());
    if (topics.isJoined) this.#beginJoined(topics, mark, lastEventId);
    else this.#expectJoin();
  }

  #attach(): void {
    const { hub, source } = this.#options;
    const detach = source.attach?.({
      push: (frame) => {
        if (this.#phase === "live") this.#connection.send(frame);
      },
      cursor: () => hub.cursorOf(hub.mark()),
    });
    if (detach) this.#connection.onEnd(detach);
  }

  #beginJoined(topics: TopicBundle, mark: number, lastEventId: string): void {
    const since = topics.since(mark);
    if (!since) {
      this.recheck();
      return;
    }
    const left = this.#options.hub.markOf(readEventId(lastEventId).cursor);
    const missed = left === undefined ? undefined : this.#missedSince(topics, left);
    this.#waiting.push(...(missed ?? since));
    // The missed events follow `ready`: its id must not count them as received.
    if (missed && left !== undefined) this.#greet(this.#state, left, true);
    else this.#greet(this.#state, mark, false);
  }

  /** Returns the events a reconnecting reader missed, or undefined if unknown or if they require a fresh read. */
  #missedSince(topics: TopicBundle, mark: number): TopicEvent[] | undefined {
    if (this.#state.mayResume?.() === false) return undefined;
    const events = topics.since(mark);
    const changesMore = events?.some((event) => this.#deliveryOf(event).follow !== undefined);
    return changesMore ? undefined : events;
  }

  /** Waits for the topics to be joined, and reports a failure to the reader if that takes too long. */
  #expectJoin(): void {
    const late = setTimeout(() => {
      if (this.#phase === "joining") {
        this.#connection.sendFailure("Live changes are not available yet; the stream waits for them.");
      }
    }, patienceMs);
    this.#connection.onEnd(() => clearTimeout(late));
  }

  event(event: TopicEvent): void {
    if (this.#connection.isOver) return;
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
    this.#connection.sendFailure("Live changes are interrupted. You will see what you missed.");
  }

  resync(): void {
    if (this.#topics?.isJoined) this.recheck();
  }

  missed(transactions: readonly number[]): void {
    if (this.#connection.isOver || this.#phase === "joining") return;
    const known = this.#phase === "live" ? this.#known : undefined;
    if (!known || !transactions.every((id) => known.includes(id))) this.recheck();
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
    if (send) this.#connection.send(event.frame(this.#options.source.kind, this.#buildFrame));
    if (follow === "refresh") this.recheck();
    if (follow === "end") this.end();
  }

  readonly #buildFrame = ({ mark, change }: TopicEvent): Uint8Array => {
    const { hub, source } = this.#options;
    const event = source.nameOf?.(change);
    return encodeMessage({ event, id: hub.cursorOf(mark), data: source.payload(change) });
  };

  /** Reads and sends the state while new events wait. A refusal ends the stream. */
  async #refresh(): Promise<void> {
    if (this.#connection.isOver) return;
    this.#mustReadAgain = this.#phase === "reading";
    if (this.#mustReadAgain) return;

    this.#phase = "reading";
    for (let retryMs = firstRetryMs; ; retryMs = Math.min(retryMs * 2, longestRetryMs)) {
      const mark = this.#options.hub.mark();
      const state = await this.#read(retryMs);
      if (this.#connection.isOver) return;
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
      this.#connection.sendFailure("The state could not be read; the stream tries again.");
      await pause(retryMs, undefined, { signal: this.#connection.ended }).catch(() => {});
      return undefined;
    }
  }

  #greet(state: StreamState, mark: number, resumed: boolean): void {
    this.#state = state;
    // A resuming reader gets no new state, so it needs every missed event, even those in the snapshot.
    this.#known = resumed ? undefined : state.snapshot;
    this.#connection.recover();
    const cursor = this.#options.hub.cursorOf(mark);
    for (const [index, { position, ...message }] of state.greeting(resumed).entries()) {
      const hasId = index === 0 || position !== undefined;
      const id = hasId ? { id: eventId(cursor, position) } : {};
      this.#connection.send(encodeMessage({ ...message, ...id }));
    }
    if (state.isFinal) {
      this.end();
      return;
    }
    this.#phase = "live";
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const event of waiting) this.event(event);
  }

  /** The stream cannot begin: reports that to the reader and ends. */
  fail(error: unknown): void {
    const { log, source } = this.#options;
    log.error({ err: error, stream: source.kind }, "A stream could not begin");
    this.#connection.sendFailure("The stream could not begin; connect again.");
    this.end();
  }

  end(): void {
    this.#connection.end();
  }
}
