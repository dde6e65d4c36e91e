import { z } from "zod";
import { openLogs, unlessForbidden } from "../ci";
import { type Forge, type PullDetails, pullState } from "../forge";
import { onceEach, type Requests } from "../requests";

export const draftMark = "Draft: ";

export const pullSchema = z
  .object({
    iid: z.int(),
    web_url: z.url({ protocol: /^https?$/ }),
    state: z.string(),
    title: z.string(),
    description: z.string().nullish(),
    draft: z.boolean().optional(),
    updated_at: z.string().default(""),
    source_branch: z.string(),
    source_project_id: z.int().optional(),
    target_project_id: z.int().optional(),
    sha: z.string().nullish(),
  })
  .transform(({ iid, web_url, state, title, description, draft, updated_at, source_branch, sha, ...projects }) => ({
    number: iid,
    url: web_url,
    title,
    body: description ?? "",
    isDraft: draft ?? title.startsWith(draftMark),
    version: updated_at,
    branch: source_branch,
    headSha: sha ?? "",
    isOfFork: projects.source_project_id !== projects.target_project_id,
    state: pullState(state, state === "merged"),
  }));

const detailSchema = z.object({
  has_conflicts: z.boolean().nullish(),
  merge_status: z.string().nullish(),
  head_pipeline: z.object({ id: z.int(), sha: z.string().optional(), status: z.string() }).nullish(),
});

const noteSchema = z.object({
  id: z.int(),
  body: z.string(),
  system: z.boolean().default(false),
  resolvable: z.boolean().default(false),
  resolved: z.boolean().optional(),
  author: z.object({ id: z.int(), username: z.string() }),
  created_at: z.string(),
  updated_at: z.string(),
  position: z.object({ new_path: z.string().nullish(), new_line: z.int().nullish() }).nullish(),
});

const developer = 30;
/** GitLab's answer about someone outside has no ETag, so it is remembered here. */
const outsideMilliseconds = 10 * 60_000;
const mostOutside = 1_000;

function isOwn({ isOfFork, headSha }: z.output<typeof pullSchema>): boolean {
  return !isOfFork && headSha !== "";
}

export function readGitLabPulls(
  project: string,
  requests: Requests,
): Pick<Forge, "listRecent" | "readListed" | "inspect"> {
  const logOf = openLogs(requests);
  const outside = new Map<string, number>();
  const mayPush = async (author: string): Promise<boolean> => {
    if ((outside.get(author) ?? 0) > Date.now()) return false;
    const answer = requests.get(`${project}/members/all/${author}`);
    const member = await unlessForbidden(answer, null);
    if (outside.size >= mostOutside) outside.clear();
    if (member === null) outside.set(author, Date.now() + outsideMilliseconds);
    const level = z.object({ access_level: z.int() }).safeParse(member).data?.access_level ?? 0;
    return level >= developer;
  };
  return {
    async listRecent() {
      const path = `${project}/merge_requests?state=all&order_by=updated_at&sort=desc&per_page=100`;
      const pulls = z.array(pullSchema).parse(await requests.get(path));
      return pulls.filter(isOwn);
    },
    async readListed(number) {
      const pull = pullSchema.parse(await requests.get(`${project}/merge_requests/${number}`));
      return isOwn(pull) ? pull : null;
    },
    async inspect({ number, headSha }) {
      const one = `${project}/merge_requests/${number}`;
      const detail = detailSchema.parse(await requests.get(one));
      const notes = z
        .array(noteSchema)
        .parse(await requests.get(`${one}/notes?sort=desc&per_page=100`))
        .sort((note, other) => note.id - other.id);
      const reviewers = await readReviewers(one, requests);
      const mayWrite = onceEach(mayPush);
      const comments: PullDetails["comments"] = [];
      for (const { note, kind } of notesOfReviews(notes, reviewers)) {
        comments.push({
          id: String(note.id),
          kind,
          author: note.author.username,
          body: note.body.slice(0, 10_000),
          path: note.position?.new_path ?? null,
          line: note.position?.new_line ?? null,
          trusted: await mayWrite(String(note.author.id)),
          edited: note.updated_at !== note.created_at,
        });
      }
      return {
        mergeable: isBeingChecked(detail.merge_status) ? null : !detail.has_conflicts,
        ci: await readCi({ project, headSha, requests, logOf }, detail),
        review: verdictOf(reviewers),
        comments: comments.slice(-50),
      };
    },
  };
}

/** True while GitLab's answer about conflicts is out of date. */
function isBeingChecked(status: string | null | undefined): boolean {
  return ["unchecked", "checking", "cannot_be_merged_recheck"].includes(status ?? "");
}

const reviewerSchema = z.object({ user: z.object({ id: z.int() }), state: z.string() });
type Reviewer = z.output<typeof reviewerSchema>;
type Note = z.output<typeof noteSchema>;

async function readReviewers(one: string, requests: Requests): Promise<Reviewer[]> {
  const answer = await unlessForbidden(requests.get(`${one}/reviewers`), []);
  return z.array(reviewerSchema).parse(answer);
}

function verdictOf(reviewers: readonly Reviewer[]): PullDetails["review"] {
  const states = reviewers.map(({ state }) => state);
  if (states.includes("requested_changes")) return "changes_requested";
  return states.includes("approved") ? "approved" : "none";
}

/** Open threads, and the summaries of those who request changes: GitLab keeps one as the reviewer's newest plain note. */
function* notesOfReviews(notes: readonly Note[], reviewers: readonly Reviewer[]) {
  const written = notes.filter(({ system }) => !system);
  for (const { user, state } of reviewers) {
    if (state !== "requested_changes") continue;
    const note = written.findLast((one) => one.author.id === user.id && !one.resolvable);
    if (note !== undefined) yield { note, kind: "changes_requested" as const };
  }
  for (const note of written) {
    if (note.resolvable && !note.resolved) yield { note, kind: "review_comment" as const };
  }
}

type CiJobs = { project: string; headSha: string; requests: Requests; logOf: ReturnType<typeof openLogs> };

/** Pipeline of this commit. A skipped or manual one counts as none. */
async function readCi(
  { project, headSha, requests, logOf }: CiJobs,
  { head_pipeline }: z.output<typeof detailSchema>,
): Promise<PullDetails["ci"]> {
  if (!head_pipeline || (head_pipeline.sha ?? headSha) !== headSha) return { state: "none" };
  const { id, status } = head_pipeline;
  if (status === "success") return { state: "passed" };
  if (status === "skipped" || status === "manual") return { state: "none" };
  if (status !== "failed" && status !== "canceled") return { state: "pending" };
  const answer = requests.get(`${project}/pipelines/${id}/jobs?scope[]=failed&per_page=20`);
  const found = await unlessForbidden(answer, []);
  const jobs = z.array(z.object({ id: z.int(), name: z.string() })).parse(found);
  const failed: { name: string; log: string }[] = [];
  for (const job of jobs.slice(0, 3)) {
    const log = await logOf(`${project}/jobs/${job.id}/trace`, "");
    failed.push({ name: job.name.slice(0, 200), log });
  }
  return { state: "failed", failed };
}
