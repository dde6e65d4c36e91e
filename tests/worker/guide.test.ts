import { join } from "node:path";
import { expect, it } from "vitest";
import { jobGuideSchema } from "~/nouns/job-reviews/guide";
import { bearer } from "../setup/app";
import { openStage, startRun } from "./fixture";
import { startWorker } from "./worker-process";

const { t, app, ada, token, home, repo } = await openStage();

/** What a person reads after a command that wrote this as its result. */
async function guideAfter(code: string, result: object) {
  const run = await startRun(t, ada, { code });
  const write = `echo one > one.txt; echo two > two.txt; cat > "$BACKLOOM_RESULT_FILE" <<'END'\n${JSON.stringify(result)}\nEND`;
  const worker = startWorker([
    ...["--url", app.origin, "--token", token, "--work-dir", join(home, "work"), "--repo", repo],
    ...["--product", code, "--exec", write, "--once"],
  ]);
  expect(await worker.ended, worker.output()).toBe(0);
  const [job] = (await run.read()).jobs;
  expect(job, worker.output()).toMatchObject({ status: "done" });
  const answer = await app.request(`/api/jobs/${job?.id}/guide`, { headers: bearer(token) });
  return jobGuideSchema.parse(await answer.json());
}

it("brings the guide of a result to the reviewer, cut to what the service takes", async () => {
  const parts = [{ path: "two.txt" }];
  const many = Array.from({ length: 25 }, (_, n) => ({ title: `${n} ${"x".repeat(200)}`, parts }));
  const { source, chapters } = await guideAfter("GUIDED", {
    verify_result: "ALIGNED",
    guide: many,
  });
  expect(source).toBe("agent");
  expect(chapters.map(({ title }) => title)).toEqual([`0 ${"x".repeat(118)}`, "Everything else"]);
}, 60_000);

it("keeps the result of an agent whose guide is not as documented", async () => {
  const result = { verify_result: "ALIGNED", guide: [{ name: "no title" }] };
  expect(await guideAfter("MISGUIDED", result)).toMatchObject({ source: "order" });
}, 60_000);
