import { resolve, sep } from "node:path";
import type { Elicitation, Permission } from "./acp-messages";
import type { AgentQuestion, AgentTurn, Allowance } from "./driver";

const free = new Set(["read", "search", "think", "switch_mode"]);
const editing = new Set(["edit", "delete", "move"]);
const acting = new Set(["execute", "fetch", "other"]);

/** How strict an agent's own sandbox is. */
export interface Coverage {
  /** True where the agent asks about a command only when it wants to leave its sandbox. */
  commandsAreEscapes: boolean;
}

/** Whether what the agent wants to do is allowed without asking a person. */
export function isCovered(
  { toolCall }: Permission,
  allow: Allowance,
  folder: string,
  { commandsAreEscapes }: Coverage,
): boolean {
  if (allow === "all") return true;
  const paths = (toolCall.locations ?? []).map(({ path }) => path);
  const kind = toolCall.kind ?? "other";
  if (!paths.every((path) => isInside(path, folder))) return false;
  if (free.has(kind) || editing.has(kind)) return true;
  return allow === "commands" && acting.has(kind) && !(commandsAreEscapes && kind === "execute");
}

function isInside(path: string, folder: string): boolean {
  const full = resolve(folder, path);
  return full === resolve(folder) || full.startsWith(resolve(folder) + sep);
}

export const allowWord = "Allow";
export const denyWord = "Deny";

/** A permission that only a person can give, as a question. */
export function permissionQuestion(title: string, { toolCall }: Permission): AgentQuestion {
  const what = toolCall.title ?? toolCall.kind ?? "use a tool";
  const paths = (toolCall.locations ?? []).map(({ path }) => path).join(", ");
  const where = paths === "" || what.includes(paths) ? "" : ` (${paths})`;
  const isCommand = toolCall.kind === "execute";
  return {
    question: `${title} asks: may it ${isCommand ? "run" : "do"} this? ${what}${where}`,
    options: [allowWord, denyWord],
  };
}

/** A form of the agent as a question with the choices of its first field. */
export function formQuestion({ message, requestedSchema }: Elicitation): AgentQuestion {
  const [field] = Object.values(requestedSchema?.properties ?? {});
  const choices = field?.oneOf?.map((choice) => choice.title ?? choice.const) ?? field?.enum ?? [];
  const about = field?.title && !message.includes(field.title) ? `\n${field.title}` : "";
  return { question: `${message}${about}`, options: choices };
}

/** The answer of a person as the form's first field takes it. */
export function formContent({ requestedSchema }: Elicitation, answer: string) {
  const [entry] = Object.entries(requestedSchema?.properties ?? {});
  if (entry === undefined) return {};
  const [name, field] = entry;
  const choice = field.oneOf?.find(({ title }) => title === answer);
  return { [name]: choice?.const ?? answer };
}

/** What a person said to this very question before. */
export function answerTo(question: string, answers: AgentTurn["answers"]): string | undefined {
  return answers.find((given) => given.question === question)?.answer;
}
