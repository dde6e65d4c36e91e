import type { ChangeEvent } from "~/contract/events";

/** One change as it arrived, with the frames that were made of it: each is built once, for all its readers. */
export class TopicEvent {
  readonly topic: string;
  readonly change: ChangeEvent;
  /** Place in the order in which this process received events. */
  readonly mark: number;
  readonly #frames = new Map<string, Uint8Array>();

  constructor(topic: string, change: ChangeEvent, mark: number) {
    this.topic = topic;
    this.change = change;
    this.mark = mark;
  }

  frame(kind: string, build: (event: TopicEvent) => Uint8Array): Uint8Array {
    const known = this.#frames.get(kind);
    if (known) return known;
    const frame = build(this);
    this.#frames.set(kind, frame);
    return frame;
  }
}
