import type { ObservedIssue } from "~/contract/issue";
import type { ObservedPull } from "~/contract/pull";

/** The code hosts that a worker speaks to. Gitea answers as Forgejo does. */
export const forgeKinds = ["github", "gitlab", "forgejo"] as const;
export type ForgeKind = (typeof forgeKinds)[number];

export const forgeTitles: Record<ForgeKind, string> = {
  github: "GitHub",
  gitlab: "GitLab",
  forgejo: "Forgejo",
};

/** Where the pull requests of a repository are. */
export interface ForgePlace {
  kind: ForgeKind;
  /** Beginning of every address of the API, without a slash at its end. */
  api: string;
  /** `host` or `host:port`, as logins are kept under it. */
  host: string;
  /** Address of the repository without credentials, for which git may know a login. */
  address: string;
  /** Path of the repository on its host: owner and name, with GitLab perhaps groups before. */
  project: string;
}

/** An open pull request, or a merge request. */
export interface Pull {
  number: number;
  url: string;
  title: string;
  body: string;
  isDraft: boolean;
  headSha: string;
}

export interface PullDraft {
  branch: string;
  base: string;
  title: string;
  body: string;
  isDraft: boolean;
}

/** A pull request as a list shows it. */
export interface ListedPull {
  number: number;
  url: string;
  branch: string;
  headSha: string;
  state: "open" | "closed" | "merged";
  isDraft: boolean;
  /** Changes with the pull request, and not with its CI. */
  version: string;
}

/** An issue as a list shows it. */
export interface ListedIssue {
  issue: ObservedIssue;
  /** Changes with the issue. */
  version: string;
  isPull?: boolean;
}

type Comment = NonNullable<ObservedPull["comments"]>[number];

/** What is only known by looking at one pull request: CI at its head, whether it merges, what people wrote. */
export interface PullDetails {
  mergeable: boolean | null;
  ci: NonNullable<ObservedPull["ci"]>;
  review: NonNullable<ObservedPull["review"]>;
  comments: Comment[];
}

/** The few things that Backloom asks of a code host. */
export interface Forge {
  place: ForgePlace;
  /** The open pull request of a branch of this repository. */
  findOpen(branch: string): Promise<Pull | null>;
  defaultBranch(): Promise<string>;
  open(draft: PullDraft): Promise<Pull>;
  setBody(pull: Pull, body: string): Promise<void>;
  /** Takes the mark of a draft away. */
  markReady(pull: Pull): Promise<void>;
  addLabels(pull: Pull, labels: readonly string[]): Promise<void>;
  askReviewers(pull: Pull, reviewers: readonly string[]): Promise<void>;
  /** Merges the pull request where its head is this very commit. */
  merge(number: number, headSha: string): Promise<void>;
  /** Pull requests in any state, the one that changed last first. */
  listRecent(): Promise<ListedPull[]>;
  inspect(pull: ListedPull): Promise<PullDetails>;
  /** Issues with the label, open and closed, that are not known as they are; the one that changed first before the others. */
  listIssues(label: string, isKnown: (issue: ListedIssue) => boolean): Promise<ListedIssue[]>;
  readIssue(number: number): Promise<{ url: string; isClosed: boolean }>;
  /** Whether a comment on the issue holds the mark. */
  isMarked(number: number, mark: string): Promise<boolean>;
  commentOnIssue(number: number, body: string): Promise<void>;
  closeIssue(number: number): Promise<void>;
}

/** The code host refused, or did not answer. The sentence is for the person at this machine. */
export class ForgeProblem extends Error {
  constructor(
    message: string,
    /** Status of the answer; null when there was none. */
    readonly status: number | null = null,
  ) {
    super(message);
  }
}
