import { randomBytes } from "node:crypto";
import type { Upstream } from "~/db/upstream";
import { changeEventSchema, changeMessageSchema } from "~/wire/events";
import { ReceivedEvents, RecentEvents, type SentMessage, TopicEvent } from "./topic-events";

export interface TopicViewer {
  event(event: TopicEvent): void;
  /** The topic is disconnected: events may be missing from now on. */
  lost(): void;
  /** The topic is joined (again). Earlier events are unknown, so read the state again. */
  resync(): void;
  /** Events of these transactions were lost. If the viewer's state lacks them, it is read again. */
  missed(transactions: readonly number[]): void;
}

interface TopicSubscription {
  readonly isJoined: boolean;
  /** Returns the events since a mark, or undefined if the topic was not joined then or they are no longer kept. */
  since(mark: number): readonly TopicEvent[] | undefined;
  close(): void;
}

/** One subscription per topic and process, shared by all viewers of the topic. */
export interface Hub {
  /** Returns a position in the order of arrival. A database read started after it includes all earlier events. */
  mark(): number;
  /** Encodes a mark for a browser, which returns it as `Last-Event-ID`. */
  cursorOf(mark: number): string;
  /** Returns the mark of a cursor, or undefined if another process issued it. */
  markOf(cursor: string): number | undefined;
  subscribe(topic: string, viewer: TopicViewer): TopicSubscription;
  readonly gauges: HubGauges;
  close(): Promise<void>;
}

type HubGauges = { topics: number; viewers: number };

interface HubOptions {
  upstream: Upstream;
  /** How long a topic stays joined without viewers, so that reconnecting readers find their missed events. */
  lingerMs?: number;
  /** Number of events kept per topic for reconnecting readers. */
  windowSize?: number;
  /** Lists recently sent messages of topics, because Realtime drops messages silently. */
  listSent: (topics: readonly string[]) => Promise<readonly SentMessage[]>;
  /** Interval of comparing sent with received messages. A message missing twice counts as dropped. */
  compareMs?: number | undefined;
  onCompareFailure?: (problem: unknown) => void;
  onBadEvent?: (topic: string, problem: unknown) => void;
}

interface Topic {
  name: string;
  isJoined: boolean;
  viewers: Set<TopicViewer>;
  recent: RecentEvents;
  received: ReceivedEvents;
  leave: () => void;
  linger: NodeJS.Timeout | undefined;
}

export class TopicHub implements Hub {
  readonly #options: Required<HubOptions>;
  readonly #topics = new Map<string, Topic>();
  readonly #processId = randomBytes(6).toString("base64url");
  #lastMark = 0;
  #comparison: NodeJS.Timeout | undefined;
  #isComparing = false;

  constructor(options: HubOptions) {
    this.#options = {
      lingerMs: 10_000,
      windowSize: 64,
      onCompareFailure: () => {},
      onBadEvent: () => {},
      ...options,
      compareMs: options.compareMs ?? 10_000,
    };
  }

  mark(): number {
    return this.#lastMark;
  }

  cursorOf(mark: number): string {
    return `${this.#processId}.${mark}`;
  }

  markOf(cursor: string): number | undefined {
    const [processId, mark] = cursor.split(".");
    if (processId !== this.#processId || mark === undefined || !/^\d{1,15}$/.test(mark)) return undefined;
    return Number(mark);
  }

  get gauges(): HubGauges {
    let viewers = 0;
    for (const topic of this.#topics.values()) viewers += topic.viewers.size;
    return { topics: this.#topics.size, viewers };
  }

  subscribe(name: string, viewer: TopicViewer): TopicSubscription {
    const topic = this.#topics.get(name) ?? this.#open(name);
    clearTimeout(topic.linger);
    topic.viewers.add(viewer);
    return {
      get isJoined() {
        return topic.isJoined;
      },
      since: (mark) => (topic.isJoined ? topic.recent.since(mark) : undefined),
      close: () => this.#dismiss(topic, viewer),
    };
  }

  async close(): Promise<void> {
    clearInterval(this.#comparison);
    for (const topic of this.#topics.values()) this.#drop(topic);
    await this.#options.upstream.close();
  }

  #open(name: string): Topic {
    const topic: Topic = {
      name,
      isJoined: false,
      viewers: new Set(),
      recent: new RecentEvents(this.#options.windowSize),
      received: new ReceivedEvents(),
      leave: () => {},
      linger: undefined,
    };
    this.#topics.set(name, topic);
    this.#comparison ??= setInterval(() => void this.#compare(), this.#options.compareMs).unref();
    topic.leave = this.#options.upstream.join(name, {
      joined: () => this.#joined(topic),
      lost: () => this.#lost(topic),
      message: (payload) => this.#message(topic, payload),
    });
    return topic;
  }

  #joined(topic: Topic): void {
    topic.isJoined = true;
    // Marks taken before the join must not count as complete.
    this.#lastMark += 1;
    topic.recent.restart(this.#lastMark);
    for (const viewer of [...topic.viewers]) viewer.resync();
  }

  #lost(topic: Topic): void {
    if (!topic.isJoined) return;
    topic.isJoined = false;
    for (const viewer of [...topic.viewers]) viewer.lost();
  }

  #message(topic: Topic, payload: unknown): void {
    const message = changeMessageSchema.safeParse(payload);
    if (!message.success) {
      this.#options.onBadEvent(topic.name, message.error);
      return;
    }
    for (const event of message.data.events) this.#event(topic, event);
  }

  /** Finds messages that were sent but not received. One missing for the first time may still arrive. */
  async #compare(): Promise<void> {
    const joined = [...this.#topics.values()].filter(({ isJoined }) => isJoined);
    if (joined.length === 0 || this.#isComparing) return;
    this.#isComparing = true;
    try {
      const sent = await this.#options.listSent(joined.map(({ name }) => name));
      const byTopic = new Map<string, SentMessage[]>(joined.map(({ name }) => [name, []]));
      for (const message of sent) byTopic.get(message.topic)?.push(message);
      for (const topic of joined) {
        const lost = topic.received.missing(byTopic.get(topic.name) ?? []);
        if (lost.length > 0 && topic.isJoined) this.#missed(topic, lost);
      }
    } catch (error) {
      this.#options.onCompareFailure(error);
    } finally {
      this.#isComparing = false;
    }
  }

  /** Reconnecting readers read the state too: what the present viewers know says nothing about them. */
  #missed(topic: Topic, lost: readonly SentMessage[]): void {
    const transactions = lost.map(({ xid }) => xid);
    for (const viewer of [...topic.viewers]) viewer.missed(transactions);
    this.#lastMark += 1;
    topic.recent.restart(this.#lastMark);
  }

  #event(topic: Topic, change: unknown): void {
    const parsed = changeEventSchema.safeParse(change);
    if (!parsed.success) {
      this.#options.onBadEvent(topic.name, parsed.error);
      return;
    }
    topic.received.add(parsed.data.seq);
    this.#lastMark += 1;
    const event = new TopicEvent(topic.name, parsed.data, this.#lastMark);
    topic.recent.push(event);
    for (const viewer of topic.viewers) viewer.event(event);
  }

  #dismiss(topic: Topic, viewer: TopicViewer): void {
    if (!topic.viewers.delete(viewer) || topic.viewers.size > 0) return;
    topic.linger = setTimeout(() => this.#drop(topic), this.#options.lingerMs);
    topic.linger.unref();
  }

  #drop(topic: Topic): void {
    clearTimeout(topic.linger);
    if (this.#topics.get(topic.name) === topic) this.#topics.delete(topic.name);
    topic.leave();
  }
}

/** The subscriptions of one viewer to several topics. */
export class TopicBundle {
  readonly #subscriptions: readonly TopicSubscription[];

  constructor(hub: Hub, topics: readonly string[], viewer: TopicViewer) {
    this.#subscriptions = topics.map((topic) => hub.subscribe(topic, viewer));
  }

  get isJoined(): boolean {
    return this.#subscriptions.every((subscription) => subscription.isJoined);
  }

  /** Returns the events of all topics after a mark, in order of arrival, or undefined if some are missing. */
  since(mark: number): TopicEvent[] | undefined {
    const events: TopicEvent[] = [];
    for (const subscription of this.#subscriptions) {
      const some = subscription.since(mark);
      if (!some) return undefined;
      events.push(...some);
    }
    return events.sort((a, b) => a.mark - b.mark);
  }

  close(): void {
    for (const subscription of this.#subscriptions) subscription.close();
  }
}
