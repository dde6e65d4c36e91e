import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
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
  const inside = paths.map((path) => pathInside(path, folder));
  if (!inside.every((path) => path !== null)) return false;
  if (free.has(kind)) return true;
  if (inside.some(isOfGit)) return false;
  if (editing.has(kind)) return inside.length > 0;
  return allow === "commands" && acting.has(kind) && !(commandsAreEscapes && kind === "execute");
}

/** Where a path leads within the folder, links of the repository followed; null for one that leads out of it. */
function pathInside(path: string, folder: string): string | null {
  const [full, home] = [followed(resolve(folder, path)), followed(resolve(folder))];
  if (full === null || home === null) return null;
  const inside = relative(home, full);
  return inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? null : inside;
}

/** The real path, also of what is not there yet. A link that leads nowhere might lead anywhere once it does. */
function followed(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
    const parent = dirname(path);
    if (isThere || parent === path) return null;
    const home = followed(parent);
    return home === null ? null : join(home, basename(path));
  }
}

/** Git runs what stands there. Some file systems do not tell letters apart. */
function isOfGit(inside: string): boolean {
  return inside.split(sep).some((part) => part.toLowerCase() === ".git");
}

export const allowWord = "Allow";
export const denyWord = "Deny";

/** Paths as they stand in the repository: the next attempt, which looks for the answer, may have its worktree elsewhere. */
function inRepository(text: string, folder: string): string {
  const whole = resolve(folder).replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  // Only whole paths: what merely contains the folder is shown as it is.
  const here = new RegExp(`(?<![\\w./-])${whole}(?:/(?=[^\\s"'])|(?![\\w.-]))`, "g");
  return text.replace(here, (found) => (found.endsWith("/") ? "" : "."));
}

/** A permission that only a person can give, as a question. */
export function permissionQuestion(
  title: string,
  { toolCall }: Permission,
  folder: string,
): AgentQuestion {
  const what = inRepository(toolCall.title ?? toolCall.kind ?? "use a tool", folder);
  const paths = (toolCall.locations ?? []).map(({ path }) => inRepository(path, folder)).join(", ");
  const where = paths === "" || what.includes(paths) ? "" : ` (${paths})`;
  const isCommand = toolCall.kind === "execute";
  return {
    kind: "permission",
    question: `${title} asks: may it ${isCommand ? "run" : "do"} this? ${what}${where}`,
    options: [allowWord, denyWord],
  };
}

/** A form of the agent as a question with the choices of its first field. */
export function formQuestion(
  { message, requestedSchema }: Elicitation,
  folder: string,
): AgentQuestion {
  const [field] = Object.values(requestedSchema?.properties ?? {});
  const choices = field?.oneOf?.map((choice) => choice.title ?? choice.const) ?? field?.enum ?? [];
  const about = field?.title && !message.includes(field.title) ? `\n${field.title}` : "";
  return { question: inRepository(`${message}${about}`, folder), options: choices };
}

/** The answer of a person as the form's first field takes it. */
export function formContent({ requestedSchema }: Elicitation, answer: string) {
  const [entry] = Object.entries(requestedSchema?.properties ?? {});
  if (entry === undefined) return {};
  const [name, field] = entry;
  const choice = field.oneOf?.find(({ title }) => title === answer);
  return { [name]: choice?.const ?? answer };
}

/** What was said to this very question before. An answer to a question that only reads like a permission gives none. */
export function answerTo(
  { question, kind = "question" }: AgentQuestion,
  answers: AgentTurn["answers"],
): string | undefined {
  const isThis = (given: AgentTurn["answers"][number]) =>
    given.kind === kind && given.question.trim() === question.trim();
  return answers.find(isThis)?.answer;
}
