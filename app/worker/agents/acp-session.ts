import { readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { type ClientConnection, client, RequestError } from "@agentclientprotocol/sdk/unstable";
import type { AcpAgent } from "./acp-agent";
import { readEnd, readFailure, ToolEnded } from "./acp-end";
import {
  type Answer,
  answerSchema,
  elicitationSchema,
  type Permission,
  permissionSchema,
  updateSchema,
} from "./acp-messages";
import { openSession } from "./acp-open";
import {
  allowWord,
  answerTo,
  formContent,
  formQuestion,
  isCovered,
  permissionQuestion,
} from "./acp-permission";
import { streamOf, updateMethod } from "./acp-stream";
import { readUpdates } from "./acp-updates";
import type { AgentQuestion, AgentTurn, TurnEnd, TurnOutput } from "./driver";
import { type RunningProcess, startProcess } from "./process";
import { redactedQuestion } from "./redact";
import { nothingKnown } from "./usage";

/** How long an agent may take to wind up after a cancellation. */
const cancelMilliseconds = 2_000;
/** How long a process may take to end after its connection. */
const endMilliseconds = 1_000;

interface Live {
  /** Before that an agent repeats what stands in the transcript of an earlier turn, and talks of its own settings. */
  hasBegun: boolean;
  model: string | null;
}

/** One turn with an agent that speaks the Agent Client Protocol on its standard streams. */
export async function runAcpTurn(
  agent: AcpAgent,
  turn: AgentTurn,
  output: TurnOutput,
): Promise<TurnEnd> {
  const started = await startProcess({
    program: agent.program,
    words: agent.words,
    folder: turn.folder,
    environment: { ...turn.environment, ...agent.environment?.(turn) },
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
  const asked: { question: AgentQuestion | null } = { question: null };
  const live: Live = { hasBegun: false, model: null };
  let askPerson = (question: AgentQuestion): void => {
    asked.question ??= question;
  };

  const app = client({ name: "backloom" })
    .onNotification(updateMethod, updateSchema, ({ params }) => {
      if (live.hasBegun) updates.take(params.update);
      else updates.takeEarlier(params.update);
    })
    .onRequest("session/request_permission", permissionSchema, ({ params }) => {
      return decide(agent, turn, output, params, askPerson);
    })
    .onRequest("elicitation/create", elicitationSchema, ({ params }) => {
      const question = redactedQuestion(turn.secrets, formQuestion(params));
      const answer = answerTo(question.question, turn.answers);
      if (answer !== undefined) return { action: "accept", content: formContent(params, answer) };
      askPerson(question);
      return { action: "cancel" };
    })
    .onNotification("*", () => undefined);
  const connection = app.connect(streamOf(started));

  const crashed = started.ended.then(({ code, signal }) => {
    throw new ToolEnded(code, signal, started.complaints());
  });
  crashed.catch(() => undefined);
  const stopped = rejectedBy(turn.signal);
  const tellUsage = (answer: Answer | null): void => {
    const { cost } = updates.news;
    const told = answer === null ? [] : agent.usageOf(answer, { model: live.model });
    const known = told.length === 0 && cost !== null ? [nothingKnown] : told;
    for (const usage of known) {
      const isWhole = cost !== null && known.length === 1;
      output.usage(isWhole ? { ...usage, cost: cost.amount, currency: cost.currency } : usage);
    }
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
    const promptFile = session.isResumed ? turn.resume?.promptFile : undefined;
    const text = await readFile(promptFile ?? turn.promptFile, "utf8");
    live.hasBegun = true;
    const answering = connection.agent
      .request<unknown>("session/prompt", {
        sessionId: session.id,
        prompt: [{ type: "text", text }],
      })
      .then((answer) => answerSchema.parse(answer));
    const question = new Promise<"question">((resolve) => {
      askPerson = (wish) => {
        asked.question ??= wish;
        resolve("question");
      };
    });
    const winner = await whileAlive(Promise.race([answering, question])).catch(
      async (error: unknown) => {
        // Told in the agent's own words too, so that it winds up and says what it took.
        if (turn.signal.aborted) tellUsage(await windUp(connection, session.id, answering));
        throw error;
      },
    );
    tellUsage(winner === "question" ? await windUp(connection, session.id, answering) : winner);
    if (asked.question !== null) return { kind: "question", question: asked.question };
    if (winner !== "question") {
      return readEnd(winner, updates.news.trouble, output.transcript.lastWords());
    }
    throw new Error("A question was asked and is gone");
  } catch (error) {
    turn.signal.throwIfAborted();
    if (asked.question !== null) return { kind: "question", question: asked.question };
    if (updates.news.cost !== null) tellUsage(null);
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

/** Lets a permission pass, or hands it to a person and winds up. */
function decide(
  agent: AcpAgent,
  turn: AgentTurn,
  output: TurnOutput,
  permission: Permission,
  askPerson: (question: AgentQuestion) => void,
) {
  const question = redactedQuestion(turn.secrets, permissionQuestion(agent.title, permission));
  const answer = answerTo(question.question, turn.answers);
  const isGiven =
    answer === allowWord || isCovered(permission, turn.allow, turn.folder, agent.coverage);
  const wanted = isGiven ? "allow_once" : "reject_once";
  const option =
    permission.options.find(({ kind }) => kind === wanted) ??
    permission.options.find(({ kind }) => kind.startsWith(isGiven ? "allow" : "reject"));
  if (!isGiven) output.denied(permission.toolCall.title ?? permission.toolCall.kind ?? "a tool");
  if (!isGiven && answer === undefined) {
    askPerson(question);
    return { outcome: { outcome: "cancelled" } };
  }
  if (option === undefined) return { outcome: { outcome: "cancelled" } };
  return { outcome: { outcome: "selected", optionId: option.optionId } };
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
