import { returnedFor } from "~/features/lessons/lesson-parts";
import { stoppedTitle } from "~/features/runs/stopped-run";
import { codeAndTitle, isolated } from "~/ui/isolated";
import { countText } from "~/ui/numbers";
import { statusLook } from "~/ui/status";
import type { InboxItem } from "~/wire/inbox/contract";
import type { AgentQuestion } from "~/wire/questions/contract";

interface RowText {
  status: string;
  label: string;
  code: string | null;
  title: string;
  /** What it belongs to. */
  about: string;
}

const questionLabels: Record<AgentQuestion["asks"], string> = {
  question: "Question",
  permission: "Permission",
  plan: "Plan",
  conflict: "Conflict",
  pause: "Run paused",
  failure: "Failed",
};

/** What a row of the inbox says: kind and title, then product and story. */
export function rowOf(item: InboxItem): RowText {
  const row = textOf(item);
  return {
    ...row,
    about: [item.product_name, row.about]
      .filter(Boolean)
      .map((part) => isolated(part ?? ""))
      .join(" · "),
  };
}

function textOf(item: InboxItem): Omit<RowText, "about"> & { about?: string | null } {
  switch (item.kind) {
    case "question":
      return ofQuestion(item.question);
    case "review":
      return { status: "REVIEW", label: "Review", ...judgedIn(item) };
    case "run": {
      const title = stoppedTitle(item);
      return { status: "FAILED", label: "Run stopped", code: item.code, title, about: item.title };
    }
    case "job":
      return { status: "FAILED", label: "No answer", code: item.code, title: item.title, about: item.reason };
    case "added":
      return { status: "WAITING", label: "You were added", code: item.code, title: "Allow your workers?" };
    case "invitation":
      return { status: "WAITING", label: "Invitation", code: item.code, title: `Join ${item.title}` };
    case "triage":
      return {
        status: "TRIAGE",
        label: "Triage",
        code: item.code,
        title: `${item.waiting} in Triage`,
        about: item.newest,
      };
    case "lesson": {
      const label = item.proposes_end ? "Lesson without effect" : "Lesson proposed";
      return {
        status: "WAITING",
        label,
        code: item.task_code,
        title: item.text,
        about: returnedFor(item.task_code, item.cause),
      };
    }
    case "mention":
      return {
        status: "WAITING",
        label: "Mention",
        code: item.code,
        title: `${item.author}: ${item.excerpt}`,
        about: item.title,
      };
  }
}

/** What is judged in one go: a task of its story, or all of a story. */
export function judgedIn(item: Extract<InboxItem, { kind: "review" }>) {
  const { code, title, story_code, story_title, review } = item;
  if (review && review.tasks > 1)
    return { code: story_code, title: story_title, about: countText(review.tasks, "task") };
  return { code, title, about: codeAndTitle({ code: story_code, title: story_title }) };
}

function ofQuestion(question: AgentQuestion) {
  const { asks, status, task_title, story_code, story_title, idea_code, reach } = question;
  const isOpen = status === "open";
  const story = story_code && story_title ? codeAndTitle({ code: story_code, title: story_title }) : null;
  const isAsked = asks === "question" || asks === "permission";
  return {
    status: !isOpen ? status : asks === "failure" ? "FAILED" : "WAITING",
    label: isOpen ? questionLabels[asks] : statusLook(status).label,
    code: question.task_code ?? story_code ?? idea_code,
    title: reach ? `Network access to ${reach}` : ((isAsked ? null : (task_title ?? story_title)) ?? question.question),
    about: question.effective_answer ?? story,
  };
}

/** The changes that wait for a verdict; null for work that no agent did. */
export const reviewOf = (item: InboxItem) =>
  item.kind === "review" && item.job_id ? `/jobs/${item.job_id}/changes` : null;

/** The page of an item; null where one acts in its card. */
export function pageOf(item: InboxItem): string | null {
  switch (item.kind) {
    case "review":
      return reviewOf(item) ?? `/tasks/${item.id}`;
    case "run":
      return `/products/${item.product_id}/runs/${item.id}`;
    case "job":
      return `/ideas/${item.idea_id}`;
    case "triage":
      return `/products/${item.product_id}/triage`;
    case "mention":
      return item.path;
    default:
      return null;
  }
}
