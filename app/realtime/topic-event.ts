import type { ChangeEvent } from "~/contract/events";

/** One received change with its encoded frames, each built once for all readers. */
export class TopicEvent {
  readonly topic: string;
  readonly change: ChangeEvent;
  /** Position in the order in which this process received events. */
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
