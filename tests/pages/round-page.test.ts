import { expect, it } from "vitest";
import { saveJobDiff } from "~/nouns/agent-jobs/operations.server";
import { openApp } from "../setup/app";
import { createVisitor } from "../setup/page-forms";
import { claim } from "../setup/world";

const { t, app } = await openApp({ pages: true });

const lines = (...added: string[]) => ({
  ...{ path: "one.txt", status: "added" as const, binary: false },
  ...{ additions: added.length, deletions: 0 },
  patch: `diff --git a/one.txt b/one.txt\nnew file mode 100644\n--- /dev/null\n+++ b/one.txt\n@@ -0,0 +1,${added.length} @@\n${added.map((line) => `+${line}\n`).join("")}`,
});

it("the page of the changes shows what a round changed, and so does the address of one file", async () => {
  const { world, job, report } = await t.holdJob();
  const { actor, owner } = world;
  const save = (attempt: number, ...added: string[]) =>
    saveJobDiff(actor, {
      ...{ job_id: job.id, attempt, base_sha: "a".repeat(40), head_sha: "b".repeat(40) },
      files: [lines(...added)],
    });
  await save(1, "first", "second", "third");
  await report({
    ...{ status: "failed", failure_class: "rate_limited" },
  });
  await t.query`update public.agent_jobs set not_before = null`;
  expect((await claim(actor)).attempt).toBe(2);
  await save(2, "first", "2nd", "third", "fourth");

  const cookie = await app.signIn(owner);
  const page = await createVisitor(app, cookie).read(`/jobs/${job.id}/changes?since=1`);
  const [shown = ""] = page.replaceAll("<!-- -->", "").split("window.__remixContext");
  expect(shown).toContain("Only changes since attempt 1");
  for (const line of ['l d" data-o="2">second', 'l a" data-n="2">2nd', 'l a" data-n="4">fourth']) {
    expect(shown).toContain(line);
  }
  expect(shown).not.toContain('l a" data-n="1">first');
  await save(2, "first", "second", "third");
  const same = await createVisitor(app, cookie).read(`/jobs/${job.id}/changes?since=1`);
  expect(same).toContain("Attempt 2 changed nothing since attempt 1.");
  await save(2, "first", "2nd", "third", "fourth");

  const address = `/jobs/${job.id}/file?attempt=2&index=0&since=1&_data=routes%2F_app.jobs_.%24jobId.file`;
  const file = await (await app.request(address, { headers: { cookie } })).json();
  expect(file).toMatchObject({ path: "one.txt", additions: 2, deletions: 1 });
});
