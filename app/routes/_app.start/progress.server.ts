import type { Actor } from "~/db/rpc.server";
import { listAgentJobs } from "~/domain/agent-jobs/operations.server";
import { listApiTokens } from "~/domain/api-tokens/operations.server";
import { getShell } from "~/domain/pages/operations.server";
import { listQuestions } from "~/domain/questions/operations.server";
import { listSprintRuns } from "~/domain/sprint-runs/operations.server";

/** How far somebody has come; read from what there is, so that nothing has to be remembered. */
export async function readProgress(actor: Actor, activeProductId: string | null) {
  const [{ products }, tokens] = await Promise.all([
    getShell(actor, { active_product_id: null }),
    listApiTokens(actor),
  ]);
  const product = products.find(({ id }) => id === activeProductId) ?? products[0] ?? null;
  const [shell, runs, open, answered] = product
    ? await Promise.all([
        getShell(actor, { active_product_id: product.id }),
        listSprintRuns(actor, { product_id: product.id, limit: 1 }),
        listQuestions(actor, { product_id: product.id, state: "open", limit: 1 }),
        listQuestions(actor, { product_id: product.id, state: "answered", limit: 1 }),
      ])
    : [{ active_sprint_id: null }, { runs: [] }, { questions: [] }, { questions: [] }];
  const run = runs.runs[0] ?? null;
  const done = run
    ? await listAgentJobs(actor, { sprint_run_id: run.id, state: "done", limit: 50 })
    : { jobs: [] };
  const last = done.jobs.toSorted((one, other) => other.position - one.position)[0];
  const finishedJobs = run ? run.counts.done + run.counts.skipped : 0;
  return {
    product,
    activeSprintId: shell.active_sprint_id,
    hasToken: tokens.length > 0,
    called: tokens.some((token) => token.last_used_at !== null),
    run: run
      ? { id: run.id, status: run.status, jobs: run.jobs_total, finishedJobs, costs: run.costs }
      : null,
    questionOpen: open.questions.length > 0,
    questionAnswered: answered.questions.length > 0,
    lastDoneJobId: last?.id ?? null,
    finished: finishedJobs > 0,
  };
}

export type Progress = Awaited<ReturnType<typeof readProgress>>;
