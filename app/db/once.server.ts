import { z } from "zod";

/** What the door answers to a call with a key (supabase/schemas/03_calls/functions/call_as.sql). */
const keyedAnswerSchema = z.object({
  answer: z.string().nullable(),
  kept: z.boolean(),
  replayed: z.boolean(),
});

/**
 * A request that happens once however often it is sent. Its first write is what the key stands for; what the request does
 * beside that can be repeated anyway.
 */
export class Once {
  readonly #key: string;
  #isKept = false;
  #wasReplayed = false;

  constructor(key: string) {
    this.#key = key;
  }

  /** The key of the next call, until one was kept under it. */
  get key(): string | undefined {
    return this.#isKept ? undefined : this.#key;
  }

  /** An earlier request with this key did the work; this one was told what came of it. */
  get wasReplayed(): boolean {
    return this.#wasReplayed;
  }

  /** The answer of the operation, as the text that the database made when it ran. */
  read(text: string): string {
    const { answer, kept, replayed } = keyedAnswerSchema.parse(JSON.parse(text));
    this.#isKept ||= kept;
    this.#wasReplayed ||= replayed;
    return answer ?? "null";
  }
}
