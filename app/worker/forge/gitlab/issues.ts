import { z } from "zod";
import { changed, httpUrl, type IssueVerbs, isIn, type List, type Page, seenOf } from "../issues";
import type { Requests } from "../requests";

const issueSchema = z
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
const stateSchema = z
  .object({ web_url: z.string(), state: z.string() })
  .transform(({ web_url, state }) => ({ url: web_url, isClosed: state === "closed" }));

export function issuesOfGitLab(project: string, requests: Requests): List {
  return (label, isKnown) => {
    const query = new URLSearchParams({ labels: label, state: "all", order_by: "updated_at" });
    const read: Page = async (page) => {
      const path = `${project}/issues?${query}&sort=desc&per_page=100&page=${page}`;
      return z.array(issueSchema).parse(await requests.get(path));
    };
    return changed(read, 100, isKnown);
  };
}

export function issueVerbsOfGitLab(project: string, requests: Requests): IssueVerbs {
  const place = (number: number) => `${project}/issues/${number}`;
  return {
    readIssue: async (number) => stateSchema.parse(await requests.get(place(number))),
    isMarked: (number, mark) => isIn(mark, `${place(number)}/notes?per_page=100`, 100, requests),
    async commentOnIssue(number, body) {
      await requests.send("POST", `${place(number)}/notes`, { body });
    },
    async closeIssue(number) {
      await requests.send("PUT", place(number), { state_event: "close" });
    },
  };
}
