import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { saveJobDiff } from "~/nouns/agent-jobs/operations.server";
import { addJobComment } from "~/nouns/job-reviews/add-job-comment.server";
import { reviewJob } from "~/nouns/job-reviews/operations.server";
import { startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { openApp } from "../setup/app";
import { claim } from "../setup/world";
import { commandLine } from "./command-line";

const { t, app } = await openApp({ pages: true });
const admin = commandLine(t);
const home = mkdtempSync(join(tmpdir(), "backloom-reviews-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Export, delete, import: the new product's document, and that of the one before. */
async function move(product: { id: string; code: string }, owner: string) {
  const document = () => admin.json("export", "--product", `${owner}/${product.code}`);
  const { exported_at: _then, ...before } = await document();
  const file = join(home, `${product.id}.json`);
  await admin.json("export", "--product", product.id, "--out", file);
  await t.query`delete from products where id = ${product.id}`;
  await admin.json("import", file, "--owner", owner);
  const { exported_at: _now, ...after } = await document();
  return { before, after };
}

it("reviews and comments go along, are shown at their task, and the newest reaches the next attempt", async () => {
  const { world, job, report, task } = await t.holdJob();
  const { actor, owner } = world;
  await saveJobDiff(actor, {
    ...{ job_id: job.id, attempt: 1, base_sha: "a".repeat(40), head_sha: "b".repeat(40) },
    files: [
      {
        ...{ path: "one.ts", status: "added", additions: 2, deletions: 0, binary: false },
        patch:
          "diff --git a/one.ts b/one.ts\nnew file mode 100644\n--- /dev/null\n+++ b/one.ts\n@@ -0,0 +1,2 @@\n+first\n+second\n",
      },
    ],
  });
  await report({ status: "done", verify_result: "ALIGNED" });
  const comment = { job_id: job.id, path: "one.ts", side: "new" } as const;
  await addJobComment(actor, { ...comment, line: 2, body: "Why <b>second</b>?" });
  await reviewJob(actor, { job_id: job.id, verdict: "request_changes", summary: "Nearly." });
  await addJobComment(actor, { ...comment, line: 1, body: "A draft is mine alone" });

  const { before, after } = await move(world.product, owner.username);
  expect(after).toEqual(before);
  expect(JSON.stringify(before)).not.toContain("mine alone");
  expect(before).toMatchObject({
    pbis: [
      {
        stories: [
          {
            tasks: [
              {
                reviews: [
                  {
                    ...{ attempt: 1, verdict: "request_changes", summary: "Nearly." },
                    ...{
                      author: owner.username,
                      handed_in_at: expect.any(String),
                      first_seen_at: null,
                    },
                    comments: [
                      { path: "one.ts", line: 2, line_text: "second", body: "Why <b>second</b>?" },
                    ],
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
  });

  const rows = await t.query<{ task: string; sprint: string }>`
    select t.id as task, s.sprint_id as sprint from tasks t join stories s on s.id = t.story_id
    join products p on p.id = t.product_id where p.owner_id = ${owner.id}`;
  const [imported] = rows;
  if (!imported) throw new Error(`${task.code} did not come back`);
  const page = await (await app.visitorOf(owner)).read(`/tasks/${imported.task}`);
  for (const words of ["Nearly.", "one.ts", "Why &lt;b&gt;second&lt;/b&gt;?"]) {
    expect(page).toContain(words);
  }
  await startSprintRun(actor, { sprint_id: imported.sprint });
  expect((await claim(actor)).review).toMatchObject([
    { path: null, body: "Nearly." },
    { path: "one.ts", line: 2, line_text: "second" },
  ]);
});

it("the review of a batch goes along with the first task of it", async () => {
  const world = await t.seedSprint({ strategy: "SPRINT_BATCH", stories: [1, 1] });
  await world.start();
  const job = await claim(world.actor);
  await t.query`insert into job_reviews (job_id, product_id, attempt, verdict, summary, author)
    values (${job.id}, ${world.product.id}, 1, 'approve', 'All of it', 'eva')`;
  const { before, after } = await move(world.product, world.owner.username);
  expect(after).toEqual(before);
  expect(JSON.stringify(before).match(/All of it/g)).toHaveLength(1);
  expect(before).toMatchObject({
    pbis: [
      {
        stories: [
          { tasks: [{ reviews: [{ verdict: "approve", author: "eva", comments: [] }] }] },
          { tasks: [{ reviews: [] }] },
        ],
      },
    ],
  });
});
