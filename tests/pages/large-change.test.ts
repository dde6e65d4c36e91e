import { expect, it } from "vitest";
import { reportAgentJob, saveJobDiff } from "~/nouns/agent-jobs/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { openApp } from "../setup/app";
import { at, claim } from "../setup/world";

const { t, app } = await openApp({ pages: true });

const lines = "-const a = 1;\n+const b = 1; // one\n".repeat(4);

/** A story with one job that waits for a person, and changed so many files. */
async function scene(count: number) {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1] });
  const { actor, product } = world;
  await updateProduct(actor, { product_id: product.id, done_requires: "person" });
  await startSprintRun(actor, { sprint_id: world.sprint.id });
  const { id: job_id, attempt } = await claim(actor);
  const of = { job_id, attempt, base_sha: "a".repeat(40), head_sha: "b".repeat(40) };
  const files = Array.from({ length: count }, (_, n) => {
    const path = `src/folder-${n % 50}/file-${n}.ts`;
    const patch = `--- a/${path}\n+++ b/${path}\n@@ -1,4 +1,4 @@\n${lines}`;
    const counts = { additions: 4, deletions: 4, binary: false };
    return {
      path,
      status: "modified" as const,
      ...counts,
      patch: `diff --git a/${path} b/${path}\n${patch}`,
    };
  });
  await saveJobDiff(actor, { ...of, files });
  await reportAgentJob(actor, { ...of, status: "done", verify_result: "ALIGNED" });
  const headers = { cookie: await app.signIn(world.owner) };
  const read = async (address: string) => {
    const answer = await app.request(address, { headers });
    expect(answer.status).toBe(200);
    return (await answer.text()).replaceAll("<!-- -->", "");
  };
  return { job_id, story: at(world.stories, 0).id, read };
}

const paths = (page: string) => [...page.matchAll(/data-path="([^"]*)"/g)].map(([, path]) => path);

it("shows 5,000 changed files page by page, each once, and no page is large", async () => {
  const { job_id, story, read } = await scene(5_000);
  for (const address of [`/jobs/${job_id}/changes`, `/stories/${story}/changes`]) {
    const first = await read(address);
    expect(first.length).toBeLessThan(1_500_000);
    expect(first).toContain("1 to 200 of 5,000 files");
    const [second, last] = [await read(`${address}?files=2`), await read(`${address}?files=25`)];
    expect(second).toContain("201 to 400 of 5,000 files");
    expect(last).toContain("4801 to 5000 of 5,000 files");
    expect(await read(`${address}?files=900`)).toContain("4801 to 5000");
    const told = [first, second, last].flatMap(paths);
    expect([told.length, new Set(told).size]).toEqual([600, 600]);
  }
  // Lines beyond the first come when someone scrolls to them: of one file, not of all.
  const lines = await read(`/jobs/${job_id}/file?attempt=1&index=4999`);
  expect(lines.length).toBeLessThan(5_000);
  expect(JSON.parse(lines)).toMatchObject({ path: "src/folder-49/file-4999.ts", additions: 4 });
}, 120_000);
