import type { Entry } from "../agents/driver";

const batchBytes = 60_000;
const batchEntries = 500;
/** What waits for a service that is away; beyond that the oldest is let go. */
const keptBytes = 5 * 1024 * 1024;

/** Entries on their way to the service, oldest first; they wait here until it has them. */
export class WaitingEntries {
  #waiting: { entry: Entry; bytes: number }[] = [];
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add(entry: Entry): void {
    const bytes = Buffer.byteLength(JSON.stringify(entry));
    this.#waiting.push({ entry, bytes });
    this.#bytes += bytes;
    while (this.#bytes > keptBytes) this.forget(this.#waiting[0]?.entry.seq ?? entry.seq);
  }

  /** The oldest, as many as go together; one at least. */
  nextBatch(): Entry[] {
    let bytes = 0;
    const batch: Entry[] = [];
    for (const { entry, bytes: size } of this.#waiting) {
      bytes += size;
      if (batch.length > 0 && (bytes > batchBytes || batch.length === batchEntries)) break;
      batch.push(entry);
    }
    return batch;
  }

  /** By number, not by count: the oldest may have been let go while they were on their way. */
  forget(lastSeq: number): void {
    this.#waiting = this.#waiting.filter(({ entry }) => entry.seq > lastSeq);
    this.#bytes = this.#waiting.reduce((sum, { bytes }) => sum + bytes, 0);
  }
}
