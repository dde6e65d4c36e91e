import type { ChatWork } from "~/nouns/chats/operations.server";
import { chatTitles } from "~/wire/chats/contract";
import { maskTokens } from "./mask";
import type { ChatMessage } from "./service";

type Question = ChatWork["questions"][number];

const longestText = 1_500;
const longestLabel = 60;

/** A message as it is to be seen now: one question with its buttons, or several as a list. */
export function compose(work: ChatWork, origin: string): ChatMessage {
  const [first, ...others] = work.questions;
  if (first === undefined || others.length > 0) return list(work, origin);
  const link = `${origin}/inbox?show=questions&question=${first.id}`;
  const end = endOf(first, work);
  const isAnswerable = end === undefined && work.titles && ["question", "failure"].includes(first.asks);
  const head = work.titles
    ? `${headOf(first)}\n\n${clean(first.question, longestText)}`
    : `${codeOf(first)} ${waits(first)}`;
  const text = [head, ...(isAnswerable ? [choicesOf(first)] : []), end].filter(Boolean).join("\n\n");
  return { text, link, options: end === undefined ? buttonsOf(first, isAnswerable) : [], allowsText: isAnswerable };
}

function list(work: ChatWork, origin: string): ChatMessage {
  const lines = work.questions.map((question) => {
    const words = endOf(question, work) ?? (work.titles ? question.question : waits(question));
    return `• ${codeOf(question)} ${clean(words, 80).replaceAll("\n", " ")}`;
  });
  const rest = work.total - lines.length;
  const text = [`${work.total} questions for you:`, ...lines, ...(rest > 0 ? [`… and ${rest} more`] : [])].join("\n");
  return { text, link: `${origin}/inbox?show=questions`, options: [], allowsText: false };
}

function headOf(question: Question): string {
  const { asks, asked_by_name: by, product_name } = question;
  const title = question.task_title ?? question.story_title ?? "";
  const about = clean(`${codeOf(question)} ${title} (${product_name})`, 200);
  if (asks === "permission") return `An agent asks your permission: ${about}`;
  if (asks === "question") return `${by === null ? "An agent" : `An agent of ${by}`} asks about ${about}`;
  return asks === "plan" ? `A plan waits for you: ${about}` : about;
}

const codeOf = ({ task_code, story_code, idea_code }: Question) => task_code ?? story_code ?? idea_code ?? "";

const waits = ({ asks }: Question) =>
  ["question", "failure"].includes(asks) ? "waits for an answer." : "waits for your decision.";

/** How a question ended, or until when it is snoozed; undefined while it can be answered. */
function endOf(question: Question, { titles, time_zone: timeZone }: ChatWork): string | undefined {
  if (question.status === "answered") {
    const via = question.answered_via;
    const where = via === null || via === "web" ? "" : ` in ${chatTitles[via]}`;
    const by = `Answered${question.answered_by_name === null ? "" : ` by ${question.answered_by_name}`}${where}`;
    return titles ? `${by}: ${clean(question.answer ?? "", 300)}` : `${by}.`;
  }
  if (question.status === "expired") return "No one answered in time.";
  if (question.status === "cancelled") return "No longer needed.";
  if (question.snoozed_until === null) return undefined;
  const time = new Date(question.snoozed_until).toLocaleTimeString("en-GB", { timeZone, timeStyle: "short" });
  return `Snoozed until ${time}.`;
}

/** What can be chosen in a chat: to take a task over, a person sits at a terminal. */
const choicesIn = ({ asks, options }: Question) => options.slice(0, asks === "failure" ? 3 : 8);

/** All of these in full, where a button could not hold one or says too little. */
function choicesOf(question: Question): string {
  const [options, recommended] = [choicesIn(question), question.recommended_option];
  const isShort = options.every(({ label, description }) => label.length <= longestLabel && description === undefined);
  const lines = options.map(({ label, description }, index) => {
    const words = description === undefined ? label : `${label}: ${description}`;
    return `${index + 1}. ${clean(words, 250)}${index === recommended ? " (recommended)" : ""}`;
  });
  return isShort && recommended === null ? "" : lines.join("\n");
}

function buttonsOf(question: Question, isAnswerable: boolean): ChatMessage["options"] {
  const { key } = question;
  const shown = isAnswerable ? choicesIn(question) : [];
  const choices = shown.map(({ label }, index) => ({ id: `${key}${index}`, label: clean(label, longestLabel) }));
  return [...choices, { id: `${key}s`, label: "Snooze 1 h" }];
}

/** Without secrets and control characters, and no longer than this. */
export function clean(text: string, most: number): string {
  const plain = maskTokens(withoutControls(text));
  const letters = [...plain];
  return letters.length <= most ? plain : `${letters.slice(0, most - 1).join("")}…`;
}

/** Text that can be stored and shown: line ends and tabs stay, other control characters and broken Unicode do not. */
export const withoutControls = (text: string): string => text.replace(/(?![\n\t])\p{Cc}|\p{Surrogate}/gu, "");
