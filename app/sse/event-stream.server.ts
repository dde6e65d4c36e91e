import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { ContractError } from "~/contract/errors";
import { streamStarted } from "~/http/responses.server";
import type { Hub, TopicSubscription, TopicViewer } from "~/realtime/hub";
import type { TopicEvent } from "~/realtime/topic-event";
import type { RequestContext } from "~/server/load-context";
import { ClientWriter } from "./client-writer";
import { encodeMessage, heartbeat } from "./encode";
import type { OpenStream, OpenStreams } from "./open-streams.server";
import type { StreamSource, StreamState } from "./stream-source";

const headers = {
  "content-type": "text/event-stream",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

/** Events kept while the state is read; with more of them waiting it is read once more instead. */
const maxWaitingEvents = 1000;
const longestRetryMs = 5000;
const patienceMs = 3000;

/**
 * Answers a request with a stream (specification: Events). The first read decides over access, so a refusal is an
 * ordinary answer; afterwards the response belongs to the stream.
 */
export async function openEventStream(
  { request, context }: { request: Request; context: RequestContext },
  source: StreamSource,
): Promise<Response> {
  const { hub, streams, stopSignal } = context.services;
  const mark = hub.mark();
  const state = await source.read();
  const release = streams.take(state.limitKey, state.limit);
  if (context.closeSignal.aborted) {
    release();
    return streamStarted();
  }
  streams.endOn(stopSignal);
  context.sink.open(200, headers);
  const stream = new EventStream({ source, state, hub, streams, context, release });
  try {
    stream.start(mark, request.headers.get("last-event-id"));
  } catch (error) {
    stream.fail(error);
  }
  return streamStarted();
}

interface EventStreamOptions {
  source: StreamSource;
  state: StreamState;
  hub: Hub;
  streams: OpenStreams;
  context: RequestContext;
  release: () => void;
}

/** One open stream, from its first byte to its clean-up, which happens exactly once. */
class EventStream implements TopicViewer, OpenStream {
  readonly #source: StreamSource;
  readonly #hub: Hub;
  readonly #streams: OpenStreams;
  readonly #log: Logger;
  readonly #writer: ClientWriter;
  readonly #ended = new AbortController();
  readonly #cleanUps: (() => void)[] = [];
  readonly #closeSignal: AbortSignal;
  readonly #sink: RequestContext["sink"];
  #state: StreamState;
  /** What the reader knows from the state; nothing of it is sent again. */
  #known: StreamState["snapshot"];
  #subscriptions: TopicSubscription[] = [];
  #phase: "joining" | "reading" | "live" | "ended" = "joining";
  #waiting: TopicEvent[] = [];
  #mustReadAgain = false;
  #hasToldFailure = false;

  constructor({ source, state, hub, streams, context, release }: EventStreamOptions) {
    this.#source = source;
    this.#state = state;
    this.#hub = hub;
    this.#streams = streams;
    this.#log = context.log;
    this.#sink = context.sink;
    this.#writer = new ClientWriter(
      context.sink,
      streams.tick,
      streams.limits.maxBufferedBytes,
      () => this.#cut(),
    );
    this.#closeSignal = context.closeSignal;
    this.#cleanUps.push(release);
  }

  get access(): StreamState["access"] {
    return this.#state.access;
  }

  get expiresAt(): string | null {
    return this.#state.expiresAt;
  }

  #endWithConnection(): void {
    const listener = () => this.#cleanUp();
    this.#closeSignal.addEventListener("abort", listener, { once: true });
    this.#cleanUps.push(() => this.#closeSignal.removeEventListener("abort", listener));
  }

  #startClocks(): void {
    const { heartbeatSeconds, lifetimeSeconds } = this.#streams.limits;
    const beat = setInterval(() => this.#writer.push(heartbeat), heartbeatSeconds * 1000);
    const life = setTimeout(() => this.end(), lifetimeSeconds * 1000);
    this.#cleanUps.push(
      () => clearInterval(beat),
      () => clearTimeout(life),
    );
  }

  /**
   * Subscribes. When the topics were joined before the first read began, that read and the events since then are
   * complete; otherwise the state is read again as soon as they are joined.
   */
  start(mark: number, lastEventId: string | null): void {
    this.#streams.add(this);
    this.#cleanUps.push(() => this.#streams.delete(this));
    this.#endWithConnection();
    this.#startClocks();
    this.#subscriptions = this.#state.topics.map((topic) => this.#hub.subscribe(topic, this));
    this.#cleanUps.push(() => {
      for (const subscription of this.#subscriptions) subscription.close();
    });
    if (this.#isJoined()) this.#beginJoined(mark, lastEventId);
    else this.#expectJoin();
  }

  #beginJoined(mark: number, lastEventId: string | null): void {
    const since = this.#eventsSince(mark);
    if (!since) {
      void this.#refresh();
      return;
    }
    const missed = this.#missedSince(lastEventId);
    this.#waiting.push(...(missed ?? since));
    this.#greet(this.#state, mark, missed !== undefined);
  }

  /** A source that cannot be reached is told, and waited for. */
  #expectJoin(): void {
    const late = setTimeout(() => {
      if (this.#phase === "joining")
        this.#tellFailure("Live changes are not available yet; the stream waits for them.");
    }, patienceMs);
    this.#cleanUps.push(() => clearTimeout(late));
  }

  #isJoined(): boolean {
    return this.#subscriptions.every((subscription) => subscription.isJoined);
  }

  /** Events of all topics after a mark, in the order in which they came; undefined when some are missing. */
  #eventsSince(mark: number): TopicEvent[] | undefined {
    const events: TopicEvent[] = [];
    for (const subscription of this.#subscriptions) {
      const some = subscription.since(mark);
      if (!some) return undefined;
      events.push(...some);
    }
    return events.sort((a, b) => a.mark - b.mark);
  }

  /** What a reader who comes back has missed; undefined when that is unknown or asks for reading anew. */
  #missedSince(lastEventId: string | null): TopicEvent[] | undefined {
    const mark = lastEventId === null ? undefined : this.#hub.markOf(lastEventId);
    const events = mark === undefined ? undefined : this.#eventsSince(mark);
    const changesMore = events?.some((event) => this.#delivery(event).follow !== undefined);
    return changesMore ? undefined : events;
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
    this.#tellFailure(
      "Live changes are interrupted; what happened meanwhile follows with the next state.",
    );
  }

  resync(): void {
    if (this.#isJoined()) void this.#refresh();
  }

  recheck(): void {
    void this.#refresh();
  }

  #delivery(event: TopicEvent) {
    return this.#state.deliver(event.change, event.topic);
  }

  #handle(event: TopicEvent): void {
    const { xid } = event.change;
    if (xid !== undefined && this.#known?.includes(xid)) return;
    const { send, follow } = this.#delivery(event);
    if (send) this.#writer.push(event.frame(this.#source.kind, this.#buildFrame));
    if (follow === "refresh") void this.#refresh();
    if (follow === "end") this.end();
  }

  #buildFrame = ({ mark, change }: TopicEvent): Uint8Array =>
    encodeMessage({ id: this.#hub.cursorOf(mark), data: this.#source.payload(change) });

  /** Reads the state and sends it; what happens meanwhile waits. Refused means that the stream is over. */
  async #refresh(): Promise<void> {
    if (this.#phase === "ended") return;
    this.#mustReadAgain = this.#phase === "reading";
    if (this.#mustReadAgain) return;

    this.#phase = "reading";
    for (let retryMs = 250; ; retryMs = Math.min(retryMs * 2, longestRetryMs)) {
      const mark = this.#hub.mark();
      const state = await this.#read(retryMs);
      if (this.#ended.signal.aborted) return;
      if (state && !this.#mustReadAgain) return this.#greet(state, mark, false);
      this.#mustReadAgain = false;
    }
  }

  async #read(retryMs: number): Promise<StreamState | undefined> {
    try {
      return await this.#source.read();
    } catch (error) {
      if (error instanceof ContractError && error.status < 429) {
        this.end();
        return undefined;
      }
      this.#log.error(
        { err: error, stream: this.#source.kind },
        "The state of a stream was not read",
      );
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
    this.#writer.push(encodeMessage({ ...first, id: this.#hub.cursorOf(mark) }));
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
    this.#log.error({ err: error, stream: this.#source.kind }, "A stream could not begin");
    this.#tellFailure("The stream could not begin; connect again.");
    this.end();
  }

  /** The reader does not keep up. */
  #cut(): void {
    this.#log.info({ stream: this.#source.kind }, "A reader that stalled was cut off");
    this.#cleanUp();
    this.#sink.destroy();
  }

  end(): void {
    if (this.#phase === "ended") return;
    this.#writer.flush();
    this.#cleanUp();
    this.#sink.end();
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
