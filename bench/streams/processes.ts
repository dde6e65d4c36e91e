import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { z } from "zod";

/** A program of this folder in its own process, so that it has its own processor time. */
export class Program {
  readonly #child: ChildProcess;

  constructor(name: string, args: readonly string[] = []) {
    const file = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
    this.#child = fork(file, args, { execArgv: ["--import", "tsx", "--expose-gc"] });
  }

  /** Sends a request and waits for the answer of the given shape. */
  ask<T>(message: unknown, schema: z.ZodType<T>): Promise<T> {
    const answer = this.answer(schema);
    this.#child.send(JSON.parse(JSON.stringify(message)));
    return answer;
  }

  answer<T>(schema: z.ZodType<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const onMessage = (message: unknown) => {
        const parsed = schema.safeParse(message);
        if (!parsed.success) return;
        this.#child.off("message", onMessage);
        this.#child.off("exit", onExit);
        resolve(parsed.data);
      };
      const onExit = (code: number | null) => reject(new Error(`A program ended with ${code}`));
      this.#child.on("message", onMessage);
      this.#child.once("exit", onExit);
    });
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.send("stop");
    await ended;
  }
}

export const appReady = z.object({
  ready: z.object({
    port: z.number(),
    sessionSecret: z.string(),
    sqlUrl: z.string(),
    feedUrl: z.string(),
    pids: z.array(z.number()),
  }),
});
/** Where the app and its database are: its secret seals the cookies of sessions, `pids` are of service and Postgres. */
export type AppAddress = z.infer<typeof appReady>["ready"];
export const bareReady = z.object({ ready: z.object({ port: z.number() }) });
export const memoryAnswer = z.object({ memory: z.number() });
export const connectedAnswer = z.object({ connected: z.number() });
export const arrivalsAnswer = z.object({
  /** Milliseconds from sending to arrival, of each delivery, and of the last client of each change. */
  latencies: z.array(z.number()),
  last: z.array(z.number()),
  deliveries: z.number(),
});
export const allAnswer = z.object({ allAt: z.number() });

/** A clock that the processes of one machine share, in milliseconds. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
