import type { Hub, TopicSubscription, TopicViewer } from "./hub";
import type { TopicEvent } from "./topic-event";

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
