import { z } from "zod";
import { endOf, stateOfAll, unlessForbidden } from "../ci";
import { type Forge, type PullDetails, pullState, verdictOf } from "../forge";
import { allOf, onceEach, type Requests } from "../requests";

export const draftMark = "WIP: ";

export const pullSchema = z
  .object({
    number: z.int(),
    html_url: z.url({ protocol: /^https?$/ }),
    state: z.string(),
    title: z.string(),
    body: z.string().nullish(),
    draft: z.boolean().optional(),
    merged: z.boolean().default(false),
    mergeable: z.boolean().nullish(),
    updated_at: z.string().default(""),
    head: z.object({ ref: z.string(), sha: z.string(), repo_id: z.int().optional() }),
    base: z.object({ repo_id: z.int().optional() }),
  })
  .transform(({ number, html_url, state, title, body, draft, merged, mergeable, updated_at, head, base }) => ({
    number,
    url: html_url,
    title,
    body: body ?? "",
    isDraft: draft ?? title.startsWith(draftMark),
    version: updated_at,
    mergeable: mergeable ?? null,
    branch: head.ref,
    headSha: head.sha,
    isOfFork: head.repo_id !== base.repo_id,
    state: pullState(state, merged),
  }));

const statusSchema = z.object({
  statuses: z.array(z.object({ context: z.string(), status: z.string(), description: z.string().nullish() })).nullish(),
});

const writtenSchema = z.object({
  id: z.int(),
  body: z.string().nullish(),
  user: z.object({ login: z.string() }).nullish(),
  created_at: z.string().nullish(),
  updated_at: z.string().nullish(),
});
const reviewSchema = writtenSchema
  .omit({ created_at: true, updated_at: true })
  .extend({ state: z.string(), dismissed: z.boolean().default(false), comments_count: z.int().default(0) });
const commentSchema = writtenSchema.extend({ path: z.string(), position: z.int().nullish() });

export function readForgejoPulls(
  repository: string,
  requests: Requests,
): Pick<Forge, "listRecent" | "readListed" | "inspect"> {
  const mayPush = async (login: string): Promise<boolean> => {
    const path = `${repository}/collaborators/${encodeURIComponent(login)}/permission`;
    const answer = await unlessForbidden(requests.get(path), null);
    const { data } = z.object({ permission: z.string() }).safeParse(answer);
    return ["owner", "admin", "write"].includes(data?.permission ?? "");
  };
  const commentOf = async (written: z.input<typeof writtenSchema>, mayWrite: typeof mayPush) => {
    const { id, body, user, created_at, updated_at } = written;
    return {
      id: String(id),
      author: user?.login ?? "someone",
      body: (body ?? "").slice(0, 10_000),
      trusted: user ? await mayWrite(user.login) : false,
      // A review has no such time: it was begun, then submitted, and `updated_at` is of the latter.
      edited: Boolean(updated_at && created_at && updated_at !== created_at),
    };
  };
  return {
    async listRecent() {
      const path = `${repository}/pulls?state=all&sort=recentupdate&limit=50`;
      const pulls = z.array(pullSchema).parse(await requests.get(path));
      return pulls.filter(({ isOfFork }) => !isOfFork);
    },
    async readListed(number) {
      const pull = pullSchema.parse(await requests.get(`${repository}/pulls/${number}`));
      return pull.isOfFork ? null : pull;
    },
    async inspect({ number, headSha }) {
      const one = `${repository}/pulls/${number}`;
      const { mergeable } = pullSchema.parse(await requests.get(one));
      const found = await allOf(reviewSchema, `${one}/reviews?limit=50`, 50, requests);
      const mayWrite = onceEach(mayPush);
      // A review that is not submitted is shown to its author, whose login this may be, and says nothing yet.
      const reviews = found.filter(({ dismissed, state }) => !dismissed && state !== "PENDING");
      const comments: PullDetails["comments"] = [];
      for (const review of reviews) {
        if (review.state === "REQUEST_CHANGES" && review.body) {
          comments.push({ ...(await commentOf(review, mayWrite)), kind: "changes_requested" });
        }
        if (review.comments_count === 0) continue;
        const written = await requests.get(`${one}/reviews/${review.id}/comments`);
        for (const { path, position, ...comment } of z.array(commentSchema).parse(written)) {
          const line = position && position > 0 ? position : null;
          const where = { kind: "review_comment" as const, path, line };
          comments.push({ ...(await commentOf(comment, mayWrite)), id: `comment-${comment.id}`, ...where });
        }
      }
      return {
        mergeable,
        ci: await readCi(repository, headSha, requests),
        review: verdictOf(reviews, "REQUEST_CHANGES"),
        comments: comments.slice(-50),
      };
    },
  };
}

/** Forgejo has commit statuses only, so their descriptions serve as logs. */
async function readCi(repository: string, headSha: string, requests: Requests): Promise<PullDetails["ci"]> {
  const answer = requests.get(`${repository}/commits/${headSha}/status?limit=50`);
  const statuses = statusSchema.parse(await unlessForbidden(answer, {})).statuses ?? [];
  const failed = statuses
    .filter(({ status }) => stateOf(status) === "failed")
    .map(({ context, description }) => ({ name: context.slice(0, 200), log: endOf(description ?? "") }));
  const state = stateOfAll(statuses.map(({ status }) => stateOf(status)));
  return { state, failed: failed.slice(0, 5) };
}

function stateOf(status: string) {
  if (status === "success" || status === "warning" || status === "skipped") return "passed";
  return status === "pending" ? "pending" : "failed";
}
