import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { ForgeDriver } from "../driver";
import { type Forge, type ForgeLocation, ForgeProblem } from "../forge";
import { changedIn, issueSchema, issueVerbs } from "../issues";
import type { Requests } from "../requests";
import { draftMark, pullSchema, readForgejoPulls } from "./forgejo-pulls";

const pageSize = 50;
const mostPages = 40;

/** Forgejo and Gitea: drafts are marked in the title, and labels are set by id. */
export function openForgejo(location: ForgeLocation, requests: Requests): Forge {
  const repository = `/repos/${location.project}`;
  return {
    location,
    ...readForgejoPulls(repository, requests),
    // Gitea and older Forgejo versions ignore the order and list the newest first, so all pages are read.
    listIssues: changedIn(`${repository}/issues?state=all&type=issues&limit=50`, 50, issueSchema, requests, false),
    ...issueVerbs(repository, 50, requests),
    async findOpen(branch) {
      // Older versions cannot filter by branch.
      for (let page = 1; page <= mostPages; page += 1) {
        const path = `${repository}/pulls?state=open&sort=recentupdate&limit=${pageSize}&page=${page}`;
        const pulls = z.array(pullSchema).parse(await requests.get(path));
        const found = pulls.find((pull) => pull.branch === branch && !pull.isOfFork);
        if (found !== undefined || pulls.length === 0) return found ?? null;
      }
      return null;
    },
    async defaultBranch() {
      const found = await requests.get(repository);
      return z.object({ default_branch: z.string() }).parse(found).default_branch;
    },
    async open({ branch, base, title, body, isDraft }) {
      const given = { head: branch, base, title: isDraft ? `${draftMark}${title}` : title, body };
      return pullSchema.parse(await requests.send("POST", `${repository}/pulls`, given));
    },
    async setBody({ number }, body) {
      await requests.send("PATCH", `${repository}/pulls/${number}`, { body });
    },
    async markReady({ number, title }) {
      const plain = title.replace(/^(WIP:|\[WIP\])\s*/i, "");
      await requests.send("PATCH", `${repository}/pulls/${number}`, { title: plain });
    },
    async merge(number, head_commit_id) {
      for (const Do of ["merge", "squash", "rebase"]) {
        try {
          await requests.send("POST", `${repository}/pulls/${number}/merge`, { Do, head_commit_id });
          return;
        } catch (error) {
          if (Do === "rebase" || !(error instanceof ForgeProblem) || error.status !== 405) throw error;
        }
      }
    },
    async addLabels({ number }, names) {
      const found = await requests.get(`${repository}/labels?limit=${pageSize}`);
      const known = z.array(z.object({ id: z.int(), name: z.string() })).parse(found);
      const labels = known.filter(({ name }) => names.includes(name)).map(({ id }) => id);
      await requests.send("POST", `${repository}/issues/${number}/labels`, { labels });
    },
    async askReviewers({ number }, reviewers) {
      const path = `${repository}/pulls/${number}/requested_reviewers`;
      await requests.send("POST", path, { reviewers });
    },
  };
}

const teaSchema = z.object({ logins: z.array(z.object({ url: z.string(), token: z.string().min(1) })) });

/** `tea` does not print tokens, so its file is read. */
async function tokenOfTea(host: string): Promise<string | undefined> {
  const home = process.env.XDG_CONFIG_HOME ?? join(homedir(), ".config");
  const text = await readFile(join(home, "tea", "config.yml"), "utf8").catch(() => null);
  if (text === null) return undefined;
  const { parse } = await import("yaml");
  const { data } = teaSchema.safeParse(parse(text));
  return data?.logins.find(({ url }) => URL.canParse(url) && new URL(url).host === host)?.token;
}

export const forgejo: ForgeDriver = {
  title: "Forgejo",
  nameParts: ["forgejo", "gitea"],
  publicHost: "codeberg.org",
  apiOf: (_root, base) => `${base}/api/v1`,
  signIn: '"tea login add"',
  tokenForm: null,
  tokenOfTool: tokenOfTea,
  headers: ({ secret, user }) => ({
    accept: "application/json",
    // Git may have a password; the other hosts accept tokens only.
    authorization: user === null ? `token ${secret}` : `Basic ${Buffer.from(`${user}:${secret}`).toString("base64")}`,
  }),
  open: openForgejo,
};
