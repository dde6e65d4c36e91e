import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { portOf } from "../../setup/port-of";
import { anthropicMessages } from "./anthropic-messages";
import { chatCompletions } from "./chat-completions";
import { geminiContents } from "./gemini-contents";
import { openaiResponses } from "./openai-responses";
import { type Act, noTokens, type Step, type Tokens, tokensOfAnswer } from "./script";

/** One kind of model service: which requests are the work, and how an answer is written. */
export interface Dialect {
  /** Other requests (titles, classifiers, lists of models) get a small answer that counts for nothing. */
  isWork(path: string, body: Record<string, unknown>): boolean;
  answer(given: Answer): void;
  answerAside(given: Omit<Answer, "step">): void;
  fail(response: ServerResponse, step: Extract<Step, { fail: unknown }>["fail"]): void;
}

interface Answer {
  step: Act;
  number: number;
  tokens: Tokens;
  body: Record<string, unknown>;
  path: string;
  response: ServerResponse;
}

const dialects = {
  anthropic: anthropicMessages,
  responses: openaiResponses,
  gemini: geminiContents,
  chat: chatCompletions,
} satisfies Record<string, Dialect>;

/** A model service on loopback that follows a script, and remembers what it was asked and what it said it took. */
export interface ScriptedModel {
  url: string;
  /** Bodies of the requests that were work, in their order. */
  asked: Record<string, unknown>[];
  /** All that was asked of it, for the eye: method and path. */
  log: string[];
  said: Tokens;
  /** Resolves when a step that hangs was reached. */
  hung: Promise<void>;
  goOnWith(steps: readonly Step[]): void;
  close(): Promise<void>;
}

export async function openModel(dialectName: keyof typeof dialects, script: readonly Step[]): Promise<ScriptedModel> {
  const dialect: Dialect = dialects[dialectName];
  let left = [...script];
  let number = 0;
  let hasHung = (): void => undefined;
  const hung = new Promise<void>((resolve) => {
    hasHung = resolve;
  });
  const asked: Record<string, unknown>[] = [];
  const log: string[] = [];
  const said: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

  const answer = (path: string, body: Record<string, unknown>, response: ServerResponse): void => {
    const isAside = !dialect.isWork(path, body);
    const [step] = left;
    // Some tools ask for suggestions when the work is over.
    if (isAside || step === undefined) {
      dialect.answerAside({ number, tokens: noTokens, body, path, response });
      return;
    }
    const tokens = tokensOfAnswer;
    asked.push(body);
    if ("hang" in step) {
      hasHung();
      return;
    }
    // A failure stays: anyone who tries again gets it again.
    if ("fail" in step) {
      dialect.fail(response, step.fail);
      return;
    }
    left = left.slice(1);
    number += 1;
    for (const key of ["input", "output", "cacheRead", "cacheWrite"] as const) {
      said[key] += tokens[key];
    }
    dialect.answer({ step, number, tokens, body, path, response });
  };

  const server = createServer((request, response) => {
    log.push(`${request.method} ${request.url}`);
    readBody(request).then(
      (body) => answer(request.url ?? "", body, response),
      () => response.writeHead(400).end(),
    );
  });
  const port = await portOf(server);
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    log,
    said,
    hung,
    goOnWith: (steps) => {
      left = [...steps];
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const text = Buffer.concat(chunks).toString("utf8");
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
}

/** Writes server-sent events and ends the answer. */
export function sendEvents(response: ServerResponse, events: readonly { event?: string; data: unknown }[]): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const { event, data } of events) {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    response.write(`${event ? `event: ${event}\n` : ""}data: ${text}\n\n`);
  }
  response.end();
}

export function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}
