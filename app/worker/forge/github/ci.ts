import { z } from "zod";
import { endOf, openLogs, stateOfAll, unlessForbidden } from "../ci";
import type { PullDetails } from "../forge";
import type { Requests } from "../requests";

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
  statuses: z.array(
    z.object({ context: z.string(), state: z.string(), description: z.string().nullish() }),
  ),
});

const noChecks =
  "GitHub does not let this login read checks (fine-grained tokens cannot): only runs of Actions and commit statuses count as CI";
const noRuns =
  "GitHub does not let this login read checks or runs of Actions: only commit statuses count as CI. Give the token the permission Actions: read";

/** Reads CI of a commit: check runs, or what a login that may not read them can see instead, and commit statuses. */
export function ciOfGitHub(repository: string, requests: Requests) {
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
    const asked = requests.get(`${repository}/commits/${headSha}/check-runs?per_page=100`);
    const answer = await unlessForbidden(asked, null);
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
    const states = [
      ...checks.map(stateOfCheck),
      ...statuses.map(({ state }) => stateOfStatus(state)),
    ];
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
