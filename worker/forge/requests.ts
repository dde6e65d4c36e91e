import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { interruption, limitTime } from "../base/interruption";
import { ForgeProblem } from "./forge";

export interface Requests {
  /** GET on an API path. Unchanged answers are not sent again and do not count against the rate limit. */
  get(path: string): Promise<unknown>;
  send(method: "POST" | "PATCH" | "PUT", path: string, body: object): Promise<unknown>;
}

interface Api {
  api: string;
  title: string;
  headers: Record<string, string>;
  /** The login. Hosts may quote it in an answer, and answers are shown. */
  secret: string;
}

/** GitHub asks for one second between writes, and one request at a time. */
const betweenWrites = 1_000;
const answerMilliseconds = 30_000;
/** Longer waits are reported instead of waited for. */
const longestWait = 90_000;
const mostTries = 4;
const mostKept = 2_000;

type Kept = { etag: string; body: unknown };

export function openRequests(api: Api): Requests {
  const kept = new Map<string, Kept>();
  let last: Promise<unknown> = Promise.resolve();
  let lastWrite = Number.NEGATIVE_INFINITY;
  let notBefore = 0;

  /** Runs after all earlier requests, even failed ones. */
  const inTurn = <T>(ask: () => Promise<T>): Promise<T> => {
    const next = last.then(ask, ask);
    last = next.catch(() => undefined);
    return next;
  };

  const once = async (method: string, path: string, body?: object): Promise<Answer> => {
    await pauseFor(notBefore - Date.now(), api);
    const before = method === "GET" ? kept.get(path) : undefined;
    const answer = await ask(api, method, path, body, before?.etag);
    notBefore = Date.now() + waitOf(answer);
    return answer.status === 304 && before !== undefined ? { ...answer, body: before.body } : answer;
  };

  return {
    get: (path) =>
      inTurn(async () => {
        const answer = await again(() => once("GET", path), api);
        keep(kept, path, answer);
        return answer.body;
      }),
    send: (method, path, body) =>
      inTurn(async () => {
        await pauseFor(lastWrite + betweenWrites - performance.now(), api);
        try {
          // A write without an answer may have happened, so only one refused by the rate limit is retried.
          return (await again(() => once(method, path, body), api, isLimit)).body;
        } finally {
          lastWrite = performance.now();
        }
      }),
  };
}

type Answer = { status: number; headers: Headers; body: unknown };

async function ask(
  { api, title, headers, secret }: Api,
  method: string,
  path: string,
  body: object | undefined,
  etag: string | undefined,
): Promise<Answer> {
  const over = interruption();
  const limit = limitTime(answerMilliseconds, over);
  const init = {
    method,
    headers: {
      ...headers,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(etag === undefined ? {} : { "if-none-match": etag }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: limit.signal,
  };
  try {
    const answer = await fetch(path.startsWith("https://") ? path : `${api}${path}`, init);
    const text = (await readAnswer(answer, title)).replaceAll(secret, "•••");
    return { status: answer.status, headers: answer.headers, body: readJson(text) };
  } catch (error) {
    over?.throwIfAborted();
    if (error instanceof ForgeProblem) throw error;
    throw new ForgeProblem(`${title} does not answer at ${new URL(api).host}`);
  } finally {
    limit.end();
  }
}

function readJson(text: string): unknown {
  try {
    return text === "" ? null : JSON.parse(text);
  } catch {
    return text;
  }
}

/** Retries while that may help; throws all other errors. */
async function again(
  once: () => Promise<Answer>,
  api: Api,
  mayHelp: (answer: Answer) => boolean = isPassing,
): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await once();
    if (answer.status < 400) return answer;
    if (attempt >= mostTries || !mayHelp(answer)) throw problemOf(answer, api);
    if (answer.status >= 500) await pauseFor(250 * 2 ** attempt, api);
  }
}

function isPassing(answer: Answer): boolean {
  return isLimit(answer) || answer.status >= 500;
}

/** Rate limit: 429, or 403 with a header that says until when. */
function isLimit({ status, headers }: Answer): boolean {
  if (status === 429) return true;
  const isUsedUp = headers.get("x-ratelimit-remaining") === "0";
  return status === 403 && (isUsedUp || headers.has("retry-after"));
}

/** How long the host asks to wait, in milliseconds. */
function waitOf(answer: Answer): number {
  const { headers } = answer;
  if (isLimit(answer)) {
    const seconds = Number(headers.get("retry-after"));
    if (seconds > 0) return seconds * 1_000;
  }
  const remaining = headers.get("x-ratelimit-remaining") ?? headers.get("ratelimit-remaining");
  const reset = Number(headers.get("x-ratelimit-reset") ?? headers.get("ratelimit-reset"));
  if (remaining === "0" && reset > 0) return Math.max(0, reset * 1_000 - Date.now());
  return answer.status === 429 ? 5_000 : 0;
}

async function pauseFor(milliseconds: number, { title }: Api): Promise<void> {
  if (milliseconds <= 0) return;
  if (milliseconds > longestWait) {
    const until = new Date(Date.now() + milliseconds).toISOString();
    throw new ForgeProblem(`${title} takes no more requests of this login until ${until}`, 429);
  }
  const signal = interruption();
  await wait(milliseconds, undefined, signal && { signal });
}

function keep(kept: Map<string, Kept>, path: string, { headers, body, status }: Answer): void {
  const etag = headers.get("etag");
  if (status !== 200 || etag === null) return;
  kept.delete(path);
  kept.set(path, { etag, body });
  const [oldest] = kept.keys();
  if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
}

/** The host's error message, without anything that was sent. */
function problemOf({ status, body }: Answer, { title }: Api): ForgeProblem {
  const message = messageIn(body).slice(0, 500);
  const help =
    status === 401 ? ": the login is not valid. Set BACKLOOM_FORGE_TOKEN, or sign in with the host's own tool" : "";
  return new ForgeProblem(`${title} answered ${status}${message && ` (${message})`}${help}`, status);
}

function messageIn(body: unknown): string {
  if (typeof body !== "object" || body === null) return "";
  const messages = ["message", "error", "errors"].flatMap((name) => {
    const value: unknown = Reflect.get(body, name);
    if (value === undefined || value === null) return [];
    return typeof value === "string" ? [value] : [JSON.stringify(value)];
  });
  return messages.join("; ");
}

/** Bytes: of a log its end is kept, which says what failed; data is refused beyond what any page of a list takes. */
const mostLog = 1_048_576;
const mostData = 16 * mostLog;
/** A log without end is left here. */
const mostRead = 64 * mostLog;

async function readAnswer(answer: Response, title: string): Promise<string> {
  const reader = answer.body?.getReader();
  const isData = /\bjson\b/i.test(answer.headers.get("content-type") ?? "");
  const chunks: Uint8Array[] = [];
  let [kept, read] = [0, 0];
  for (let chunk = await reader?.read(); chunk?.value; chunk = await reader?.read()) {
    chunks.push(chunk.value);
    kept += chunk.value.length;
    read += chunk.value.length;
    while (!isData && kept - (chunks[0]?.length ?? 0) >= mostLog) kept -= chunks.shift()?.length ?? 0;
    if (read > (isData ? mostData : mostRead)) break;
  }
  await reader?.cancel();
  if (isData && read > mostData) throw new ForgeProblem(`${title} answered with more than ${mostData / mostLog} MB`);
  const text = Buffer.concat(chunks);
  return (isData ? text : text.subarray(-mostLog)).toString("utf8");
}

const mostPages = 10;

/** Reads all pages of a list, at most ten. */
export async function allOf<T>(item: z.ZodType<T>, list: string, size: number, requests: Requests): Promise<T[]> {
  const all: T[] = [];
  for (let page = 1; page <= mostPages; page += 1) {
    const path = page === 1 ? list : `${list}&page=${page}`;
    const found = z.array(item).parse(await requests.get(path));
    all.push(...found);
    if (found.length < size) break;
  }
  return all;
}

/** Asks at most once per name. */
export function onceEach<T>(ask: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const answers = new Map<string, Promise<T>>();
  return (name) => {
    const before = answers.get(name) ?? ask(name);
    answers.set(name, before);
    return before;
  };
}
