import { expect } from "vitest";
import { reportAgentJob, saveJobDiff } from "~/nouns/agent-jobs/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { waitingReviewsSchema } from "~/wire/reviews/contract";
import type { openApp } from "../setup/app";
import { at, claim, wait } from "../setup/world";

export type File = Partial<{ path: string; old_path: string; status: string; patch: string }> &
  Partial<{ additions: number; deletions: number; folded: boolean }>;

/** What makes work that waits for its review, and reads the queue of it. */
export function waitingReviews({ t, app }: Awaited<ReturnType<typeof openApp>>) {
  /** Five stories with a task each, of which the fourth and fifth wait for the third; three are in review. */
  async function scene(files: readonly File[] = [{ path: "src/cart.ts" }]) {
    const world = await t.seedSprint({ strategy: "STORY", stories: [1, 1, 1, 1, 1] });
    const { actor, product, tasks } = world;
    await updateProduct(actor, { product_id: product.id, done_requires: "person" });
    await wait(actor, at(tasks, 3), at(tasks, 2));
    await wait(actor, at(tasks, 4), at(tasks, 2));
    await startSprintRun(actor, { sprint_id: world.sprint.id });
    const jobs = [];
    for (let n = 0; n < 3; n++) {
      const { id: job_id, attempt } = await claim(actor);
      const shas = { base_sha: "a".repeat(40), head_sha: "b".repeat(40) };
      const sent = files.map((file) => ({
        path: "src/cart.ts",
        status: "modified",
        additions: n + 1,
        deletions: 0,
        binary: false,
        patch: "@@ -1 +1 @@\n-a\n+b\n",
        ...file,
      }));
      await saveJobDiff(actor, { job_id, attempt, ...shas, files: sent as never });
      await reportAgentJob(actor, { job_id, attempt, status: "done", verify_result: "ALIGNED", ...shas });
      jobs.push(job_id);
    }
    const session = { cookie: await app.signIn(world.owner) };
    return { ...world, jobs, session, token: await t.createToken(world.owner) };
  }

  async function read(headers: Record<string, string>, query = "") {
    const response = await app.request(`/api/reviews${query}`, { headers });
    expect(response.status).toBe(200);
    return waitingReviewsSchema.parse(await response.json());
  }

  return { scene, read };
}
