import { expect, it } from "vitest";
import {
  reportAgentJob,
  reportJobConflict,
  saveJobDiff,
} from "~/nouns/agent-jobs/operations.server";
import { openApp } from "../setup/app";
import { claim } from "../setup/world";

const { t, app } = await openApp({ pages: true });

it("the page of a run shows tasks that change the same file, and the pair that no one could bring together", async () => {
  const { actor, owner, product, start } = await t.seedSprint({
    ...{ strategy: "STORY", stories: [1, 1] },
  });
  const run = await start();
  const { read } = await app.visitorOf(owner);
  const page = async () =>
    (await read(`/products/${product.id}/runs/${run.id}`)).replaceAll(/<[^>]*>/g, "");

  const first = await claim(actor, "worker-1");
  const second = await claim(actor, "worker-2");
  for (const { id } of [first, second]) {
    await saveJobDiff(actor, {
      ...{ job_id: id, attempt: 1, base_sha: "a".repeat(40), head_sha: "b".repeat(40) },
      files: [
        ...[
          {
            path: "src/same.ts",
            status: "added" as const,
            additions: 1,
            deletions: 0,
            binary: false,
          },
        ],
      ],
    });
  }
  const codes = [first, second].map(({ task }) => task?.code);
  const before = await page();
  expect(before).toContain("Some tasks change the same files");
  expect(before).toContain(`${codes[0]} and ${codes[1]}: src/same.ts`);

  await reportAgentJob(actor, {
    ...{ job_id: first.id, attempt: 1, status: "done", verify_result: "ALIGNED" },
  });
  for (const attempt of [1, 2, 3]) {
    if (attempt > 1) await claim(actor, "worker-2");
    await reportJobConflict(actor, {
      ...{ job_id: second.id, attempt, kind: "sibling", branch: first.branch ?? "" },
      ...{ ours_sha: "a".repeat(40), theirs_sha: "b".repeat(40), files: [{ path: "src/same.ts" }] },
    });
  }
  const after = await page();
  expect(after).not.toContain("Some tasks change the same files");
  expect(after).toContain(`${codes[1]} does not merge with ${codes[0]}, even after two tries`);
  expect(after).toContain("src/same.ts");
});
