/** A message the database sent: its topic, the number of its first event, its transaction. */
export interface SentMessage {
  topic: string;
  seq: number;
  xid: number;
}

/** Must be longer than the minute for which the database lists sent messages. */
const rememberedMs = 120_000;

/** Received messages of one topic, by the number of their first event, and those still awaited. */
export class HeardEvents {
  readonly #heard = new Map<number, number>();
  #awaited = new Set<number>();

  add(seq: number): void {
    this.#heard.set(seq, performance.now());
  }

  /** Returns the sent messages that were already missing at the last comparison. Reports each only once. */
  missing(sent: readonly SentMessage[]): SentMessage[] {
    const absent = sent.filter(({ seq }) => !this.#heard.has(seq));
    const lost = absent.filter(({ seq }) => this.#awaited.has(seq));
    this.#awaited = new Set(absent.map(({ seq }) => seq));
    for (const { seq } of lost) this.add(seq);
    this.#forget();
    return lost;
  }

  #forget(): void {
    const oldest = performance.now() - rememberedMs;
    for (const [seq, heardAt] of this.#heard) {
      if (heardAt > oldest) return;
      this.#heard.delete(seq);
    }
  }
}
