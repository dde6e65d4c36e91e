import type { TopicEvent } from "./topic-event";

/** The latest events of one topic without a gap, for reconnecting readers. */
export class RecentEvents {
  readonly #capacity: number;
  #events: TopicEvent[] = [];
  /** No event after this mark is missing. */
  #completeSince = Number.POSITIVE_INFINITY;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Starts over after a gap. */
  restart(mark: number): void {
    this.#events = [];
    this.#completeSince = mark;
  }

  push(event: TopicEvent): void {
    this.#events.push(event);
    if (this.#events.length <= this.#capacity) return;
    const oldest = this.#events.shift();
    if (oldest) this.#completeSince = oldest.mark;
  }

  /** Returns the events after a mark, or undefined if some are missing or no longer kept. */
  since(mark: number): readonly TopicEvent[] | undefined {
    if (mark < this.#completeSince) return undefined;
    return this.#events.filter((event) => event.mark > mark);
  }
}
