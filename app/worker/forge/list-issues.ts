import { z } from "zod";
import { lengths } from "~/contract/limits";
import { beginning } from "~/contract/text";
import { issueLimits } from "~/nouns/issues/contract";
import type { Forge, ListedIssue } from "./forge";
import type { Requests } from "./requests";

type List = Forge["listIssues"];
type Page = (number: number) => Promise<ListedIssue[]>;

const httpUrl = z.url({ protocol: /^https?$/ });
/** Limit; beyond it only the latest issues are read. */
const mostPages = 20;

const issueSchema = z
  .object({
    number: z.int(),
    html_url: httpUrl,
    state: z.string(),
    title: z.string(),
    body: z.string().nullish(),
    user: z.object({ login: z.string() }).nullish(),
    updated_at: z.string().default(""),
    pull_request: z.unknown().optional(),
  })
  .transform(({ number, html_url, state, title, body, user, updated_at, pull_request }) => ({
    isPull: Boolean(pull_request),
    version: updated_at,
    issue: seenOf(number, html_url, state === "closed", title, body, user?.login),
  }));

const gitLabIssueSchema = z
  .object({
    iid: z.int(),
    web_url: httpUrl,
    state: z.string(),
    title: z.string(),
    description: z.string().nullish(),
    author: z.object({ username: z.string() }).nullish(),
    updated_at: z.string().default(""),
  })
  .transform(({ iid, web_url, state, title, description, author, updated_at }) => ({
    version: updated_at,
    issue: seenOf(iid, web_url, state === "closed", title, description, author?.username),
  }));

/** GitHub lists pull requests as issues too. */
export function issuesOfGitHub(repository: string, requests: Requests): List {
  return (label, isKnown) => {
    const query = new URLSearchParams({ labels: label, state: "all", sort: "updated" });
    const read: Page = async (page) => {
      const path = `${repository}/issues?${query}&direction=desc&per_page=100&page=${page}`;
      return z.array(issueSchema).parse(await requests.get(path));
    };
    return changed(read, 100, isKnown);
  };
}

export function issuesOfGitLab(project: string, requests: Requests): List {
  return (label, isKnown) => {
    const query = new URLSearchParams({ labels: label, state: "all", order_by: "updated_at" });
    const read: Page = async (page) => {
      const path = `${project}/issues?${query}&sort=desc&per_page=100&page=${page}`;
      return z.array(gitLabIssueSchema).parse(await requests.get(path));
    };
    return changed(read, 100, isKnown);
  };
}

/** Gitea and older Forgejo versions ignore the order and list the newest first, so all pages are read. */
export function issuesOfForgejo(repository: string, requests: Requests): List {
  return (label, isKnown) => {
    const query = new URLSearchParams({ labels: label, state: "all", type: "issues" });
    const read: Page = async (page) => {
      const path = `${repository}/issues?${query}&limit=50&page=${page}`;
      return z.array(issueSchema).parse(await requests.get(path));
    };
    return changed(read, 50, isKnown, false);
  };
}

/** New or changed issues, earliest change first. */
async function changed(
  read: Page,
  size: number,
  isKnown: (issue: ListedIssue) => boolean,
  isSorted = true,
): Promise<ListedIssue[]> {
  const found: ListedIssue[] = [];
  for (let page = 1; page <= mostPages; page += 1) {
    const listed = await read(page);
    const unknown = listed.filter((issue) => !isKnown(issue));
    found.push(...unknown.filter(({ isPull }) => !isPull));
    // Sorted by change: after a known issue, all others are unchanged.
    if (listed.length < size || (isSorted && unknown.length < listed.length)) break;
  }
  return found.reverse();
}

function seenOf(
  number: number,
  url: string,
  isClosed: boolean,
  title: string,
  body: string | null | undefined,
  author: string | undefined,
): ListedIssue["issue"] {
  const heading = storable(title, lengths.title).trim();
  return {
    ...{ number, url, state: isClosed ? "closed" : "open" },
    author: storable(author ?? "somebody", 200),
    title: heading || `Issue #${number}`,
    body: storable(body ?? "", issueLimits.body),
  };
}

/** Removes unstorable characters, so that one issue cannot block the others. */
function storable(value: string, most: number): string {
  return beginning(value.replace(/\0|\p{Surrogate}/gu, ""), most);
}
