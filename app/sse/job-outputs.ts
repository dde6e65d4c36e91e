import type { JobOutput, OutputEntry } from "~/wire/agent-jobs/job-output";
import { encodeMessage, eventId } from "./encode";
import type { AttachedReader, PositionedMessage } from "./stream-source";

export type OutputPosition = { attempt: number; seq: number };

function isBeyond(one: OutputPosition, other: OutputPosition): boolean {
  return one.attempt === other.attempt ? one.seq > other.seq : one.attempt > other.attempt;
}

/** Formats a position for the message ids of a job stream. */
export const formatPosition = ({ attempt, seq }: OutputPosition): string => `${attempt}.${seq}`;

/** Parses a position. Returns undefined for anything `formatPosition` did not produce. */
export function parsePosition(text = ""): OutputPosition | undefined {
  if (!/^\d{1,9}\.\d{1,15}$/.test(text)) return undefined;
  const [attempt, seq] = text.split(".").map(Number);
  return { attempt: attempt ?? 0, seq: seq ?? 0 };
}

/** A job stream as a viewer of output: it reads with its reader's rights and receives frames. */
export interface OutputViewer extends AttachedReader {
  read(after: OutputPosition): Promise<JobOutput>;
}

/** New output is announced at most once a second, so each read that found something is followed by another. */
const trailingMs = 1_100;

/** One read for all viewers in this process. A viewer finds gaps in `seq` itself, and gets no entry that it has. */
class JobOutputFeed {
  /** Viewers, each with the position at which it joined. */
  readonly #viewers = new Map<OutputViewer, OutputPosition>();
  #position: OutputPosition | undefined;
  #isReading = false;
  #mustReadAgain = false;
  #trailing: NodeJS.Timeout | undefined;

  get isEmpty(): boolean {
    return this.#viewers.size === 0;
  }

  add(viewer: OutputViewer, position: OutputPosition): void {
    // The first viewer may join within the second in which nothing is announced.
    if (this.isEmpty) this.#readLater();
    this.#viewers.set(viewer, position);
    if (!this.#position || position.attempt > this.#position.attempt) this.#position = position;
  }

  isBeyond(position: OutputPosition): boolean {
    return this.#position !== undefined && isBeyond(this.#position, position);
  }

  remove(viewer: OutputViewer): void {
    this.#viewers.delete(viewer);
    if (this.isEmpty) clearTimeout(this.#trailing);
  }

  /** Called when an event or a read state shows how far the output goes. */
  notice(attempt: number, seq: number): void {
    const position = this.#position;
    if (!position || attempt < position.attempt) return;
    if (attempt === position.attempt && seq <= position.seq) return;
    if (attempt > position.attempt) this.#position = { attempt, seq: 0 };
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

  /** True if there may be more in a second. If one viewer has lost its access, the next one reads. */
  async #readOnce(): Promise<boolean> {
    for (const viewer of [...this.#viewers.keys()]) {
      const position = this.#position;
      // There is no output before the first attempt.
      if (!position || position.attempt === 0) return false;
      const output = await viewer.read(position).catch(() => undefined);
      if (!output) continue;
      const last = output.entries.at(-1);
      if (!last || this.#position !== position) return false;
      this.#position = { attempt: position.attempt, seq: last.seq };
      this.#send(output, this.#position, viewer.cursor());
      return true;
    }
    return true;
  }

  #send({ job_id, entries }: JobOutput, to: OutputPosition, cursor: string): void {
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

function encodeOutput({ position, ...message }: PositionedMessage, cursor: string): Uint8Array {
  return encodeMessage({ ...message, id: eventId(cursor, position) });
}

/** Builds the message with entries of an attempt and the position its reader reaches with them. */
export function outputMessage(jobId: string, to: OutputPosition, entries: readonly OutputEntry[]): PositionedMessage {
  const data = { job_id: jobId, attempt: to.attempt, entries };
  return { event: "output", position: formatPosition(to), data };
}

/** The outputs watched in this process, one feed per job. */
export class JobOutputs {
  readonly #feeds = new Map<string, JobOutputFeed>();

  /** Adds a viewer to a job's output from `position` on. The returned function removes it. */
  watch(jobId: string, viewer: OutputViewer, position: OutputPosition): () => void {
    const feed = this.#feeds.get(jobId) ?? new JobOutputFeed();
    this.#feeds.set(jobId, feed);
    feed.add(viewer, position);
    return () => {
      feed.remove(viewer);
      if (feed.isEmpty && this.#feeds.get(jobId) === feed) this.#feeds.delete(jobId);
    };
  }

  /** Whether the job's viewers already got output beyond `position`, which a viewer joining there would miss. */
  isBeyond(jobId: string, position: OutputPosition): boolean {
    return this.#feeds.get(jobId)?.isBeyond(position) ?? false;
  }

  notice(jobId: string, attempt: number, seq: number): void {
    this.#feeds.get(jobId)?.notice(attempt, seq);
  }
}
