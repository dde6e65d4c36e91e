import { z } from "zod";

/** Answer of `call_as` to a call with a key (supabase/schemas/calls). */
const keyedAnswerSchema = z.object({
  answer: z.string().nullable(),
  kept: z.boolean(),
  replayed: z.boolean(),
});

/**
 * A request that takes effect once, no matter how often it is sent. The key covers the request's first write; its
 * other calls must be safe to repeat.
 */
export class Once {
  readonly #key: string;
  #isKept = false;
  #wasReplayed = false;

  constructor(key: string) {
    this.#key = key;
  }

  /** Key for the next call, or undefined once an answer was stored under it. */
  get key(): string | undefined {
    return this.#isKept ? undefined : this.#key;
  }

  /** True if an earlier request with this key did the work and its stored answer was returned. */
  get wasReplayed(): boolean {
    return this.#wasReplayed;
  }

  /** Returns the operation's answer as JSON text, fresh or replayed. */
  read(text: string): string {
    const { answer, kept, replayed } = keyedAnswerSchema.parse(JSON.parse(text));
    this.#isKept ||= kept;
    this.#wasReplayed ||= replayed;
    return answer ?? "null";
  }
}
