import { z } from "zod";
import type { Forge } from "./forge";
import type { Requests } from "./requests";

type IssueVerbs = Pick<Forge, "readIssue" | "isMarked" | "commentOnIssue" | "closeIssue">;

/** Of more comments than these nobody looks for a mark. */
const mostPages = 40;

const issueSchema = z
  .object({ html_url: z.string(), state: z.string() })
  .transform(({ html_url, state }) => ({ url: html_url, isClosed: state === "closed" }));
const gitLabIssueSchema = z
  .object({ web_url: z.string(), state: z.string() })
  .transform(({ web_url, state }) => ({ url: web_url, isClosed: state === "closed" }));
const commentsSchema = z.array(z.object({ body: z.string().nullish() }));

/** GitHub, and Forgejo, whose words are the same here. */
export function issueVerbs(repository: string, size: number, requests: Requests): IssueVerbs {
  const place = (number: number) => `${repository}/issues/${number}`;
  return {
    readIssue: async (number) => issueSchema.parse(await requests.get(place(number))),
    isMarked: (number, mark) =>
      isIn(mark, `${place(number)}/comments?limit=${size}&per_page=${size}`, size, requests),
    async commentOnIssue(number, body) {
      await requests.send("POST", `${place(number)}/comments`, { body });
    },
    async closeIssue(number) {
      await requests.send("PATCH", place(number), { state: "closed" });
    },
  };
}

export function issueVerbsOfGitLab(project: string, requests: Requests): IssueVerbs {
  const place = (number: number) => `${project}/issues/${number}`;
  return {
    readIssue: async (number) => gitLabIssueSchema.parse(await requests.get(place(number))),
    isMarked: (number, mark) => isIn(mark, `${place(number)}/notes?per_page=100`, 100, requests),
    async commentOnIssue(number, body) {
      await requests.send("POST", `${place(number)}/notes`, { body });
    },
    async closeIssue(number) {
      await requests.send("PUT", place(number), { state_event: "close" });
    },
  };
}

async function isIn(mark: string, list: string, size: number, requests: Requests) {
  let first: string | undefined;
  for (let page = 1; page <= mostPages; page += 1) {
    const comments = commentsSchema.parse(await requests.get(`${list}&page=${page}`));
    if (comments.some(({ body }) => body?.includes(mark))) return true;
    // Older versions of Forgejo send all of them, whatever page is asked for.
    const sent = JSON.stringify(comments);
    if (comments.length < size || sent === first) return false;
    first ??= sent;
  }
  return false;
}
