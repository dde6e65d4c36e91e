import type { JobOutput } from "~/contract/job-output";
import { encodeMessage } from "./encode";

/** What a stream of a job gives and wants: a way to read with its reader's rights, and the frames to write. */
export interface OutputViewer {
  read(after: { attempt: number; seq: number }): Promise<JobOutput>;
  push(frame: Uint8Array): void;
}

/** Viewers are told of more at most once a second, so one more reading follows each that brought something. */
const trailingMs = 1_100;

/**
 * Reads what the agent of one job says, once for all viewers in this process, and hands it to them. A viewer that came later
 * than an entry sees a gap in `seq` and reads it by itself; one that knows an entry already passes over it.
 */
class JobOutputFeed {
  readonly #viewers = new Set<OutputViewer>();
  #place: { attempt: number; seq: number } | undefined;
  #isReading = false;
  #mustReadAgain = false;
  #trailing: NodeJS.Timeout | undefined;

  get isEmpty(): boolean {
    return this.#viewers.size === 0;
  }

  add(viewer: OutputViewer, attempt: number, seq: number): void {
    this.#viewers.add(viewer);
    if (!this.#place || attempt > this.#place.attempt) this.#place = { attempt, seq };
  }

  remove(viewer: OutputViewer): void {
    this.#viewers.delete(viewer);
    if (this.isEmpty) clearTimeout(this.#trailing);
  }

  /** Somebody heard how far the output goes. */
  notice(attempt: number, seq: number): void {
    const place = this.#place;
    if (!place || attempt < place.attempt) return;
    if (attempt === place.attempt && seq <= place.seq) return;
    if (attempt > place.attempt) this.#place = { attempt, seq: 0 };
    void this.#read();
  }

  async #read(): Promise<void> {
    this.#mustReadAgain = this.#isReading;
    if (this.#isReading) return;
    this.#isReading = true;
    clearTimeout(this.#trailing);
    let mayBeMore = false;
    // Each viewer hears the same news: what the second reading does not find any more may still come, after both.
    do {
      this.#mustReadAgain = false;
      mayBeMore = (await this.#readOnce()) || mayBeMore;
    } while (this.#mustReadAgain && !this.isEmpty);
    this.#isReading = false;
    if (mayBeMore && !this.isEmpty) {
      this.#trailing = setTimeout(() => void this.#read(), trailingMs);
    }
  }

  /**
   * Whether there may be more to read in a second: something was found, or nobody could read. One viewer whose right to read has
   * ended does not keep the others from reading.
   */
  async #readOnce(): Promise<boolean> {
    for (const viewer of [...this.#viewers]) {
      const place = this.#place;
      if (!place) return false;
      const output = await viewer.read(place).catch(() => undefined);
      if (!output) continue;
      const last = output.entries.at(-1);
      if (!last || this.#place !== place) return false;
      this.#place = { attempt: place.attempt, seq: last.seq };
      this.#tell({ job_id: output.job_id, attempt: place.attempt, entries: output.entries });
      return true;
    }
    return true;
  }

  #tell(data: unknown): void {
    const frame = encodeMessage({ event: "output", data });
    for (const viewer of this.#viewers) viewer.push(frame);
  }
}

/** The outputs that are watched in this process, one feed a job. */
export class JobOutputs {
  readonly #feeds = new Map<string, JobOutputFeed>();

  /** Joins the viewers of a job from a place on; the returned function leaves them. */
  watch(jobId: string, viewer: OutputViewer, attempt: number, seq: number): () => void {
    const feed = this.#feeds.get(jobId) ?? new JobOutputFeed();
    this.#feeds.set(jobId, feed);
    feed.add(viewer, attempt, seq);
    return () => {
      feed.remove(viewer);
      if (feed.isEmpty && this.#feeds.get(jobId) === feed) this.#feeds.delete(jobId);
    };
  }

  notice(jobId: string, attempt: number, seq: number): void {
    this.#feeds.get(jobId)?.notice(attempt, seq);
  }
}
