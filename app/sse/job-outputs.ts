import type { JobOutput, OutputEntry } from "~/contract/job-output";
import { encodeMessage } from "./encode";
import { eventId } from "./event-id";
import type { AttachedReader, PlacedMessage } from "./stream-source";

/** How far an output is known. */
export interface OutputPlace {
  attempt: number;
  seq: number;
}

function isBeyond(one: OutputPlace, other: OutputPlace): boolean {
  return one.attempt === other.attempt ? one.seq > other.seq : one.attempt > other.attempt;
}

/** A place as the ids of the stream of a job carry it. */
export function formatPlace({ attempt, seq }: OutputPlace): string {
  return `${attempt}.${seq}`;
}

/** Undefined when it is none of ours. */
export function parsePlace(text = ""): OutputPlace | undefined {
  if (!/^\d{1,9}\.\d{1,15}$/.test(text)) return undefined;
  const [attempt, seq] = text.split(".").map(Number);
  return { attempt: attempt ?? 0, seq: seq ?? 0 };
}

/** What a stream of a job gives and wants: a way to read with its reader's rights, and the frames to write. */
export interface OutputViewer extends AttachedReader {
  read(after: OutputPlace): Promise<JobOutput>;
}

/** Viewers are told of more at most once a second, so one more reading follows each that brought something. */
const trailingMs = 1_100;

/**
 * Reads what the agent of one job says, once for all viewers in this process, and hands it to them. A viewer that came later
 * than an entry sees a gap in `seq` and reads it by itself; one that joined further on is spared what it knows.
 */
class JobOutputFeed {
  /** With the place from which on each one joined. */
  readonly #viewers = new Map<OutputViewer, OutputPlace>();
  #place: OutputPlace | undefined;
  #isReading = false;
  #mustReadAgain = false;
  #trailing: NodeJS.Timeout | undefined;

  get isEmpty(): boolean {
    return this.#viewers.size === 0;
  }

  add(viewer: OutputViewer, place: OutputPlace): void {
    // The first one may come within the second in which nothing is told.
    if (this.isEmpty) this.#readLater();
    this.#viewers.set(viewer, place);
    if (!this.#place || place.attempt > this.#place.attempt) this.#place = place;
  }

  isBeyond(place: OutputPlace): boolean {
    return this.#place !== undefined && isBeyond(this.#place, place);
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
    if (mayBeMore && !this.isEmpty) this.#readLater();
  }

  #readLater(): void {
    clearTimeout(this.#trailing);
    this.#trailing = setTimeout(() => void this.#read(), trailingMs);
  }

  /**
   * Whether there may be more to read in a second: something was found, or nobody could read. One viewer whose right to read has
   * ended does not keep the others from reading.
   */
  async #readOnce(): Promise<boolean> {
    for (const viewer of [...this.#viewers.keys()]) {
      const place = this.#place;
      // Before the first attempt nothing is said.
      if (!place || place.attempt === 0) return false;
      const output = await viewer.read(place).catch(() => undefined);
      if (!output) continue;
      const last = output.entries.at(-1);
      if (!last || this.#place !== place) return false;
      this.#place = { attempt: place.attempt, seq: last.seq };
      this.#tell(output, this.#place, viewer.cursor());
      return true;
    }
    return true;
  }

  #tell({ job_id, entries }: JobOutput, to: OutputPlace, cursor: string): void {
    const frame = encodeOutput(outputMessage(job_id, to, entries), cursor);
    for (const [viewer, joinedAt] of this.#viewers) {
      const news = entries.filter(({ seq }) => isBeyond({ attempt: to.attempt, seq }, joinedAt));
      if (news.length === entries.length) viewer.push(frame);
      else if (news.length > 0) {
        viewer.push(encodeOutput(outputMessage(job_id, to, news), cursor));
      }
    }
  }
}

function encodeOutput({ place, ...message }: PlacedMessage, cursor: string): Uint8Array {
  return encodeMessage({ ...message, id: eventId(cursor, place) });
}

/** Entries of an attempt, and the place up to which they bring their reader. */
export function outputMessage(
  jobId: string,
  to: OutputPlace,
  entries: readonly OutputEntry[],
): PlacedMessage {
  const data = { job_id: jobId, attempt: to.attempt, entries };
  return { event: "output", place: formatPlace(to), data };
}

/** The outputs that are watched in this process, one feed a job. */
export class JobOutputs {
  readonly #feeds = new Map<string, JobOutputFeed>();

  /** Joins the viewers of a job from a place on; the returned function leaves them. */
  watch(jobId: string, viewer: OutputViewer, place: OutputPlace): () => void {
    const feed = this.#feeds.get(jobId) ?? new JobOutputFeed();
    this.#feeds.set(jobId, feed);
    feed.add(viewer, place);
    return () => {
      feed.remove(viewer);
      if (feed.isEmpty && this.#feeds.get(jobId) === feed) this.#feeds.delete(jobId);
    };
  }

  /** Whether the viewers of a job were told more than lies before a place: who joins there would miss that. */
  isBeyond(jobId: string, place: OutputPlace): boolean {
    return this.#feeds.get(jobId)?.isBeyond(place) ?? false;
  }

  notice(jobId: string, attempt: number, seq: number): void {
    this.#feeds.get(jobId)?.notice(attempt, seq);
  }
}
