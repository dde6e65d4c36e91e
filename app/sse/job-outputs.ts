import type { JobOutput, OutputEntry } from "~/wire/agent-jobs/job-output";
import { encodeMessage, eventId } from "./encode";
import type { AttachedReader, PlacedMessage } from "./stream-source";

/** Position in a job's output. */
export interface OutputPlace {
  attempt: number;
  seq: number;
}

function isBeyond(one: OutputPlace, other: OutputPlace): boolean {
  return one.attempt === other.attempt ? one.seq > other.seq : one.attempt > other.attempt;
}

/** Formats a place for the message ids of a job stream. */
export function formatPlace({ attempt, seq }: OutputPlace): string {
  return `${attempt}.${seq}`;
}

/** Parses a place. Returns undefined for anything `formatPlace` did not produce. */
export function parsePlace(text = ""): OutputPlace | undefined {
  if (!/^\d{1,9}\.\d{1,15}$/.test(text)) return undefined;
  const [attempt, seq] = text.split(".").map(Number);
  return { attempt: attempt ?? 0, seq: seq ?? 0 };
}

/** A job stream as a viewer of output: it reads with its reader's rights and receives frames. */
export interface OutputViewer extends AttachedReader {
  read(after: OutputPlace): Promise<JobOutput>;
}

/** New output is announced at most once a second, so each read that found something is followed by another. */
const trailingMs = 1_100;

/**
 * Reads the agent output of one job once for all viewers in this process. A viewer that joined after an entry was sent
 * sees a gap in `seq` and fetches it itself; one that joined at a later place does not get entries it already has.
 */
class JobOutputFeed {
  /** Viewers, each with the place at which it joined. */
  readonly #viewers = new Map<OutputViewer, OutputPlace>();
  #place: OutputPlace | undefined;
  #isReading = false;
  #mustReadAgain = false;
  #trailing: NodeJS.Timeout | undefined;

  get isEmpty(): boolean {
    return this.#viewers.size === 0;
  }

  add(viewer: OutputViewer, place: OutputPlace): void {
    // The first viewer may join within the second in which nothing is announced.
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

  /** Called when an event or a read state shows how far the output goes. */
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
    // Every viewer's stream announces the same output, so the repeated read often finds nothing. More may still come.
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
   * Reads once. Returns true if there may be more in a second: something was found, or no viewer could read.
   * If one viewer has lost its access, the next one reads.
   */
  async #readOnce(): Promise<boolean> {
    for (const viewer of [...this.#viewers.keys()]) {
      const place = this.#place;
      // There is no output before the first attempt.
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

/** Builds the message with entries of an attempt and the place its reader reaches with them. */
export function outputMessage(jobId: string, to: OutputPlace, entries: readonly OutputEntry[]): PlacedMessage {
  const data = { job_id: jobId, attempt: to.attempt, entries };
  return { event: "output", place: formatPlace(to), data };
}

/** The outputs watched in this process, one feed per job. */
export class JobOutputs {
  readonly #feeds = new Map<string, JobOutputFeed>();

  /** Adds a viewer to a job's output from `place` on. The returned function removes it. */
  watch(jobId: string, viewer: OutputViewer, place: OutputPlace): () => void {
    const feed = this.#feeds.get(jobId) ?? new JobOutputFeed();
    this.#feeds.set(jobId, feed);
    feed.add(viewer, place);
    return () => {
      feed.remove(viewer);
      if (feed.isEmpty && this.#feeds.get(jobId) === feed) this.#feeds.delete(jobId);
    };
  }

  /** Whether the job's viewers already got output beyond `place`, which a viewer joining there would miss. */
  isBeyond(jobId: string, place: OutputPlace): boolean {
    return this.#feeds.get(jobId)?.isBeyond(place) ?? false;
  }

  notice(jobId: string, attempt: number, seq: number): void {
    this.#feeds.get(jobId)?.notice(attempt, seq);
  }
}
