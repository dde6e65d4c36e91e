/**
 * What a state that was read includes: a Postgres snapshot `xmin:xmax:running,...`. A transaction below `xmin` is in it,
 * one from `xmax` on is not, and between them those that were running are not.
 */
export class Snapshot {
  readonly #oldest: number;
  readonly #next: number;
  readonly #running: ReadonlySet<number>;

  constructor(text: string) {
    const [oldest = "0", next = "0", running = ""] = text.split(":");
    this.#oldest = Number(oldest);
    this.#next = Number(next);
    this.#running = new Set(running === "" ? [] : running.split(",").map(Number));
  }

  includes(transactionId: number): boolean {
    if (transactionId < this.#oldest) return true;
    return transactionId < this.#next && !this.#running.has(transactionId);
  }
}
