import { z } from "zod";
import { endOf, openLogs, stateOfAll, unlessForbidden } from "../ci";
import { type Forge, type PullDetails, pullState, verdictOf } from "../forge";
import { allOf, onceEach, type Requests } from "../requests";

export const pullSchema = z
  .object({
    number: z.int(),
    node_id: z.string().optional(),
    html_url: z.url({ protocol: /^https?$/ }),
    state: z.string(),
    title: z.string(),
    body: z.string().nullish(),
    draft: z.boolean().default(false),
    merged_at: z.string().nullish(),
    updated_at: z.string().default(""),
    head: z.object({ ref: z.string(), sha: z.string(), repo: z.object({ full_name: z.string() }).nullish() }),
  })
  .transform(({ number, node_id, html_url, state, title, body, draft, merged_at, updated_at, head }) => ({
    number,
    nodeId: node_id,
    url: html_url,
    title,
    body: body ?? "",
    isDraft: draft,
    version: updated_at,
    branch: head.ref,
    headSha: head.sha,
    repository: head.repo?.full_name,
    state: pullState(state, Boolean(merged_at)),
  }));

const writtenSchema = z.object({
  id: z.int(),
  body: z.string().nullish(),
  user: z.object({ login: z.string(), type: z.string().optional() }).nullish(),
  author_association: z.string().default("NONE"),
  created_at: z.string().nullish(),
  submitted_at: z.string().nullish(),
  updated_at: z.string().nullish(),
});
const reviewSchema = writtenSchema.extend({ state: z.string() });
const commentSchema = writtenSchema.extend({ path: z.string(), line: z.int().nullish() });

/** Associations that may include push access. No one else is asked about. */
const trusted = ["OWNER", "MEMBER", "COLLABORATOR"];

export function readGitHubPulls(
  repository: string,
  requests: Requests,
): Pick<Forge, "listRecent" | "readListed" | "inspect"> {
  const readCi = ciOfGitHub(repository, requests);
  const isOwn = (pull: z.output<typeof pullSchema>) => repository.endsWith(`/${pull.repository}`);
  /** Members of an organization and collaborators may have read access only. A login that may not ask believes the association. */
  const mayPush = async (login: string): Promise<boolean> => {
    const path = `${repository}/collaborators/${encodeURIComponent(login)}/permission`;
    const answer = await unlessForbidden(requests.get(path), null);
    const { data } = z.object({ permission: z.string() }).safeParse(answer);
    return data === undefined || ["admin", "maintain", "write"].includes(data.permission);
  };
  return {
    async listRecent() {
      const path = `${repository}/pulls?state=all&sort=updated&direction=desc&per_page=100`;
      const pulls = z.array(pullSchema).parse(await requests.get(path));
      return pulls.filter(isOwn);
    },
    async readListed(number) {
      const pull = pullSchema.parse(await requests.get(`${repository}/pulls/${number}`));
      return isOwn(pull) ? pull : null;
    },
    async inspect(pull) {
      const one = `${repository}/pulls/${pull.number}`;
      const { mergeable } = z.object({ mergeable: z.boolean().nullish() }).parse(await requests.get(one));
      const reviews = await allOf(reviewSchema, `${one}/reviews?per_page=100`, 100, requests);
      const newest = `${one}/comments?per_page=100&sort=created&direction=desc`;
      const comments = z
        .array(commentSchema)
        .parse(await requests.get(newest))
        .sort(byNumber);
      const mayWrite = onceEach(mayPush);
      const commentOf = async (written: z.output<typeof writtenSchema>) => {
        const { trusted, ...comment } = commentFields(written);
        return { ...comment, trusted: trusted && (await mayWrite(comment.author)) };
      };
      const written: PullDetails["comments"] = [];
      const verdicts = reviews.filter(({ state, body }) => state === "CHANGES_REQUESTED" && body);
      for (const review of verdicts.slice(-25)) {
        written.push({ ...(await commentOf(review)), kind: "changes_requested" });
      }
      for (const { path, line, ...comment } of comments.slice(-25)) {
        const position = { kind: "review_comment" as const, path, line: line ?? null };
        written.push({ ...(await commentOf(comment)), ...position });
      }
      return {
        mergeable: mergeable ?? null,
        ...(await readCi(pull.headSha)),
        review: verdictOf(reviews, "CHANGES_REQUESTED"),
        comments: written,
      };
    },
  };
}

function byNumber(one: { id: number }, other: { id: number }): number {
  return one.id - other.id;
}

function commentFields(written: z.output<typeof writtenSchema>) {
  const { id, body, user, author_association, updated_at } = written;
  const begun = written.created_at ?? written.submitted_at;
  return {
    id: String(id),
    author: user?.login ?? "someone",
    body: (body ?? "").slice(0, 10_000),
    trusted: trusted.includes(author_association) && user?.type !== "Bot",
    edited: Boolean(updated_at && begun && updated_at !== begun),
  };
}

const checkSchema = z.object({
  id: z.int(),
  name: z.string(),
  status: z.string(),
  conclusion: z.string().nullish(),
  output: z.object({ summary: z.string().nullish() }).nullish(),
});
type Check = z.output<typeof checkSchema>;

const runSchema = z.object({
  id: z.int(),
  workflow_id: z.int(),
  event: z.string(),
  status: z.string(),
  conclusion: z.string().nullish(),
});

const statusesSchema = z.object({
  statuses: z.array(z.object({ context: z.string(), state: z.string(), description: z.string().nullish() })),
});

const noChecks =
  "GitHub does not let this login read checks (fine-grained tokens cannot): only runs of Actions and commit statuses count as CI";
const noRuns =
  "GitHub does not let this login read checks or runs of Actions: only commit statuses count as CI. Give the token the permission Actions: read";

/** Reads CI of a commit: check runs, or what a login that may not read them can see instead, and commit statuses. */
function ciOfGitHub(repository: string, requests: Requests) {
  const logOf = openLogs(requests);

  const readRuns = async (headSha: string): Promise<Check[] | null> => {
    const path = `${repository}/actions/runs?head_sha=${headSha}&per_page=100`;
    const answer = await unlessForbidden(requests.get(path), null);
    if (answer === null) return null;
    const { workflow_runs } = z.object({ workflow_runs: z.array(runSchema) }).parse(answer);
    // The newest first; an earlier run of the same workflow does not count any more.
    const newest = new Map<string, z.output<typeof runSchema>>();
    for (const run of workflow_runs) {
      const key = `${run.workflow_id} ${run.event}`;
      if (!newest.has(key)) newest.set(key, run);
    }
    const jobs: Check[] = [];
    for (const { id } of newest.values()) {
      const found = await requests.get(`${repository}/actions/runs/${id}/jobs?per_page=100`);
      jobs.push(...z.object({ jobs: z.array(checkSchema) }).parse(found).jobs);
    }
    const pending = [...newest.values()].filter(({ status }) => status !== "completed");
    return [...jobs, ...pending.map((run) => ({ ...run, name: "run" }))];
  };

  const readChecks = async (headSha: string): Promise<{ checks: Check[]; unread?: string }> => {
    const answering = requests.get(`${repository}/commits/${headSha}/check-runs?per_page=100`);
    const answer = await unlessForbidden(answering, null);
    if (answer !== null) {
      const { check_runs } = z.object({ check_runs: z.array(checkSchema) }).parse(answer);
      return { checks: check_runs };
    }
    const runs = await readRuns(headSha);
    return runs === null ? { checks: [], unread: noRuns } : { checks: runs, unread: noChecks };
  };

  return async (headSha: string): Promise<Pick<PullDetails, "ci" | "unread">> => {
    const { checks, unread } = await readChecks(headSha);
    const path = `${repository}/commits/${headSha}/status?per_page=100`;
    const answer = await unlessForbidden(requests.get(path), { statuses: [] });
    const { statuses } = statusesSchema.parse(answer);
    const failed: { name: string; log: string }[] = [];
    for (const check of checks.filter((one) => stateOfCheck(one) === "failed").slice(0, 3)) {
      // Actions stores the log under the check's id; others put it into their output.
      const path = `${repository}/actions/jobs/${check.id}/logs`;
      const log = await logOf(path, check.output?.summary ?? "");
      failed.push({ name: check.name.slice(0, 200), log });
    }
    for (const { context, state, description } of statuses) {
      if (stateOfStatus(state) !== "failed") continue;
      failed.push({ name: context.slice(0, 200), log: endOf(description ?? "") });
    }
    const states = [...checks.map(stateOfCheck), ...statuses.map(({ state }) => stateOfStatus(state))];
    const ci = { state: stateOfAll(states), failed: failed.slice(0, 5) };
    return unread === undefined ? { ci } : { ci, unread };
  };
}

function stateOfCheck({ status, conclusion }: Check) {
  if (status !== "completed") return "pending";
  return ["success", "neutral", "skipped"].includes(conclusion ?? "") ? "passed" : "failed";
}

function stateOfStatus(state: string) {
  if (state === "success") return "passed";
  return state === "pending" ? "pending" : "failed";
}
