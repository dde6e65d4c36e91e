import { onTestFinished } from "vitest";
import { z } from "zod";

/** One message of a stream as a client sees it; `event` is `message` when it had no name. */
export type StreamMessage = { event: string; id: string | null; data: Record<string, unknown> };

const dataSchema = z.record(z.string(), z.unknown());

/**
 * Reads a stream as the contract describes it. Messages are kept until someone asks for them; a test that waits
 * for one that never comes ends by the time limit of the test.
 */
export class StreamReader {
  readonly response: Response;
  readonly comments: string[] = [];
  readonly messages: StreamMessage[] = [];
  /** Resolved when the stream has ended, cleanly or not. */
  readonly ended: Promise<"clean" | "cut">;
  readonly #abort: AbortController;
  #waiting: (() => void)[] = [];
  #hasEnded = false;
  #taken = 0;

  constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#abort = abort;
    this.ended = this.#read();
  }

  get status(): number {
    return this.response.status;
  }

  async #read(): Promise<"clean" | "cut"> {
    let rest = "";
    let outcome: "clean" | "cut" = "clean";
    try {
      const text = this.response.body?.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const chunk = await text?.read();
        if (!chunk || chunk.done) break;
        const blocks = (rest + chunk.value).split("\n\n");
        rest = blocks.pop() ?? "";
        for (const block of blocks) this.#take(block);
        this.#wake();
      }
    } catch {
      outcome = "cut";
    }
    this.#hasEnded = true;
    this.#wake();
    return outcome;
  }

  #take(block: string): void {
    let event = "message";
    let id: string | null = null;
    const data: string[] = [];
    for (const line of block.split("\n")) {
      if (line.startsWith(":")) this.comments.push(line);
      else if (line.startsWith("event: ")) event = line.slice(7);
      else if (line.startsWith("id: ")) id = line.slice(4);
      else if (line.startsWith("data: ")) data.push(line.slice(6));
    }
    if (data.length > 0) {
      this.messages.push({ event, id, data: dataSchema.parse(JSON.parse(data.join("\n"))) });
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  async next(): Promise<StreamMessage> {
    for (;;) {
      const message = this.messages[this.#taken];
      if (message) {
        this.#taken += 1;
        return message;
      }
      if (this.#hasEnded) throw new Error("The stream has ended");
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** The next message for which the condition holds; those before it count as seen. */
  async nextWhere(condition: (message: StreamMessage) => boolean): Promise<StreamMessage> {
    for (;;) {
      const message = await this.next();
      if (condition(message)) return message;
    }
  }

  nextNamed(name: string): Promise<StreamMessage> {
    return this.nextWhere(({ event }) => event === name);
  }

  nextChange(): Promise<StreamMessage> {
    return this.nextNamed("message");
  }

  close(): void {
    this.#abort.abort();
  }
}

/** Opens a stream until the test is over, and does not wait for its first message. */
export async function openStream(url: string, headers: HeadersInit = {}): Promise<StreamReader> {
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const response = await fetch(url, { headers, signal: abort.signal });
  return new StreamReader(response, abort);
}
