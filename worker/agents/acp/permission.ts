import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { AgentQuestion, AgentTurn } from "../driver";
import type { Elicitation, Permission } from "./messages";

const free = new Set(["read", "search", "think", "switch_mode"]);
const editing = new Set(["edit", "delete", "move"]);
const acting = new Set(["execute", "fetch", "other"]);

/** How the agent's own sandbox asks for permission. */
export interface Coverage {
  /** True if the agent asks about a command only when it wants to leave its sandbox. */
  commandsAreEscapes: boolean;
}

/** True if the request is allowed without asking a person. */
export function isCovered(
  { toolCall }: Permission,
  { allow, folder, reads = [] }: Pick<AgentTurn, "allow" | "folder" | "reads">,
  { commandsAreEscapes }: Coverage,
): boolean {
  if (allow === "all") return true;
  const paths = (toolCall.locations ?? []).map(({ path }) => path);
  const kind = toolCall.kind ?? "other";
  const isRead = (path: string) => [folder, ...reads].some((one) => pathInside(path, one) !== null);
  if (free.has(kind) && paths.every(isRead)) return true;
  const inside = paths.map((path) => pathInside(path, folder));
  if (!inside.every((path) => path !== null)) return false;
  if (inside.some(isOfGit)) return false;
  if (editing.has(kind)) return inside.length > 0;
  return allow === "commands" && acting.has(kind) && !(commandsAreEscapes && kind === "execute");
}

/** Path relative to the folder after following links, or null if it leads outside. */
function pathInside(path: string, folder: string): string | null {
  const [full, home] = [followed(resolve(folder, path)), followed(resolve(folder))];
  if (full === null || home === null) return null;
  const inside = relative(home, full);
  return inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? null : inside;
}

/**
 * The real path, even if the file does not exist yet. Null for a dangling link: its target could be created anywhere.
 */
function followed(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    if (isThere(path) || parent === path) return null;
    const home = followed(parent);
    return home === null ? null : join(home, basename(path));
  }
}

/** False as well below a file, where nothing can be. */
function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Git runs programs named there. Compared without case, as some file systems ignore it. */
function isOfGit(inside: string): boolean {
  return inside.split(sep).some((part) => part.toLowerCase() === ".git");
}

export const allowOption = "Allow";
export const denyOption = "Deny";

/** Relative, because the next attempt may have its worktree elsewhere and must still find the answer. */
function inRepository(text: string, folder: string): string {
  const whole = resolve(folder).replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  // Replaces whole paths only; text that merely contains the folder stays.
  const here = new RegExp(`(?<![\\w./-])${whole}(?:/(?=[^\\s"'])|(?![\\w.-]))`, "g");
  return text.replace(here, (found) => (found.endsWith("/") ? "" : "."));
}

/** A permission request as a question to a person. */
export function permissionQuestion(title: string, { toolCall }: Permission, folder: string): AgentQuestion {
  const what = inRepository(toolCall.title ?? toolCall.kind ?? "use a tool", folder);
  const paths = (toolCall.locations ?? []).map(({ path }) => inRepository(path, folder)).join(", ");
  const where = paths === "" || what.includes(paths) ? "" : ` (${paths})`;
  const isCommand = toolCall.kind === "execute";
  return {
    kind: "permission",
    question: `${title} asks: may it ${isCommand ? "run" : "do"} this? ${what}${where}`,
    options: [allowOption, denyOption],
  };
}

/** An agent's form as a question, with the choices of its first field. */
export function formQuestion({ message, requestedSchema }: Elicitation, folder: string): AgentQuestion {
  const [field] = Object.values(requestedSchema?.properties ?? {});
  const choices = field?.oneOf?.map((choice) => choice.title ?? choice.const) ?? field?.enum ?? [];
  const about = field?.title && !message.includes(field.title) ? `\n${field.title}` : "";
  return { question: inRepository(`${message}${about}`, folder), options: choices };
}

/** A person's answer as the value of the form's first field. */
export function formContent({ requestedSchema }: Elicitation, answer: string) {
  const [entry] = Object.entries(requestedSchema?.properties ?? {});
  if (entry === undefined) return {};
  const [name, field] = entry;
  const choice = field.oneOf?.find(({ title }) => title === answer);
  return { [name]: choice?.const ?? answer };
}

/** An earlier answer. `kind` must match: an answer to a question that reads like a permission grants none. */
export function answerTo(
  { question, kind = "question" }: AgentQuestion,
  answers: AgentTurn["answers"],
): string | undefined {
  const isThis = (given: AgentTurn["answers"][number]) =>
    given.kind === kind && given.question.trim() === question.trim();
  return answers.find(isThis)?.answer;
}
