/** A message as the database sent it: its topic, the number of its first event, its transaction. */
export interface SentMessage {
  topic: string;
  seq: number;
  xid: number;
}

/** The database shows a message for a minute; what was heard is remembered longer. */
const rememberedMs = 120_000;

/** Which messages of one topic came, by the number of their first event, and which are waited for. */
export class HeardEvents {
  readonly #heard = new Map<number, number>();
  #awaited = new Set<number>();

  add(seq: number): void {
    this.#heard.set(seq, performance.now());
  }

  /** Of the messages that were sent, those that were missing at the last look too; each is named once. */
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
