import { z } from "zod";
import { issueLimits } from "~/wire/intake/contract";
import { lengths } from "~/wire/limits";
import { beginning } from "~/wire/text";
import type { Forge, ListedIssue } from "./forge";
import type { Requests } from "./requests";

export const httpUrl = z.url({ protocol: /^https?$/ });
/** Limit; beyond it only the latest issues are read. */
const mostPages = 20;
/** Of more comments than these no one looks for a mark. */
const mostPagesOfComments = 40;

/** An issue of GitHub, and of Forgejo, whose words are the same here. */
export const issueSchema = z
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

/** New or changed issues of a list, earliest change first. */
export function changedIn(
  list: string,
  size: number,
  schema: z.ZodType<ListedIssue>,
  requests: Requests,
  isSorted = true,
): Forge["listIssues"] {
  return async (label, isKnown) => {
    const found: ListedIssue[] = [];
    for (let page = 1; page <= mostPages; page += 1) {
      const path = `${list}&${new URLSearchParams({ labels: label, page: String(page) })}`;
      const listed = z.array(schema).parse(await requests.get(path));
      const unknown = listed.filter((issue) => !isKnown(issue));
      found.push(...unknown.filter(({ isPull }) => !isPull));
      // Sorted by change: after a known issue, all others are unchanged.
      if (listed.length < size || (isSorted && unknown.length < listed.length)) break;
    }
    return found.reverse();
  };
}

export function seenOf(
  number: number,
  url: string,
  isClosed: boolean,
  title: string,
  body: string | null | undefined,
  author: string | undefined,
): ListedIssue["issue"] {
  const heading = storable(title, lengths.title).trim();
  return {
    number,
    url,
    state: isClosed ? "closed" : "open",
    author: storable(author ?? "someone", 200),
    title: heading || `Issue #${number}`,
    body: storable(body ?? "", issueLimits.body),
  };
}

/** Removes unstorable characters, so that one issue cannot block the others. */
function storable(value: string, most: number): string {
  return beginning(value.replace(/\0|\p{Surrogate}/gu, ""), most);
}

export type IssueVerbs = Pick<Forge, "readIssue" | "isMarked" | "commentOnIssue" | "closeIssue">;

const stateSchema = z
  .object({ html_url: z.string(), state: z.string() })
  .transform(({ html_url, state }) => ({ url: html_url, isClosed: state === "closed" }));
const commentsSchema = z.array(z.object({ body: z.string().nullish() }));

/** GitHub, and Forgejo, whose words are the same here. */
export function issueVerbs(repository: string, size: number, requests: Requests): IssueVerbs {
  const issuePath = (number: number) => `${repository}/issues/${number}`;
  return {
    readIssue: async (number) => stateSchema.parse(await requests.get(issuePath(number))),
    isMarked: (number, mark) =>
      isIn(mark, `${issuePath(number)}/comments?limit=${size}&per_page=${size}`, size, requests),
    async commentOnIssue(number, body) {
      await requests.send("POST", `${issuePath(number)}/comments`, { body });
    },
    async closeIssue(number) {
      await requests.send("PATCH", issuePath(number), { state: "closed" });
    },
  };
}

export async function isIn(mark: string, list: string, size: number, requests: Requests) {
  let first: string | undefined;
  for (let page = 1; page <= mostPagesOfComments; page += 1) {
    const comments = commentsSchema.parse(await requests.get(`${list}&page=${page}`));
    if (comments.some(({ body }) => body?.includes(mark))) return true;
    // Older versions of Forgejo send all of them, no matter what page is asked for.
    const sent = JSON.stringify(comments);
    if (comments.length < size || sent === first) return false;
    first ??= sent;
  }
  return false;
}
