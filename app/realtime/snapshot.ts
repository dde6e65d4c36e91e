/**
 * Transactions that a state includes: a Postgres snapshot `xmin:xmax:running,...`. Transactions below `xmin` are
 * included, those from `xmax` on are not, and between them all but the running ones are.
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
