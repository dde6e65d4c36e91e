import { type ProvenCriterion, storyProofSchema } from "~/wire/proof/contract";
import { interruption } from "../base/interruption";
import type { Journal } from "../base/journal";
import type { WorkerOptions } from "../base/options";
import { messageOf, Refusal } from "../base/problems";
import { mainNameOf } from "../git/remote";
import type { Repository } from "../git/repository";
import type { Rules } from "../git/rules";
import type { Service } from "../service/service";
import { type Forge, ForgeProblem, type Pull } from "./forge";
import { openForge } from "./open-forge";

interface PullOptions {
  branch: string;
  title: string;
  /** Whether it is a draft until every criterion is proven. */
  isDraftFirst: boolean;
  /** Address of the one that was open when the service last heard of it. */
  url?: string | null | undefined;
  stories: readonly (Omit<StoryPart, "link" | "criteria"> & { id: string })[];
}

export interface PullTools {
  options: WorkerOptions;
  service: Service;
  journal: Journal;
  repository: Repository;
  rules: Rules;
}

/** Opens the pull request of a branch at its Git host, or updates the open one. Returns its URL. */
export async function bringPull(tools: PullTools, wanted: PullOptions): Promise<string> {
  const { repository, rules, options } = tools;
  const forge = await openForge(repository, rules, options);
  const { branch, title } = wanted;
  const parts = await readParts(tools, wanted.stories);
  const isDraft = wanted.isDraftFirst && !areProven(parts);
  const open = await forge.findOpen(branch);
  if (open !== null) return update(forge, open, parts, isDraft);
  // Merged or closed, as the next look will tell.
  if (wanted.url) return wanted.url;
  const base = (await mainNameOf(repository)) ?? (await forge.defaultBranch());
  const draft = { branch, base, title: title.slice(0, 250), body: withStories("", parts), isDraft };
  const pull = await openOnce(forge, draft);
  await decorate(tools, forge, pull);
  return pull.url;
}

/** Keeps what people changed: the title, text around the parts, and a removed draft mark. */
async function update(forge: Forge, pull: Pull, parts: readonly StoryPart[], isDraft: boolean): Promise<string> {
  const body = withStories(pull.body, parts);
  if (body !== pull.body.replaceAll("\r\n", "\n").trim()) await forge.setBody(pull, body);
  if (pull.isDraft && !isDraft) await forge.markReady(pull);
  return pull.url;
}

/**
 * Another worker may open it at the same time, or the answer may be lost after it was created; an existing one is used.
 */
export async function openOnce(forge: Forge, draft: Parameters<Forge["open"]>[0]): Promise<Pull> {
  try {
    return await forge.open(draft);
  } catch (error) {
    interruption()?.throwIfAborted();
    if (!(error instanceof ForgeProblem)) throw error;
    const open = await forge.findOpen(draft.branch);
    if (open !== null) return open;
    if (error.status !== null && error.status < 500) throw error;
    return forge.open(draft);
  }
}

/** An unknown label or reviewer must not prevent the pull request. */
export async function decorate(
  { rules, journal }: Pick<PullTools, "rules" | "journal">,
  forge: Forge,
  pull: Pull,
): Promise<void> {
  const { labels, reviewers } = rules;
  const report = (what: string) => (error: unknown) => {
    interruption()?.throwIfAborted();
    journal.say(`The pull request has no ${what} of .backloom.yml: ${messageOf(error)}`);
  };
  if (labels.length > 0) await forge.addLabels(pull, labels).catch(report("labels"));
  if (reviewers.length > 0) await forge.askReviewers(pull, reviewers).catch(report("reviewers"));
}

async function readParts({ options, service }: PullTools, stories: PullOptions["stories"]): Promise<StoryPart[]> {
  const parts: StoryPart[] = [];
  for (const story of stories) {
    const link = new URL(`/stories/${story.id}`, options.url).href;
    const criteria = await service
      .read(`/api/stories/${story.id}/evidence`, storyProofSchema)
      .then((proof) => proof.criteria)
      .catch((error: unknown) => {
        // The story was deleted; its work is still on the branch.
        if (error instanceof Refusal) return [];
        throw error;
      });
    parts.push({ ...story, link, criteria });
  }
  return parts;
}

interface StoryPart {
  code: string;
  title: string;
  description: string;
  link: string;
  criteria: readonly ProvenCriterion[];
}

const longestDescription = 4_000;

const seenBy: Record<NonNullable<ProvenCriterion["grade"]>, string> = {
  said: "the agent says so",
  worker: "the worker ran it",
  other_worker: "another worker checked it",
  ci: "CI ran it",
  person: "a person checked it",
};

/** Inserts or updates these parts. Keeps people's text around them, and other stories' parts on the branch. */
function withStories(body: string, parts: readonly StoryPart[]): string {
  return parts.reduce(withStory, body).trim();
}

function withStory(body: string, part: StoryPart): string {
  const begin = `<!-- backloom ${part.code} -->`;
  const end = `<!-- /backloom ${part.code} -->`;
  const text = `${begin}\n${textOf(part)}\n${end}`;
  const [from, to] = [body.indexOf(begin), body.indexOf(end)];
  if (from < 0 || to < from) return `${body.trim()}\n\n${text}`;
  return `${body.slice(0, from)}${text}${body.slice(to + end.length)}`;
}

function textOf({ code, title, description, link, criteria }: StoryPart): string {
  const about = withoutMarks(description).slice(0, longestDescription).trim();
  const lines = criteria.map(lineOf);
  return [
    `## [${code}](${link}): ${withoutMarks(title)}`,
    ...(about === "" ? [] : [about]),
    ...(lines.length === 0 ? [] : [`### Acceptance criteria\n\n${lines.join("\n")}`]),
  ].join("\n\n");
}

function lineOf({ text, state, grade, evidence, waiver }: ProvenCriterion): string {
  const isMet = state === "proven" || state === "waived";
  const words = withoutMarks(text).replaceAll("\n", " ");
  return `- [${isMet ? "x" : " "}] ${words} (${waiver === null ? proofOf(state, grade, evidence) : "waived"})`;
}

function proofOf(
  state: ProvenCriterion["state"],
  grade: ProvenCriterion["grade"],
  evidence: ProvenCriterion["evidence"],
): string {
  if (state !== "proven" || grade === null) return state === "failed" ? "failed" : "not proven yet";
  const command = evidence.find((one) => one.grade === grade && one.verdict === "pass")?.command;
  const shown = command?.replace(/[`\n]/g, " ").slice(0, 200);
  return shown ? `${seenBy[grade]}: \`${shown}\`` : seenBy[grade];
}

/** Removes HTML comments, so that no story text looks like the markers of a part. */
function withoutMarks(text: string): string {
  return text.replace(/<!--[\s\S]*?(-->|$)/g, "");
}

function areProven(parts: readonly StoryPart[]): boolean {
  const criteria = parts.flatMap((part) => part.criteria);
  return criteria.length > 0 && criteria.every(({ state }) => state === "proven" || state === "waived");
}
