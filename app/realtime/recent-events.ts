import type { TopicEvent } from "./topic-event";

/**
 * The last events of one topic since it was joined without a gap: what a reader who comes back has missed.
 * A cursor is the number of an event, or the origin while there was none yet.
 */
export class RecentEvents {
  readonly #capacity: number;
  #events: TopicEvent[] = [];
  #origin: string;
  /** The position from which on nothing is missing. */
  #since: number;

  constructor(capacity: number, origin: string, since: number) {
    this.#capacity = capacity;
    this.#origin = origin;
    this.#since = since;
  }

  /** Begins anew after a gap: what came before no longer connects with what follows. */
  restart(origin: string, since: number): void {
    this.#events = [];
    this.#origin = origin;
    this.#since = since;
  }

  push(event: TopicEvent): void {
    this.#events.push(event);
    if (this.#events.length <= this.#capacity) return;
    const oldest = this.#events.shift();
    if (oldest) this.#since = oldest.mark;
    this.#origin = "";
  }

  get cursor(): string {
    return this.#events.at(-1)?.cursor ?? this.#origin;
  }

  /** Events after a cursor; undefined when the cursor is not in the window. */
  after(cursor: string): readonly TopicEvent[] | undefined {
    if (cursor === "") return undefined;
    if (cursor === this.#origin) return this.#events;
    const position = this.#events.findLastIndex((event) => event.cursor === cursor);
    return position === -1 ? undefined : this.#events.slice(position + 1);
  }

  /** Events received after a mark; undefined when some of them are no longer kept. */
  afterMark(mark: number): readonly TopicEvent[] | undefined {
    if (mark < this.#since) return undefined;
    return this.#events.filter((event) => event.mark > mark);
  }
}
