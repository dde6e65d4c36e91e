import { readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { type ClientConnection, RequestError } from "@agentclientprotocol/sdk/unstable";
import { type RunningProcess, startProcess } from "../../base/process";
import type { AgentQuestion, AgentTurn, SessionCost, TurnEnd, TurnOutput, Usage } from "../driver";
import { limitIn } from "../limits";
import { crashEnd } from "../line-turn";
import { beginAnew } from "../session-records";
import { nothingKnown, sumByModel } from "../usage";
import type { AcpAgent } from "./agent";
import { type Live, listenTo, streamOf } from "./client";
import { type Answer, answerSchema, errorDataSchema } from "./messages";
import { openSession } from "./open";
import { promptUntilDone } from "./prompts";
import { readUpdates } from "./updates";

/** Time an agent gets to end after a cancellation. */
const cancelMilliseconds = 2_000;
/** Time a process gets to end after its connection closed. */
const endMilliseconds = 1_000;

/** Runs one turn with an agent that speaks ACP over standard input and output. */
export async function converseOverAcp(agent: AcpAgent, turn: AgentTurn, output: TurnOutput): Promise<TurnEnd> {
  const started = await startProcess({
    program: agent.program,
    args: agent.args,
    folder: turn.folder,
    environment: { ...turn.environment, ...agent.environment?.(turn) },
    confine: turn.confine,
    pidFile: turn.pidFile,
    logFile: turn.logFile,
    onOutput: output.alive,
  });
  try {
    return await converse(agent, turn, output, started);
  } finally {
    await started.stop();
  }
}

async function converse(
  agent: AcpAgent,
  turn: AgentTurn,
  output: TurnOutput,
  started: RunningProcess,
): Promise<TurnEnd> {
  const updates = readUpdates(turn.folder, output);
  updates.resume(agent.countsAnew ? null : (turn.resume?.cost ?? null));
  const pendingQuestion = awaitQuestion();
  const live: Live = { hasBegun: false, model: null, onUpdate: () => undefined };
  const connection = listenTo({ agent, turn, output, updates, live, ask: pendingQuestion.ask }).connect(
    streamOf(started),
  );
  const crashed = started.ended.then(({ code, signal }) => {
    throw new ToolEnded(code, signal, started.complaints());
  });
  crashed.catch(() => undefined);
  const stopped = rejectedBy(turn.signal);
  const used: Usage[] = [];
  const took = (answer: Answer | null): void => {
    if (answer !== null) used.push(...agent.usageOf(answer, { model: live.model }));
  };
  /** Reports usage once per turn, as the cost covers all of its prompts. */
  const reportUsage = (): void => {
    if (used.length === 0 && updates.news.cost === null) return;
    for (const usage of withCost(sumByModel(used), updates.news.cost)) output.usage(usage);
  };
  const whileAlive = <T>(promise: Promise<T>): Promise<T> => {
    promise.catch(() => undefined);
    return Promise.race([promise, crashed, stopped.promise]);
  };

  try {
    const session = await whileAlive(openSession(connection.agent, agent, turn));
    live.model = session.model ?? turn.model ?? null;
    output.session(session.id);
    if (!session.isResumed) updates.resume(null);
    if (session.lostBecause !== null) {
      await whileAlive(beginAnew(agent.title, turn, output, session.lostBecause));
    }
    const promptFile = session.isResumed ? turn.resume?.promptFile : undefined;
    const text = await readFile(promptFile ?? turn.promptFile, "utf8");
    live.hasBegun = true;
    const sessionId = session.id;
    const ended = await promptUntilDone({
      text,
      messages: turn.messages,
      live,
      pendingQuestion,
      whileAlive,
      took,
      isStopped: () => turn.signal.aborted,
      prompt: (prompt) =>
        connection.agent
          .request<unknown>("session/prompt", { sessionId, prompt: [{ type: "text", text: prompt }] })
          .then((answer) => answerSchema.parse(answer)),
      cancel: (answering) => windUp(connection, sessionId, answering),
    }).finally(reportUsage);
    const question = pendingQuestion.question();
    if (question !== null) return { kind: "question", question };
    if (ended !== "question") {
      return readEnd(ended, updates.news.trouble, output.transcript.lastWords());
    }
    throw new Error("A question was asked and is gone");
  } catch (error) {
    turn.signal.throwIfAborted();
    const question = pendingQuestion.question();
    if (question !== null) return { kind: "question", question };
    const isAnswer = error instanceof RequestError;
    // The connection closes shortly before the process ends, and only the process says why.
    const cause = isAnswer ? error : await Promise.race([crashed, wait(endMilliseconds)]).catch(same);
    return readFailure(agent, cause ?? error, updates.news.trouble);
  } finally {
    stopped.forget();
    connection.close();
  }
}

/** Keeps the first question of a turn. Later ones are ignored. */
function awaitQuestion() {
  let first: AgentQuestion | null = null;
  let notify = (): void => undefined;
  return {
    question: () => first,
    ask(question: AgentQuestion): void {
      first ??= question;
      notify();
    },
    /** Resolves when the next question is asked. */
    next: () =>
      new Promise<"question">((resolve) => {
        notify = () => resolve("question");
      }),
  };
}

/** Adds the turn's cost to its counts if they are of one model, or reports it alone if there are none. */
function withCost(reported: Usage[], cost: SessionCost | null): Usage[] {
  if (cost === null || reported.length > 1) return reported;
  const { amount, currency } = cost;
  return [{ ...(reported[0] ?? nothingKnown), cost: amount, currency }];
}

/** Rejects on abort. Call `forget` to remove the listener: a batch runs many turns under one signal. */
function rejectedBy(signal: AbortSignal) {
  let stop = (): void => undefined;
  const promise = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
  });
  promise.catch(() => undefined);
  return { promise, forget: () => signal.removeEventListener("abort", stop) };
}

async function windUp(
  connection: ClientConnection,
  sessionId: string,
  answering: Promise<Answer>,
): Promise<Answer | null> {
  await connection.agent.notify("session/cancel", { sessionId }).catch(() => undefined);
  return Promise.race([answering.catch(() => null), wait(cancelMilliseconds, null, { ref: false })]);
}

function same(error: unknown): unknown {
  return error;
}

const authRequired = -32_000;

function readEnd({ stopReason }: Answer, trouble: string | null, words: string): TurnEnd {
  // Codex reports service failures separately.
  if (trouble !== null) return explain(`${trouble}\n${words.slice(-1_000)}`.trim());
  if (stopReason === "end_turn") return { kind: "done" };
  if (stopReason === "refusal") {
    const reason = "The model refused to continue this work";
    return { kind: "failed", cause: "refusal", reason };
  }
  const reason = `The agent stopped before it was done (${stopReason})`;
  return { kind: "failed", cause: "error", reason };
}

function readFailure(agent: AcpAgent, error: unknown, trouble: string | null): TurnEnd {
  if (error instanceof ToolEnded) return error.end(agent.title, trouble);
  if (error instanceof RequestError) {
    const data = errorDataSchema.safeParse(error.data).data;
    if (error.code === authRequired || data?.errorKind === "authentication_failed") {
      return {
        kind: "failed",
        cause: "sign-in",
        reason: `${agent.title} is not signed in on this machine: ${agent.signIn}`,
      };
    }
    const words = [data?.message ?? error.message, trouble ?? ""].join("\n").trim();
    const hints = [words, data?.errorKind, JSON.stringify(data?.codexErrorInfo ?? "")].join(" ");
    const limit = limitIn(hints, error.code);
    if (limit !== null) return { kind: "limit", ...limit, reason: words };
    return explain(words);
  }
  const reason = error instanceof Error ? error.message : String(error);
  return { kind: "failed", cause: "error", reason };
}

function explain(words: string): TurnEnd {
  const limit = limitIn(words);
  if (limit !== null) return { kind: "limit", ...limit };
  return { kind: "failed", cause: killedMessage.test(words) ? "killed" : "error", reason: words };
}

/** An adapter that outlives its tool says so in its own words. */
const killedMessage = /\bprocess exited unexpectedly\b|\bwas killed by SIG[A-Z]+\b/;

/** The tool's process ended before it answered. */
class ToolEnded extends Error {
  constructor(
    readonly code: number | null,
    readonly signal: string | null,
    readonly complaints: string,
  ) {
    super("The tool ended");
  }

  end(title: string, trouble: string | null): TurnEnd {
    const complaints = [trouble ?? "", this.complaints].join("\n").trim();
    const end = crashEnd(title, { code: this.code, signal: this.signal, complaints });
    // A tool that fails says why. Gemini's outer process ends without a word when its inner one is killed.
    const isSilent = end.kind === "failed" && end.cause === "crash" && complaints === "";
    return isSilent ? { ...end, cause: "killed" } : end;
  }
}
