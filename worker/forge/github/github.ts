import { z } from "zod";
import type { ForgeDriver } from "../driver";
import { type Forge, type ForgeLocation, ForgeProblem, type Pull } from "../forge";
import { changedIn, issueSchema, issueVerbs } from "../issues";
import type { Requests } from "../requests";
import { pullSchema, readGitHubPulls } from "./github-pulls";

/** GitHub, and GitHub Enterprise on its own host. */
export function openGitHub(location: ForgeLocation, requests: Requests): Forge {
  const repository = `/repos/${location.project}`;
  const [owner = ""] = location.project.split("/");
  const read = async (pull: Pull) => pullSchema.parse(await requests.get(`${repository}/pulls/${pull.number}`));
  return {
    location,
    ...readGitHubPulls(repository, requests),
    // Pull requests are listed as issues too.
    listIssues: changedIn(
      `${repository}/issues?state=all&sort=updated&direction=desc&per_page=100`,
      100,
      issueSchema,
      requests,
    ),
    ...issueVerbs(repository, 100, requests),
    async findOpen(branch) {
      const query = new URLSearchParams({ state: "open", head: `${owner}:${branch}` });
      const found = await requests.get(`${repository}/pulls?${query}`);
      return z.array(pullSchema).parse(found)[0] ?? null;
    },
    async defaultBranch() {
      const found = await requests.get(repository);
      return z.object({ default_branch: z.string() }).parse(found).default_branch;
    },
    async open({ branch, base, title, body, isDraft }) {
      const given = { title, head: branch, base, body };
      const path = `${repository}/pulls`;
      try {
        return pullSchema.parse(await requests.send("POST", path, { ...given, draft: isDraft }));
      } catch (error) {
        // Private repositories on the free plan have no drafts.
        if (!isDraft || !isRefusalOfDrafts(error)) throw error;
        return pullSchema.parse(await requests.send("POST", path, given));
      }
    },
    async setBody({ number }, body) {
      await requests.send("PATCH", `${repository}/pulls/${number}`, { body });
    },
    async markReady(pull) {
      // The REST API cannot do this.
      const { nodeId } = await read(pull);
      if (nodeId === undefined) return;
      const query =
        "mutation($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { clientMutationId } }";
      const address = graphqlOf(location.api);
      await requests.send("POST", address, { query, variables: { id: nodeId } });
    },
    async merge(number, sha) {
      // The owner chooses which of the three methods are allowed; the resulting content is the same.
      for (const merge_method of ["merge", "squash", "rebase"]) {
        try {
          await requests.send("PUT", `${repository}/pulls/${number}/merge`, { sha, merge_method });
          return;
        } catch (error) {
          if (merge_method === "rebase" || !isRefusalOfMethod(error)) throw error;
        }
      }
    },
    async addLabels({ number }, labels) {
      await requests.send("POST", `${repository}/issues/${number}/labels`, { labels });
    },
    async askReviewers({ number }, reviewers) {
      // Teams are written as on GitHub: organization/team.
      const team_reviewers = reviewers.flatMap((name) => name.split("/")[1] ?? []);
      const people = reviewers.filter((name) => !name.includes("/"));
      const path = `${repository}/pulls/${number}/requested_reviewers`;
      await requests.send("POST", path, { reviewers: people, team_reviewers });
    },
  };
}

function isRefusalOfMethod(error: unknown): boolean {
  return error instanceof ForgeProblem && error.status === 405 && /not allowed/i.test(error.message);
}

function isRefusalOfDrafts(error: unknown): boolean {
  return error instanceof ForgeProblem && error.status === 422 && /draft/i.test(error.message);
}

/** GraphQL path: below the API on github.com, next to it on other hosts. */
function graphqlOf(api: string): string {
  return api === "https://api.github.com" ? "/graphql" : "/../graphql";
}

export const github: ForgeDriver = {
  title: "GitHub",
  nameParts: ["github"],
  publicHost: "github.com",
  apiOf: ({ host }, base) => (host === "github.com" ? "https://api.github.com" : `${base}/api/v3`),
  signIn: '"gh auth login"',
  tokenForm: /^(gh[a-z]_|github_pat_)/,
  tokenOfTool: (host, runTool) => runTool("gh", ["auth", "token", "--hostname", host]),
  headers: ({ secret }) => ({
    accept: "application/vnd.github+json",
    authorization: `Bearer ${secret}`,
    "x-github-api-version": "2022-11-28",
  }),
  open: openGitHub,
};
