import { type Readable, Writable } from "node:stream";
import { type AnyMessage, client, ndJsonStream, type Stream } from "@agentclientprotocol/sdk/unstable";
import type { RunningProcess } from "../../base/process";
import { createRedactor } from "../../base/redact";
import type { AgentQuestion, AgentTurn, TurnOutput } from "../driver";
import type { AcpAgent } from "./agent";
import { elicitationSchema, type Permission, permissionSchema, updateSchema } from "./messages";
import { allowOption, answerTo, formContent, formQuestion, isCovered, permissionQuestion } from "./permission";
import type { readUpdates } from "./updates";

export interface Live {
  /** False while the agent replays an earlier turn's transcript and reports its own settings. */
  hasBegun: boolean;
  model: string | null;
  onUpdate: () => void;
}

interface Listening {
  agent: AcpAgent;
  turn: AgentTurn;
  output: TurnOutput;
  updates: ReturnType<typeof readUpdates>;
  live: Live;
  /** Passes a question to a person and ends the turn. */
  ask: (question: AgentQuestion) => void;
}

/** The worker's side of ACP: handles the agent's updates and requests. */
export function listenTo(listening: Listening) {
  const { turn, updates, live, ask } = listening;
  return client({ name: "backloom" })
    .onNotification(updateMethod, updateSchema, ({ params }) => {
      if (live.hasBegun) {
        live.onUpdate();
        updates.take(params.update);
      } else updates.takeEarlier(params.update);
    })
    .onRequest("session/request_permission", permissionSchema, ({ params }) => decide(listening, params))
    .onRequest("elicitation/create", elicitationSchema, ({ params }) => {
      const question = redactedQuestion(turn.secrets, formQuestion(params, turn.folder));
      const answer = answerTo(question, turn.answers);
      if (answer !== undefined) return { action: "accept", content: formContent(params, answer) };
      ask(question);
      return { action: "cancel" };
    })
    .onNotification("*", () => undefined);
}

/** Allows a permission request, or passes it to a person and ends the turn. */
function decide({ agent, turn, output, ask }: Listening, permission: Permission) {
  const unredacted = permissionQuestion(agent.title, permission, turn.folder);
  const question = redactedQuestion(turn.secrets, unredacted);
  const answer = answerTo(question, turn.answers);
  const isGiven = answer === allowOption || isCovered(permission, turn, agent.coverage);
  const wanted = isGiven ? "allow_once" : "reject_once";
  const option =
    permission.options.find(({ kind }) => kind === wanted) ??
    permission.options.find(({ kind }) => kind.startsWith(isGiven ? "allow" : "reject"));
  if (!isGiven) output.denied(permission.toolCall.title ?? permission.toolCall.kind ?? "a tool");
  if (!isGiven && answer === undefined) {
    ask(question);
    return { outcome: { outcome: "cancelled" } };
  }
  if (option === undefined) return { outcome: { outcome: "cancelled" } };
  return { outcome: { outcome: "selected", optionId: option.optionId } };
}

/** The question without secrets, as people see it. Answers are matched by this text. */
function redactedQuestion(secrets: readonly string[], { question, options, ...rest }: AgentQuestion): AgentQuestion {
  const { clean } = createRedactor(secrets);
  return { ...rest, question: clean(question), options: options.map(clean) };
}

const updateMethod = "_backloom/update";

/** The ACP client drops updates that its own schema does not know: renamed, they bypass it and are parsed here. */
export function streamOf({ stdin, stdout }: RunningProcess): Stream {
  const { readable, writable } = ndJsonStream(Writable.toWeb(stdin), bytesOf(stdout));
  const renamed = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      const isUpdate = "method" in message && message.method === "session/update";
      controller.enqueue(isUpdate ? { ...message, method: updateMethod } : message);
    },
  });
  return { readable: readable.pipeThrough(renamed), writable };
}

/** Ignores bytes that arrive after the reader has left. */
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
