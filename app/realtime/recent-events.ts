import type { TopicEvent } from "./topic-event";

/** The last events of one topic since it was joined without a gap: what a reader who comes back has missed. */
export class RecentEvents {
  readonly #capacity: number;
  #events: TopicEvent[] = [];
  /** The mark from which on nothing is missing. */
  #completeSince = Number.POSITIVE_INFINITY;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Begins anew: what came before does not connect with what follows. */
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

  /** Events received after a mark; undefined when some of them are missing or no longer kept. */
  since(mark: number): readonly TopicEvent[] | undefined {
    if (mark < this.#completeSince) return undefined;
    return this.#events.filter((event) => event.mark > mark);
  }
}
