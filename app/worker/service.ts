import { setTimeout as wait } from "node:timers/promises";
import { Client, SdkHttpError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { Journal } from "./journal";
import { messageOf, Refusal, WorkerProblem } from "./problems";

/** The tools of the service, called until an answer is there: network and service may be away for a while. */
export interface Service {
  call<T>(
    tool: string,
    toolArguments: Record<string, unknown>,
    output: z.ZodType<T>,
    options?: CallOptions,
  ): Promise<T>;
  close(): Promise<void>;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** False: a lost connection is the caller's to deal with, for calls that are repeated anyway. */
  retry?: boolean;
}

const callMilliseconds = 65_000;
const longestPause = 15_000;

const answerSchema = z.object({
  isError: z.boolean().optional(),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
});
const refusalSchema = z.object({
  error: z.string(),
  code: z.number(),
  hint: z.string().optional(),
  retry_after: z.number().optional(),
});

/** Speaks to `/mcp/worker` with the official client. */
export function connectService(url: string, token: string, journal: Journal): Service {
  const endpoint = new URL("/mcp/worker", url);
  let connection: Promise<Client> | undefined;

  const connect = async (): Promise<Client> => {
    const client = new Client(
      { name: "backloom-worker", version: "1" },
      { versionNegotiation: { mode: "auto" } },
    );
    const headers = { authorization: `Bearer ${token}` };
    await client.connect(new StreamableHTTPClientTransport(endpoint, { requestInit: { headers } }));
    return client;
  };

  const callOnce = async (tool: string, given: Record<string, unknown>, signal?: AbortSignal) => {
    connection ??= connect();
    try {
      const client = await connection;
      const options = { timeout: callMilliseconds, ...(signal ? { signal } : {}) };
      return answerSchema.parse(await client.callTool({ name: tool, arguments: given }, options));
    } catch (error) {
      const broken = connection;
      connection = undefined;
      broken?.then((client) => client.close()).catch(() => undefined);
      throw error;
    }
  };

  const service: Service = {
    async call(tool, given, output, { signal, retry = true } = {}) {
      for (let attempt = 0; ; attempt += 1) {
        signal?.throwIfAborted();
        try {
          return readAnswer(await callOnce(tool, given, signal), output);
        } catch (error) {
          signal?.throwIfAborted();
          const pause = pauseBefore(error, attempt, retry);
          journal.sayOnce(`The service does not answer (${messageOf(error)}); trying again`);
          await wait(pause, undefined, { signal });
        }
      }
    },
    close: async () => {
      const client = await connection?.catch(() => undefined);
      await client?.close();
    },
  };
  return service;
}

function readAnswer<T>(answer: z.output<typeof answerSchema>, output: z.ZodType<T>): T {
  if (answer.isError) {
    const refusal = refusalSchema.parse(answer.structuredContent);
    const text = refusal.hint ? `${refusal.error} ${refusal.hint}` : refusal.error;
    if (refusal.code >= 500) throw new Error(refusal.error);
    if (refusal.code === 429) throw new LimitReached(text, refusal.retry_after ?? 1);
    throw new Refusal(refusal.code, text);
  }
  const parsed = output.safeParse(answer.structuredContent);
  if (parsed.success) return parsed.data;
  throw new WorkerProblem(`The service speaks another version: ${z.prettifyError(parsed.error)}`);
}

class LimitReached extends Error {
  constructor(
    message: string,
    readonly seconds: number,
  ) {
    super(message);
  }
}

/** How long to wait before the next try; throws what no try can mend. */
function pauseBefore(error: unknown, attempt: number, retry: boolean): number {
  if (error instanceof Refusal || error instanceof WorkerProblem) throw error;
  if (error instanceof LimitReached) return error.seconds * 1000;
  const status = error instanceof SdkHttpError ? error.status : undefined;
  if (status === 401 || status === 403) {
    throw new WorkerProblem("The service does not accept the token: make a new one under Settings");
  }
  if (status === 404)
    throw new WorkerProblem("There is no /mcp/worker at this address: check --url");
  if (!retry) throw error;
  return Math.min(longestPause, 250 * 2 ** attempt) * (0.75 + Math.random() / 2);
}
