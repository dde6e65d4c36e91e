import { readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { type ClientConnection, RequestError } from "@agentclientprotocol/sdk/unstable";
import type { AcpAgent } from "./acp-agent";
import { type Live, listenTo } from "./acp-client";
import { readEnd, readFailure, ToolEnded } from "./acp-end";
import { type Answer, answerSchema } from "./acp-messages";
import { openSession } from "./acp-open";
import { promptUntilDone } from "./acp-prompts";
import { streamOf } from "./acp-stream";
import { readUpdates } from "./acp-updates";
import { beginAnew } from "./begin-anew";
import type { AgentQuestion, AgentTurn, SessionCost, TurnEnd, TurnOutput, Usage } from "./driver";
import { type RunningProcess, startProcess } from "./process";
import { nothingKnown, sumByModel } from "./usage";

/** How long an agent may take to wind up after a cancellation. */
const cancelMilliseconds = 2_000;
/** How long a process may take to end after its connection. */
const endMilliseconds = 1_000;

/** One turn with an agent that speaks the Agent Client Protocol on its standard streams. */
export async function converseOverAcp(
  agent: AcpAgent,
  turn: AgentTurn,
  output: TurnOutput,
): Promise<TurnEnd> {
  const started = await startProcess({
    program: agent.program,
    words: agent.words,
    folder: turn.folder,
    environment: { ...turn.environment, ...agent.environment?.(turn) },
    confine: turn.confine,
    pidFile: turn.pidFile,
    logFile: turn.logFile,
    heard: output.heard,
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
  const asked = awaitQuestion();
  const live: Live = { hasBegun: false, model: null, heard: () => undefined };
  const connection = listenTo({ agent, turn, output, updates, live, ask: asked.ask }).connect(
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
  /** Once for all prompts of the turn: the cost is told for all of them. */
  const tellUsage = (): void => {
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
      asked,
      whileAlive,
      took,
      isStopped: () => turn.signal.aborted,
      prompt: (words) =>
        connection.agent
          .request<unknown>("session/prompt", {
            sessionId,
            prompt: [{ type: "text", text: words }],
          })
          .then((answer) => answerSchema.parse(answer)),
      cancel: (answering) => windUp(connection, sessionId, answering),
    }).finally(tellUsage);
    const question = asked.question();
    if (question !== null) return { kind: "question", question };
    if (ended !== "question") {
      return readEnd(ended, updates.news.trouble, output.transcript.lastWords());
    }
    throw new Error("A question was asked and is gone");
  } catch (error) {
    turn.signal.throwIfAborted();
    const question = asked.question();
    if (question !== null) return { kind: "question", question };
    const isAnswer = error instanceof RequestError;
    // A connection closes a moment before its process has ended, and only the process says why.
    const cause = isAnswer
      ? error
      : await Promise.race([crashed, wait(endMilliseconds)]).catch(same);
    return readFailure(agent, cause ?? error, updates.news.trouble);
  } finally {
    stopped.forget();
    connection.close();
  }
}

/** The first question of a turn; the agent's later ones wait for another. */
function awaitQuestion() {
  let first: AgentQuestion | null = null;
  let tell = (): void => undefined;
  return {
    question: () => first,
    ask(question: AgentQuestion): void {
      first ??= question;
      tell();
    },
    /** Resolves when one is asked from now on. */
    next: () =>
      new Promise<"question">((resolve) => {
        tell = () => resolve("question");
      }),
  };
}

/** What the turn has cost belongs to its counts when they are of one model, and stands alone without counts. */
function withCost(told: Usage[], cost: SessionCost | null): Usage[] {
  if (cost === null || told.length > 1) return told;
  const { amount, currency } = cost;
  return [{ ...(told[0] ?? nothingKnown), cost: amount, currency }];
}

/** A batch has as many turns as tasks, all under one signal: none leaves its listener there. */
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

/** Asks the agent to stop and waits a moment for its last word. */
async function windUp(
  connection: ClientConnection,
  sessionId: string,
  answering: Promise<Answer>,
): Promise<Answer | null> {
  await connection.agent.notify("session/cancel", { sessionId }).catch(() => undefined);
  return Promise.race([
    answering.catch(() => null),
    wait(cancelMilliseconds, null, { ref: false }),
  ]);
}

function same(error: unknown): unknown {
  return error;
}
