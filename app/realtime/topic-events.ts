import type { ChangeEvent } from "~/wire/events";

/** One received change with its encoded frames, each built once for all readers. */
export class TopicEvent {
  readonly #frames = new Map<string, Uint8Array>();

  constructor(
    readonly topic: string,
    readonly change: ChangeEvent,
    /** Position in the order in which this process received events. */
    readonly mark: number,
  ) {}

  frame(kind: string, build: (event: TopicEvent) => Uint8Array): Uint8Array {
    const known = this.#frames.get(kind);
    if (known) return known;
    const frame = build(this);
    this.#frames.set(kind, frame);
    return frame;
  }
}

/** The latest events of one topic without a gap, for reconnecting readers. */
export class RecentEvents {
  #events: TopicEvent[] = [];
  /** No event after this mark is missing. */
  #completeSince = Number.POSITIVE_INFINITY;

  constructor(private readonly capacity: number) {}

  /** Starts over after a gap. */
  restart(mark: number): void {
    this.#events = [];
    this.#completeSince = mark;
  }

  push(event: TopicEvent): void {
    this.#events.push(event);
    if (this.#events.length <= this.capacity) return;
    const oldest = this.#events.shift();
    if (oldest) this.#completeSince = oldest.mark;
  }

  /** Returns the events after a mark, or undefined if some are missing or no longer kept. */
  since(mark: number): readonly TopicEvent[] | undefined {
    if (mark < this.#completeSince) return undefined;
    return this.#events.filter((event) => event.mark > mark);
  }
}

/** A message the database sent: its topic, the number of its first event, its transaction. */
export type SentMessage = { topic: string; seq: number; xid: number };

/** Must be longer than the minute for which the database lists sent messages. */
const rememberedMs = 120_000;

/** Received messages of one topic, by the number of their first event, and those still awaited. */
export class ReceivedEvents {
  readonly #received = new Map<number, number>();
  #awaited = new Set<number>();

  add(seq: number): void {
    this.#received.set(seq, performance.now());
  }

  /** Returns the sent messages that were already missing at the last comparison. Reports each only once. */
  missing(sent: readonly SentMessage[]): SentMessage[] {
    const absent = sent.filter(({ seq }) => !this.#received.has(seq));
    const lost = absent.filter(({ seq }) => this.#awaited.has(seq));
    this.#awaited = new Set(absent.map(({ seq }) => seq));
    for (const { seq } of lost) this.add(seq);
    this.#forget();
    return lost;
  }

  #forget(): void {
    const oldest = performance.now() - rememberedMs;
    for (const [seq, receivedAt] of this.#received) {
      if (receivedAt > oldest) return;
      this.#received.delete(seq);
    }
  }
}
