import { z } from "zod";
import type { ForgeDriver } from "../driver";
import type { Forge, ForgeLocation } from "../forge";
import { changedIn, httpUrl, type IssueVerbs, isIn, seenOf } from "../issues";
import type { Requests } from "../requests";
import { draftMark, pullSchema, readGitLabPulls } from "./gitlab-pulls";

/** GitLab: pull requests are called merge requests, and drafts are marked in the title. */
export function openGitLab(location: ForgeLocation, requests: Requests): Forge {
  const project = `/projects/${encodeURIComponent(location.project)}`;
  const change = (number: number, fields: object) =>
    requests.send("PUT", `${project}/merge_requests/${number}`, fields);
  return {
    location,
    ...readGitLabPulls(project, requests),
    listIssues: changedIn(
      `${project}/issues?state=all&order_by=updated_at&sort=desc&per_page=100`,
      100,
      issueSchema,
      requests,
    ),
    ...issueVerbsOfGitLab(project, requests),
    async findOpen(branch) {
      const query = new URLSearchParams({ state: "opened", source_branch: branch });
      const found = await requests.get(`${project}/merge_requests?${query}`);
      const pulls = z.array(pullSchema).parse(found);
      // A fork may have a branch of that name.
      return pulls.find(({ isOfFork }) => !isOfFork) ?? null;
    },
    async defaultBranch() {
      const found = await requests.get(project);
      return z.object({ default_branch: z.string() }).parse(found).default_branch;
    },
    async open({ branch, base, title, body, isDraft }) {
      const given = {
        source_branch: branch,
        target_branch: base,
        title: isDraft ? `${draftMark}${title}` : title,
        description: body,
      };
      return pullSchema.parse(await requests.send("POST", `${project}/merge_requests`, given));
    },
    async setBody({ number }, description) {
      await change(number, { description });
    },
    async markReady({ number, title }) {
      await change(number, { title: title.replace(/^draft:\s*/i, "") });
    },
    async merge(number, sha) {
      await requests.send("PUT", `${project}/merge_requests/${number}/merge`, { sha });
    },
    async addLabels({ number }, labels) {
      await change(number, { add_labels: labels.join(",") });
    },
    async askReviewers({ number }, reviewers) {
      const ids: number[] = [];
      for (const username of reviewers) {
        const found = await requests.get(`/users?${new URLSearchParams({ username })}`);
        const people = z.array(z.object({ id: z.int() })).parse(found);
        ids.push(...people.map(({ id }) => id));
      }
      await change(number, { reviewer_ids: ids });
    },
  };
}

export const gitlab: ForgeDriver = {
  title: "GitLab",
  nameParts: ["gitlab"],
  publicHost: "gitlab.com",
  apiOf: (_root, base) => `${base}/api/v4`,
  signIn: '"glab auth login"',
  tokenForm: /^glpat-/,
  tokenOfTool: (host, runTool) => runTool("glab", ["config", "get", "token", "--host", host]),
  headers: ({ secret }) => ({ accept: "application/json", authorization: `Bearer ${secret}` }),
  open: openGitLab,
};

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

function issueVerbsOfGitLab(project: string, requests: Requests): IssueVerbs {
  const issuePath = (number: number) => `${project}/issues/${number}`;
  return {
    readIssue: async (number) => stateSchema.parse(await requests.get(issuePath(number))),
    isMarked: (number, mark) => isIn(mark, `${issuePath(number)}/notes?per_page=100`, 100, requests),
    async commentOnIssue(number, body) {
      await requests.send("POST", `${issuePath(number)}/notes`, { body });
    },
    async closeIssue(number) {
      await requests.send("PUT", issuePath(number), { state_event: "close" });
    },
  };
}
