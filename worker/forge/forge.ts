import type { ObservedIssue } from "~/wire/intake/contract";
import type { ObservedPull } from "~/wire/pulls/contract";
import type { ForgeKind } from "../base/forge-kinds";

/** A login at a Git host. `user` is known for passwords from git only. */
export type Credential = { secret: string; user: string | null };

export interface ForgeLocation {
  kind: ForgeKind;
  /** Base URL of the API, without a trailing slash. */
  api: string;
  /** `host` or `host:port`, by which logins are stored. */
  host: string;
  /** Repository URL without credentials, for which git may have a login. */
  address: string;
  /** Path of the repository: owner and name, on GitLab possibly with groups before. */
  project: string;
}

/** An open pull request or merge request. */
export interface Pull {
  number: number;
  url: string;
  title: string;
  body: string;
  isDraft: boolean;
  headSha: string;
}

export type PullDraft = { branch: string; base: string; title: string; body: string; isDraft: boolean };

export interface ListedPull {
  number: number;
  url: string;
  branch: string;
  headSha: string;
  state: "open" | "closed" | "merged";
  isDraft: boolean;
  /** Changes with the pull request, but not with its CI. */
  version: string;
}

export function pullState(state: string, isMerged: boolean): ListedPull["state"] {
  if (isMerged) return "merged";
  return state === "open" || state === "opened" ? "open" : "closed";
}

export interface ListedIssue {
  issue: ObservedIssue;
  /** Changes with the issue. */
  version: string;
  isPull?: boolean;
}

type Comment = NonNullable<ObservedPull["comments"]>[number];

/** Details of a single pull request: CI of its head, mergeability, and comments. */
export interface PullDetails {
  mergeable: boolean | null;
  ci: NonNullable<ObservedPull["ci"]>;
  review: NonNullable<ObservedPull["review"]>;
  comments: Comment[];
  /** What this login may not read, for the worker's user. */
  unread?: string;
}

type Review = { user?: { login: string } | null | undefined; state: string };

/** Only the latest verdict of each reviewer counts. `changes` is the host's word for one that asks for changes. */
export function verdictOf(reviews: readonly Review[], changes: string): PullDetails["review"] {
  const last = new Map<string, string>();
  for (const { user, state } of reviews) {
    if ([changes, "APPROVED", "DISMISSED"].includes(state)) last.set(user?.login ?? "", state);
  }
  const verdicts = [...last.values()];
  if (verdicts.includes(changes)) return "changes_requested";
  return verdicts.includes("APPROVED") ? "approved" : "none";
}

export interface Forge {
  location: ForgeLocation;
  findOpen(branch: string): Promise<Pull | null>;
  defaultBranch(): Promise<string>;
  open(draft: PullDraft): Promise<Pull>;
  setBody(pull: Pull, body: string): Promise<void>;
  /** Removes the draft mark. */
  markReady(pull: Pull): Promise<void>;
  addLabels(pull: Pull, labels: readonly string[]): Promise<void>;
  askReviewers(pull: Pull, reviewers: readonly string[]): Promise<void>;
  /** Merges the pull request if its head is this commit. */
  merge(number: number, headSha: string): Promise<void>;
  /** Pull requests in any state, latest change first. */
  listRecent(): Promise<ListedPull[]>;
  /** Reads a pull request that the list no longer shows. Returns null if its branch is in a fork. */
  readListed(number: number): Promise<ListedPull | null>;
  inspect(pull: ListedPull): Promise<PullDetails>;
  /** Open and closed issues with the label that are new or have changed, earliest change first. */
  listIssues(label: string, isKnown: (issue: ListedIssue) => boolean): Promise<ListedIssue[]>;
  readIssue(number: number): Promise<{ url: string; isClosed: boolean }>;
  isMarked(number: number, mark: string): Promise<boolean>;
  commentOnIssue(number: number, body: string): Promise<void>;
  closeIssue(number: number): Promise<void>;
}

/** The Git host refused or did not answer. The message is for the worker's user. */
export class ForgeProblem extends Error {
  constructor(
    message: string,
    /** Status of the answer; null without one. */
    readonly status: number | null = null,
  ) {
    super(message);
  }
}

/** There is nowhere to open a pull request. */
export class NoGitHost extends ForgeProblem {}
