import { readFile } from "node:fs/promises";
import { type Readable, Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import {
  type AnyMessage,
  type ClientConnection,
  type ClientContext,
  client,
  ndJsonStream,
  RequestError,
  type Stream,
} from "@agentclientprotocol/sdk/unstable";
import {
  type Answer,
  answerSchema,
  elicitationSchema,
  errorDataSchema,
  initializedSchema,
  type Permission,
  permissionSchema,
  type Session,
  sessionSchema,
  updateSchema,
} from "./acp-messages";
import {
  allowWord,
  answerTo,
  type Coverage,
  formContent,
  formQuestion,
  isCovered,
  permissionQuestion,
} from "./acp-permission";
import { readUpdates } from "./acp-updates";
import type { AgentQuestion, AgentTurn, TurnEnd, TurnOutput, Usage } from "./driver";
import { limitIn } from "./limits";
import { crashEnd } from "./line-turn";
import { type AgentProcess, startProcess } from "./process";
import { redactedQuestion } from "./redact";
import { nothingKnown } from "./usage";

/** What differs between the agents that speak the protocol. */
export interface AcpAgent {
  /** What people call it. */
  title: string;
  program: string;
  words: readonly string[];
  coverage: Coverage;
  /** The agent's own name for what is allowed; left out, the agent asks and we answer. */
  modeFor?: (turn: AgentTurn) => string | undefined;
  environment?: (turn: AgentTurn) => Record<string, string>;
  usageOf(answer: Answer, session: { model: string | null }): Usage[];
  /** How to sign in, for the person at this machine. */
  signIn: string;
}

/** A handshake that takes longer is a tool that waits for something else, a browser for example. */
const handshakeMilliseconds = 120_000;
/** How long an agent may take to wind up after a cancellation. */
const cancelMilliseconds = 2_000;
/** How long a process may take to end after its connection. */
const endMilliseconds = 1_000;
const authRequired = -32_000;
const updateMethod = "_backloom/update";

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
  started: AgentProcess,
): Promise<TurnEnd> {
  const updates = readUpdates(turn.folder, output);
  const asked: { question: AgentQuestion | null } = { question: null };
  const live: Live = { hasBegun: false, model: null };
  let askPerson = (question: AgentQuestion): void => {
    asked.question ??= question;
  };

  const app = client({ name: "backloom" })
    .onNotification(updateMethod, updateSchema, ({ params }) => {
      if (live.hasBegun) updates.take(params.update);
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
  const stopped = new Promise<never>((_, reject) => {
    const stop = (): void => reject(turn.signal.reason);
    if (turn.signal.aborted) stop();
    turn.signal.addEventListener("abort", stop, { once: true });
  });
  stopped.catch(() => undefined);
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
    return Promise.race([promise, crashed, stopped]);
  };

  try {
    const session = await whileAlive(inTime(openSession(connection.agent, agent, turn)));
    live.model = session.model ?? turn.model ?? null;
    output.session(session.id);
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
    connection.close();
  }
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

async function openSession(
  context: ClientContext,
  agent: AcpAgent,
  turn: AgentTurn,
): Promise<{ id: string; model: string | null; isResumed: boolean }> {
  const initialized = initializedSchema.parse(
    await context.request<unknown>("initialize", {
      protocolVersion: 1,
      clientInfo: { name: "backloom", title: "Backloom", version: "1" },
      // No file system of ours: agents work in the folder, and some take a missing file for a broken one.
      clientCapabilities: {
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        elicitation: { form: {} },
      },
    }),
  );
  const place = { cwd: turn.folder, mcpServers: [] };
  const capabilities = initialized.agentCapabilities;
  let session: Session | null = null;
  const wanted = turn.resume?.sessionId;
  if (wanted !== undefined) {
    const way = capabilities?.sessionCapabilities?.resume
      ? "session/resume"
      : capabilities?.loadSession
        ? "session/load"
        : null;
    if (way !== null) {
      session = await context
        .request<unknown>(way, { ...place, sessionId: wanted })
        .then((answer) => ({ ...sessionSchema.parse(answer ?? {}), sessionId: wanted }))
        .catch(() => null);
    }
  }
  const isResumed = session !== null;
  session ??= sessionSchema.parse(await context.request<unknown>("session/new", place));
  const id = session.sessionId;
  if (id === undefined) throw new Error("The agent opened a session without a name");
  await choose(context, id, session, agent, turn);
  const chosen = session.configOptions?.find((option) => option.id === "model")?.currentValue;
  const model = turn.model ?? session.models?.currentModelId ?? chosen;
  return { id, model: typeof model === "string" ? model : null, isResumed };
}

/** Mode and model, where the agent has them. */
async function choose(
  context: ClientContext,
  sessionId: string,
  session: Session,
  agent: AcpAgent,
  turn: AgentTurn,
): Promise<void> {
  const modeId = agent.modeFor?.(turn);
  if (modeId !== undefined && session.modes?.availableModes.some(({ id }) => id === modeId)) {
    await context.request<unknown>("session/set_mode", { sessionId, modeId });
  }
  if (turn.model === undefined) return;
  if (session.configOptions?.some(({ id }) => id === "model")) {
    const wish = { sessionId, configId: "model", value: turn.model };
    await context.request<unknown>("session/set_config_option", wish);
  } else if (session.models) {
    await context.request<unknown>("session/set_model", { sessionId, modelId: turn.model });
  }
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

function readEnd({ stopReason }: Answer, trouble: string | null, words: string): TurnEnd {
  // Codex says in its own words why its service gave up.
  if (trouble !== null) return explain(`${trouble}\n${words.slice(-1_000)}`.trim());
  if (stopReason === "end_turn") return { kind: "done" };
  if (stopReason === "refusal") {
    const reason = "The model refused to go on with this work";
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
  return { kind: "failed", cause: "error", reason: words };
}

/** The tool's process is gone before it has answered. */
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
    return crashEnd(title, { code: this.code, signal: this.signal, complaints });
  }
}

async function inTime<T>(promise: Promise<T>): Promise<T> {
  const late = wait(handshakeMilliseconds, null, { ref: false }).then((): never => {
    throw new Error("The agent did not begin within two minutes");
  });
  promise.catch(() => undefined);
  return Promise.race([promise, late]);
}

/**
 * The agent's standard streams as the client wants them. The client drops every update that its own schema does not know, so
 * updates come in under another name, and we read of them what we understand.
 */
function streamOf({ stdin, stdout }: AgentProcess): Stream {
  const { readable, writable } = ndJsonStream(Writable.toWeb(stdin), bytesOf(stdout));
  const renamed = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      const isUpdate = "method" in message && message.method === "session/update";
      controller.enqueue(isUpdate ? { ...message, method: updateMethod } : message);
    },
  });
  return { readable: readable.pipeThrough(renamed), writable };
}

/** Nobody may read any more when the tool's last bytes come. */
function bytesOf(stdout: Readable): ReadableStream<Uint8Array> {
  let isRead = true;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      stdout.on("data", (piece: Buffer) => isRead && controller.enqueue(new Uint8Array(piece)));
      stdout.on("end", () => isRead && controller.close());
    },
    cancel: () => {
      isRead = false;
    },
  });
}
