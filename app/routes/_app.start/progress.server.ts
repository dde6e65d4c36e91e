import type { Actor } from "~/db/rpc.server";
import { waitsForReview } from "~/features/jobs/job-badges";
import { listAgentJobs } from "~/nouns/agent-jobs/operations.server";
import { listApiTokens } from "~/nouns/api-tokens/operations.server";
import { getShell } from "~/nouns/pages/operations.server";
import { listProductOverviews } from "~/nouns/products/operations.server";
import { listQuestions } from "~/nouns/questions/operations.server";
import { listSprintRuns } from "~/nouns/sprint-runs/operations.server";
import { sampleDocument } from "~/nouns/transfers/sample-document";

export const demoLabel = "demo agent";

/** Returns how far the user has come. Derived from existing data, so nothing must be stored. */
export async function readProgress(actor: Actor) {
  const [products, tokens] = await Promise.all([listProductOverviews(actor), listApiTokens(actor)]);
  const sample = await findSample(actor);
  const own = products.filter(({ id }) => id !== sample?.id).sort((a, b) => (a.created_at < b.created_at ? 1 : -1))[0];
  return {
    sample: sample ? await readSample(actor, sample.id) : null,
    ownProduct: own ? { id: own.id, code: own.code, name: own.name } : null,
    ownAgent: tokens.some(({ label, last_used_at }) => label !== demoLabel && last_used_at !== null),
  };
}

/** Returns the user's own sample product: others may have one too. */
export async function findSample(actor: Actor) {
  const products = await listProductOverviews(actor);
  const { code } = sampleDocument.product;
  return products.find((product) => product.code === code && product.role === "OWNER") ?? null;
}

async function readSample(actor: Actor, product_id: string) {
  const [shell, runs, { questions }] = await Promise.all([
    getShell(actor, { active_product_id: product_id }),
    listSprintRuns(actor, { product_id, limit: 1 }),
    listQuestions(actor, { product_id, state: "open", limit: 1 }),
  ]);
  const run = runs.runs[0] ?? null;
  const { jobs } = run ? await listAgentJobs(actor, { sprint_run_id: run.id, limit: 10 }) : { jobs: [] };
  const inOrder = jobs.toSorted((one, other) => one.position - other.position);
  return {
    id: product_id,
    sprintId: shell.active_sprint_id,
    run: run && { id: run.id, status: run.status },
    question: questions[0] ?? null,
    /** Whether a worker has claimed one of its jobs, even if that is parked for an answer now. */
    begun: jobs.some(({ status, attempt }) => status !== "queued" || attempt > 0),
    jobs: inOrder.map(({ id, task_code, task_title, status, phase }) => ({
      id,
      task_code,
      task_title,
      status,
      phase,
      asks: questions.some(({ job_id }) => job_id === id),
      needsReview: waitsForReview({ status, phase }),
    })),
    finished: run?.status === "done",
  };
}

export type Progress = Awaited<ReturnType<typeof readProgress>>;
