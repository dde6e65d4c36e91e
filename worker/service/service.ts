import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { Client, SdkHttpError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { z } from "zod";
import { workerProtocol, workerProtocolHeader } from "~/wire/workers/worker-protocol";
import type { Journal } from "../base/journal";
import { LimitReached, messageOf, Refusal, refusalOf, WorkerProblem } from "../base/problems";
import { cleanedValue } from "../base/redact";
import { callMilliseconds, restCalls } from "./rest-calls";

/** Calls the service's tools and retries until it answers; network and service may be away for a while. */
export interface Service {
  call<T>(
    tool: string,
    toolArguments: Record<string, unknown>,
    output: z.ZodType<T>,
    options?: CallOptions,
  ): Promise<T>;
  /** GET on a REST path. */
  read<T>(path: string, output: z.ZodType<T>, options?: CallOptions): Promise<T>;
  /** POST or PUT on a REST path. */
  post<T>(
    path: string,
    given: Record<string, unknown>,
    output: z.ZodType<T>,
    /** For a call that another process may repeat. */
    key?: string,
  ): Promise<T>;
  put<T>(path: string, given: Record<string, unknown>, output: z.ZodType<T>, options?: CallOptions): Promise<T>;
  /** Uploads a file to the product. */
  upload<T>(fields: Record<string, string>, file: UploadedFile, output: z.ZodType<T>): Promise<T>;
  close(): Promise<void>;
}

export type UploadedFile = { name: string; bytes: Uint8Array<ArrayBuffer> };

export interface CallOptions {
  signal?: AbortSignal;
  /** False: the caller handles a lost connection, for calls that are repeated anyway. */
  retry?: boolean;
}

/** Tools that create something: retried with the same idempotency key. */
const creating = new Set(["ask_user_question"]);

const longestPause = 15_000;
/** How long a stopping worker retries a service that does not answer. */
const patienceAtEnd = 10_000;

const refusalSchema = z.object({
  error: z.string(),
  code: z.number(),
  hint: z.string().optional(),
  retry_after: z.number().optional(),
  blocked_by: z.array(z.string()).optional(),
});

/** Over `/mcp/worker`. All arguments pass through `clean`. A stopping worker retries for a few seconds only. */
export function connectService(
  { url, token }: { url: string; token: string },
  journal: Journal,
  clean: (text: string) => string,
  stopSignal: AbortSignal,
): Service {
  const tools = openToolConnection(new URL("/mcp/worker", url), token);
  const rest = restCalls(url, token);
  const patience = patienceUntil(stopSignal);
  const untilAnswered = async <T>(ask: () => Promise<T>, { signal, retry = true }: CallOptions = {}): Promise<T> => {
    for (let attempt = 0; ; attempt += 1) {
      signal?.throwIfAborted();
      try {
        return await ask();
      } catch (error) {
        signal?.throwIfAborted();
        const pause = pauseBefore(error, attempt, retry);
        if (patience.isOver()) throw new WorkerProblem("The service was out of reach");
        journal.sayOnce(`The service does not answer (${messageOf(error)}); trying again`);
        await patience.pause(pause, signal);
      }
    }
  };
  const send = <T>(
    method: "POST" | "PUT",
    path: string,
    given: Record<string, unknown>,
    output: z.ZodType<T>,
    { key = randomUUID(), options }: { key?: string | undefined; options?: CallOptions | undefined } = {},
  ) => {
    return untilAnswered(async () => {
      const body = JSON.stringify(cleanedValue(given, clean));
      return readBody(await rest.send(method, path, body, key, options?.signal), output);
    }, options);
  };
  return {
    call: (tool, given, output, options) => {
      const key = creating.has(tool) ? { idempotency_key: randomUUID() } : {};
      return untilAnswered(async () => {
        const body = z.record(z.string(), z.unknown()).parse(cleanedValue(given, clean));
        return readAnswer(await tools.call(tool, { ...body, ...key }, options?.signal), output);
      }, options);
    },
    read: (path, output, options) =>
      untilAnswered(async () => readBody(await rest.read(path, options?.signal), output), options),
    post: (path, given, output, key) => send("POST", path, given, output, { key }),
    put: (path, given, output, options) => send("PUT", path, given, output, { options }),
    upload: (fields, { name, bytes }, output) => {
      const form = new FormData();
      for (const [key, value] of Object.entries(fields)) form.set(key, value);
      form.set("file", new File([bytes], clean(name)));
      const key = randomUUID();
      return untilAnswered(async () => readBody(await rest.upload("/api/files", form, key), output));
    },
    close: tools.close,
  };
}

/** Unlimited while the worker runs, short once it is stopping. */
function patienceUntil(stopSignal: AbortSignal) {
  const isStopping = () => stopSignal.aborted;
  let stoppedAt = Number.POSITIVE_INFINITY;
  const note = () => {
    stoppedAt = performance.now();
  };
  if (isStopping()) note();
  else stopSignal.addEventListener("abort", note, { once: true });
  return {
    isOver: () => performance.now() - stoppedAt > patienceAtEnd,
    /** Ends early when the worker stops; throws when the call is aborted. */
    async pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
      const limit = isStopping() ? Math.min(milliseconds, 1_000) : milliseconds;
      const ends = [...(signal ? [signal] : []), ...(isStopping() ? [] : [stopSignal])];
      await wait(limit, undefined, { signal: AbortSignal.any(ends) }).catch(() => undefined);
      signal?.throwIfAborted();
    },
  };
}

function readAnswer<T>(answer: ToolAnswer, output: z.ZodType<T>): T {
  if (answer.isError) {
    const refusal = refusalSchema.parse(answer.structuredContent);
    const text = refusal.hint ? `${refusal.error} ${refusal.hint}` : refusal.error;
    if (refusal.code >= 500) throw new Error(refusal.error);
    // 429, or 409 while the same call with the same key is still running.
    if (refusal.code === 429 || refusal.retry_after !== undefined)
      throw new LimitReached(text, refusal.retry_after ?? 1);
    throw new Refusal(refusal.code, text, refusal.blocked_by);
  }
  return readBody(answer.structuredContent, output);
}

function readBody<T>(body: unknown, output: z.ZodType<T>): T {
  const parsed = output.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new WorkerProblem(`The service speaks another version: ${z.prettifyError(parsed.error)}`);
}

/** Pause before the next try. Throws errors that a retry cannot fix. */
function pauseBefore(error: unknown, attempt: number, retry: boolean): number {
  if (error instanceof Refusal || error instanceof WorkerProblem) throw error;
  if (error instanceof LimitReached) return error.seconds * 1000;
  const status = error instanceof SdkHttpError ? error.status : undefined;
  if (status === 410) {
    throw new WorkerProblem("This worker is too old for the service: download it again from /worker.mjs there");
  }
  if (status === 401 || status === 403 || status === 404) throw refusalOf(status, "/mcp/worker");
  if (!retry) throw error;
  return Math.min(longestPause, 250 * 2 ** attempt) * (0.75 + Math.random() / 2);
}

const answerSchema = z.object({
  isError: z.boolean().optional(),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
});
type ToolAnswer = z.output<typeof answerSchema>;

/** Calls tools over one connection, which is reopened after a failed call. */
function openToolConnection(endpoint: URL, token: string) {
  let connection: Promise<Client> | undefined;
  return {
    async call(tool: string, given: Record<string, unknown>, signal?: AbortSignal): Promise<ToolAnswer> {
      connection ??= connect(endpoint, token);
      const used = connection;
      try {
        const client = await used;
        const options = { timeout: callMilliseconds, ...(signal ? { signal } : {}) };
        return answerSchema.parse(await client.callTool({ name: tool, arguments: given }, options));
      } catch (error) {
        // This call was aborted; others may still use the connection.
        if (signal?.aborted) throw error;
        // Another call may have opened a new one since.
        if (connection === used) connection = undefined;
        used.then((client) => client.close()).catch(() => undefined);
        throw error;
      }
    },
    async close(): Promise<void> {
      const client = await connection?.catch(() => undefined);
      await client?.close();
    },
  };
}

async function connect(endpoint: URL, token: string): Promise<Client> {
  const client = new Client({ name: "backloom-worker", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const headers = { authorization: `Bearer ${token}`, [workerProtocolHeader]: String(workerProtocol) };
  await client.connect(new StreamableHTTPClientTransport(endpoint, { requestInit: { headers } }));
  return client;
}
