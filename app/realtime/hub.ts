import { randomUUID } from "node:crypto";
import { changeEventSchema } from "~/contract/events";
import { RecentEvents } from "./recent-events";
import { TopicEvent } from "./topic-event";
import type { Upstream } from "./upstream";

/** What a viewer of a topic hears. */
export interface TopicViewer {
  event(event: TopicEvent): void;
  /** The topic is joined again after it was cut off: what happened in between is unknown, read the state anew. */
  resync(): void;
}

/** One viewer's hold on a topic. */
export interface TopicSubscription {
  readonly isJoined: boolean;
  /** The event this topic stands at, for `Last-Event-ID`. */
  readonly cursor: string;
  /** Events since a mark of the hub; undefined when the topic was not joined then, or they are no longer kept. */
  since(mark: number): readonly TopicEvent[] | undefined;
  /** Events after a cursor; undefined when they are no longer kept. */
  after(cursor: string): readonly TopicEvent[] | undefined;
  close(): void;
}

/** One subscription per topic and process, shared by all viewers of the topic. */
export interface Hub {
  /** A position in the order of arrival: whatever is read from the database now includes all before it. */
  mark(): number;
  subscribe(topic: string, viewer: TopicViewer): TopicSubscription;
  readonly gauges: HubGauges;
  close(): Promise<void>;
}

export interface HubGauges {
  topics: number;
  viewers: number;
  channels: number;
  sockets: number;
}

export interface HubOptions {
  upstream: Upstream;
  /** How long a topic stays joined without viewers: a reader who comes back finds the window. */
  lingerMs?: number;
  /** How many events of a topic are kept for readers who come back. */
  windowSize?: number;
  onBadEvent?: (topic: string, problem: unknown) => void;
}

interface Topic {
  name: string;
  isJoined: boolean;
  viewers: Set<TopicViewer>;
  recent: RecentEvents;
  leave: () => void;
  linger: NodeJS.Timeout | undefined;
}

export class TopicHub implements Hub {
  readonly #options: Required<HubOptions>;
  readonly #topics = new Map<string, Topic>();
  #lastMark = 0;

  constructor(options: HubOptions) {
    this.#options = { lingerMs: 10_000, windowSize: 64, onBadEvent: () => {}, ...options };
  }

  mark(): number {
    return this.#lastMark;
  }

  get gauges(): HubGauges {
    let viewers = 0;
    for (const topic of this.#topics.values()) viewers += topic.viewers.size;
    const { channels, sockets } = this.#options.upstream;
    return { topics: this.#topics.size, viewers, channels, sockets };
  }

  subscribe(name: string, viewer: TopicViewer): TopicSubscription {
    const topic = this.#topics.get(name) ?? this.#open(name);
    clearTimeout(topic.linger);
    topic.viewers.add(viewer);
    return {
      get isJoined() {
        return topic.isJoined;
      },
      get cursor() {
        return topic.recent.cursor;
      },
      since: (mark) => (topic.isJoined ? topic.recent.afterMark(mark) : undefined),
      after: (cursor) => (topic.isJoined ? topic.recent.after(cursor) : undefined),
      close: () => this.#dismiss(topic, viewer),
    };
  }

  async close(): Promise<void> {
    for (const topic of this.#topics.values()) this.#drop(topic);
    await this.#options.upstream.close();
  }

  #open(name: string): Topic {
    const topic: Topic = {
      name,
      isJoined: false,
      viewers: new Set(),
      recent: new RecentEvents(this.#options.windowSize, "", Number.POSITIVE_INFINITY),
      leave: () => {},
      linger: undefined,
    };
    this.#topics.set(name, topic);
    topic.leave = this.#options.upstream.join(name, {
      joined: () => this.#joined(topic),
      lost: () => {
        topic.isJoined = false;
      },
      message: (payload) => this.#message(topic, payload),
    });
    return topic;
  }

  #joined(topic: Topic): void {
    topic.isJoined = true;
    // Marks taken before the join must not count as complete.
    this.#lastMark += 1;
    topic.recent.restart(randomUUID(), this.#lastMark);
    for (const viewer of [...topic.viewers]) viewer.resync();
  }

  #message(topic: Topic, payload: unknown): void {
    const parsed = changeEventSchema.safeParse(payload);
    if (!parsed.success) {
      this.#options.onBadEvent(topic.name, parsed.error);
      return;
    }
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
