import { setTimeout as wait } from "node:timers/promises";
import WebSocket from "ws";
import { z } from "zod";
import { loopbackNames } from "../own-origins.server";
import { maskTokens } from "./mask";
import { type ChatMessage, ChatProblem, type ChatState } from "./service";

const answerWithinMilliseconds = 10_000;
const longestPauseSeconds = 60;
/** No frame of these services is larger by far. */
const frameBytes = 1024 * 1024;
const pingMilliseconds = 20_000;

/** The operator has to mend something, such as the token. Without a pause to wait for, another try would end the same way. */
export class ChatRefusal extends ChatProblem {}

interface ChatCall {
  /** As people call it: `Slack`. */
  service: string;
  url: string;
  method?: "GET" | "POST" | "PUT" | "PATCH";
  authorization: string;
  body?: object;
  signal: AbortSignal;
  /** For a request that waits for news, how much longer. */
  waitsMilliseconds?: number;
}

const delay = z.number().optional();
const delays = z.object({
  retry_after: delay,
  retry_after_ms: delay,
  parameters: z.object({ retry_after: delay }).optional(),
});

/** One request to a chat service. Throws a `ChatProblem` without a secret when it is out of reach, or asks for a pause. */
export async function callChat(call: ChatCall) {
  const { service, url, method = "POST", authorization, body, signal, waitsMilliseconds = 0 } = call;
  const headers = { Authorization: authorization, "Content-Type": "application/json; charset=utf-8" };
  const request = { method, headers, redirect: "error" as const, body: body && JSON.stringify(body) };
  try {
    const { response, said } = await inTime(answerWithinMilliseconds + waitsMilliseconds, signal, async (within) => {
      const response = await fetch(url, { ...request, signal: within });
      const said: unknown = await response.json().catch(() => ({}));
      return { response, said };
    });
    if (response.status === 429) throw new ChatProblem(`${service} asks to wait.`, pauseOf(response, said));
    return { status: response.status, body: said };
  } catch (error) {
    if (error instanceof ChatProblem) throw error;
    throw new ChatProblem(`${service} cannot be reached: ${reasonOf(error)}.`);
  }
}

async function inTime<T>(
  milliseconds: number,
  signal: AbortSignal,
  ask: (within: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error("no answer in time")), milliseconds);
  try {
    return await ask(AbortSignal.any([signal, late.signal]));
  } finally {
    clearTimeout(timer);
  }
}

function pauseOf(response: Response, body: unknown): { retryAfterSeconds: number } {
  const { retry_after, retry_after_ms = 1000, parameters } = delays.safeParse(body).data ?? {};
  const said = Number(response.headers.get("retry-after") ?? "");
  return { retryAfterSeconds: Math.ceil(said || parameters?.retry_after || retry_after || retry_after_ms / 1000) };
}

/** Why something failed, without a secret. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "no reason given";
  const { cause, message } = error;
  const inner = cause instanceof Error ? ("code" in cause ? String(cause.code) : cause.message) : "";
  return maskTokens(inner || message).replace(/\.$/, "");
}

/** Leaves out a problem that is final; any other is tried again. */
export function unlessFinal(error: unknown): undefined {
  if (!(error instanceof ChatProblem && error.options.isFinal)) throw error;
}

/** Stays connected until it is closed or refused: when `connect` resolves it is called again at once, when it rejects after a pause. */
export function keepConnected(
  stop: AbortController,
  connect: (isOn: () => void) => Promise<void>,
  tell: (state: ChatState) => void,
): () => Promise<void> {
  const run = async () => {
    let failures = 0;
    tell({ is: "connecting" });
    while (!stop.signal.aborted) {
      const begun = Date.now();
      try {
        await connect(() => tell({ is: "on" }));
      } catch (error) {
        if (stop.signal.aborted) break;
        const asked = error instanceof ChatProblem ? error.options.retryAfterSeconds : undefined;
        tell({ is: error instanceof ChatRefusal ? "refused" : "connecting", reason: reasonOf(error) });
        if (error instanceof ChatRefusal && asked === undefined) return;
        if (Date.now() - begun > longestPauseSeconds * 1000) failures = 0;
        const usual = Math.min(longestPauseSeconds, 0.25 * 2 ** failures++) * (1 + Math.random());
        await pause(Math.max(asked ?? 0, usual), stop.signal);
      }
    }
    tell({ is: "off" });
  };
  const running = run();
  return async () => {
    stop.abort();
    await running;
  };
}

/** Ends early, and without an error, when it is aborted. */
const pause = (seconds: number, signal: AbortSignal) =>
  wait(seconds * 1000, undefined, { signal }).catch(() => undefined);

export interface ChatSocket {
  send(frame: object): void;
  /** Ends it at once. With a code the other side may keep the session. */
  end(code?: number): void;
  /** Resolves with the code of the end, once the last frame is handled. */
  ended: Promise<number>;
}

/** An event whose frame could not be handled is not acknowledged: the socket ends, and the event comes again. */
export function openSocket(
  address: string,
  signal: AbortSignal,
  onFrame: (frame: unknown) => Promise<void>,
): ChatSocket {
  const { protocol, hostname } = new URL(address);
  if (protocol !== "wss:" && !loopbackNames.includes(hostname))
    throw new ChatProblem("The chat service gave an address without encryption (ws:).");
  const socket = new WebSocket(address, { maxPayload: frameBytes, handshakeTimeout: answerWithinMilliseconds });
  let isAlive = true;
  let handled = Promise.resolve();
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    if (socket.readyState === WebSocket.OPEN) socket.ping();
  }, pingMilliseconds);
  const abort = () => socket.terminate();
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort);
  socket.on("pong", () => {
    isAlive = true;
  });
  socket.on("error", () => undefined);
  socket.on("message", (data) => {
    isAlive = true;
    // None after the one that failed, or a session would continue after it.
    const handle = () => (socket.readyState === WebSocket.OPEN ? onFrame(parsed(String(data))) : undefined);
    handled = handled.then(handle).catch(() => socket.terminate());
  });
  const ended = new Promise<number>((resolve) => {
    socket.on("close", (code) => {
      clearInterval(timer);
      signal.removeEventListener("abort", abort);
      void handled.then(() => resolve(code));
    });
  });
  return {
    send: (frame) => socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify(frame)),
    end: (code) => (code === undefined ? socket.terminate() : socket.close(code)),
    ended,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const longestLabel = 60;

export const labelOf = (label: string) => cut(label, longestLabel);

/** The text of a message, at most `limit` characters: the text, the options in full where buttons do not show them, and the link. */
export function textOf({ text, options, link }: ChatMessage, limit: number, isNumbered = false): string {
  const isListed = isNumbered || options.some(({ label }) => label.length > longestLabel);
  const lines = isListed ? options.map(({ label }, index) => `${index + 1}. ${label}`) : [];
  const list = lines.filter((line) => !text.includes(line)).join("\n");
  const end = [cut(list, limit / 2), link].map((part) => (part === "" ? "" : `\n\n${part}`)).join("");
  return cut(text, limit - end.length) + end;
}

/** Never in the middle of a character. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
