import { client } from "@agentclientprotocol/sdk/unstable";
import type { AcpAgent } from "./acp-agent";
import { elicitationSchema, type Permission, permissionSchema, updateSchema } from "./acp-messages";
import {
  allowWord,
  answerTo,
  formContent,
  formQuestion,
  isCovered,
  permissionQuestion,
} from "./acp-permission";
import { updateMethod } from "./acp-stream";
import type { readUpdates } from "./acp-updates";
import type { AgentQuestion, AgentTurn, TurnOutput } from "./driver";
import { createRedactor } from "./redact";

export interface Live {
  /** Before that an agent repeats what stands in the transcript of an earlier turn, and talks of its own settings. */
  hasBegun: boolean;
  model: string | null;
  /** Called when the agent says something. */
  heard: () => void;
}

interface Listening {
  agent: AcpAgent;
  turn: AgentTurn;
  output: TurnOutput;
  updates: ReturnType<typeof readUpdates>;
  live: Live;
  /** Hands a question to a person; the turn ends with it. */
  ask: (question: AgentQuestion) => void;
}

/** Our side of the protocol: what an agent tells and asks while it works. */
export function listenTo(listening: Listening) {
  const { turn, updates, live, ask } = listening;
  return client({ name: "backloom" })
    .onNotification(updateMethod, updateSchema, ({ params }) => {
      if (live.hasBegun) {
        live.heard();
        updates.take(params.update);
      } else updates.takeEarlier(params.update);
    })
    .onRequest("session/request_permission", permissionSchema, ({ params }) =>
      decide(listening, params),
    )
    .onRequest("elicitation/create", elicitationSchema, ({ params }) => {
      const question = redactedQuestion(turn.secrets, formQuestion(params, turn.folder));
      const answer = answerTo(question, turn.answers);
      if (answer !== undefined) return { action: "accept", content: formContent(params, answer) };
      ask(question);
      return { action: "cancel" };
    })
    .onNotification("*", () => undefined);
}

/** Lets a permission pass, or hands it to a person and winds up. */
function decide({ agent, turn, output, ask }: Listening, permission: Permission) {
  const asked = permissionQuestion(agent.title, permission, turn.folder);
  const question = redactedQuestion(turn.secrets, asked);
  const answer = answerTo(question, turn.answers);
  const isGiven =
    answer === allowWord || isCovered(permission, turn.allow, turn.folder, agent.coverage);
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

/** A question as a person reads it, and as its answer is found again. */
function redactedQuestion(
  secrets: readonly string[],
  { question, options, ...rest }: AgentQuestion,
): AgentQuestion {
  const { clean } = createRedactor(secrets);
  return { ...rest, question: clean(question), options: options.map(clean) };
}
