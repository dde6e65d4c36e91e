import { setTimeout as wait } from "node:timers/promises";
import { type ClientContext, RequestError } from "@agentclientprotocol/sdk/unstable";
import type { AgentTurn } from "../driver";
import type { AcpAgent } from "./agent";
import { errorDataSchema, initializedSchema, type Session, sessionSchema } from "./messages";

/** A longer handshake means that the tool waits for something else, such as a browser. */
const handshakeMilliseconds = 120_000;

interface OpenedSession {
  id: string;
  model: string | null;
  /** Why the earlier session could not be resumed; null if it was, or if there is none. */
  lostBecause: string | null;
  isResumed: boolean;
}

/** Resumes the turn's earlier session if the agent still has it, otherwise opens a new one. */
export function openSession(context: ClientContext, agent: AcpAgent, turn: AgentTurn): Promise<OpenedSession> {
  return inTime(shakeHands(context, agent, turn));
}

async function shakeHands(context: ClientContext, agent: AcpAgent, turn: AgentTurn): Promise<OpenedSession> {
  const initialized = initializedSchema.parse(
    await context.request<unknown>("initialize", {
      protocolVersion: 1,
      clientInfo: { name: "backloom", title: "Backloom", version: "1" },
      // No file system: agents work in the folder, and some mistake a missing file for a broken one.
      clientCapabilities: {
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        elicitation: { form: {} },
      },
    }),
  );
  const location = { cwd: turn.folder, mcpServers: [] };
  const capabilities = initialized.agentCapabilities;
  let session: Session | null = null;
  let lostBecause: string | null = null;
  const wanted = turn.resume?.sessionId;
  if (wanted !== undefined) {
    const way = capabilities?.sessionCapabilities?.resume
      ? "session/resume"
      : capabilities?.loadSession
        ? "session/load"
        : null;
    if (way === null) lostBecause = "it keeps none";
    else {
      session = await context
        .request<unknown>(way, { ...location, sessionId: wanted })
        .then((answer) => ({ ...sessionSchema.parse(answer ?? {}), sessionId: wanted }))
        .catch((error: unknown) => {
          lostBecause = reasonOf(error);
          return null;
        });
    }
  }
  const isResumed = session !== null;
  session ??= sessionSchema.parse(await context.request<unknown>("session/new", location));
  const id = session.sessionId;
  if (id === undefined) throw new Error("The agent opened a session without a name");
  await choose(context, id, session, agent, turn);
  const chosen = session.configOptions?.find((option) => option.id === "model")?.currentValue;
  const model = turn.model ?? session.models?.currentModelId ?? chosen;
  return { id, model: typeof model === "string" ? model : null, lostBecause, isResumed };
}

/** The useful text is often in the error's data; the message itself is just "Internal error". */
function reasonOf(error: unknown): string {
  const details = error instanceof RequestError ? errorDataSchema.safeParse(error.data).data : null;
  const reason = details?.details ?? details?.message ?? (error instanceof Error ? error.message : "");
  return reason.trim().replace(/\.$/, "").slice(0, 300) || "it gave no reason";
}

/** Sets mode, model and effort if the agent supports them. */
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
  const set = (configId: string, value: string) =>
    context.request<unknown>("session/set_config_option", { sessionId, configId, value });
  await chooseModel(context, sessionId, session, turn.model, set);
  const level = session.configOptions?.find(({ category }) => category === "thought_level")?.id;
  // A model without levels of thought is not a reason to end the turn.
  if (turn.effort && level) await set(level, turn.effort).catch(() => undefined);
}

async function chooseModel(
  context: ClientContext,
  sessionId: string,
  session: Session,
  model: string | undefined,
  set: (configId: string, value: string) => Promise<unknown>,
): Promise<void> {
  if (model === undefined) return;
  if (session.configOptions?.some(({ id }) => id === "model")) await set("model", model);
  else if (session.models) {
    await context.request<unknown>("session/set_model", { sessionId, modelId: model });
  }
}

async function inTime<T>(promise: Promise<T>): Promise<T> {
  const late = wait(handshakeMilliseconds, null, { ref: false }).then((): never => {
    throw new Error("The agent did not begin within two minutes");
  });
  promise.catch(() => undefined);
  return Promise.race([promise, late]);
}
