import { expect, it } from "vitest";
import { openApp } from "../setup/app";

const { t, app } = await openApp({
  pages: ["_app", "_app.jobs_.$jobId", "_app.jobs_.$jobId._index"],
});

it("shows the end of an output of few long entries, and how many come before", async () => {
  const { world, job } = await t.holdJob();
  const headers = {
    ...(await t.bearerOf(world.owner)),
    "content-type": "application/json",
  };
  for (let seq = 1; seq <= 40; seq++) {
    const entry = { seq, at: new Date().toISOString(), kind: "text", text: "word ".repeat(12_000) };
    const body = JSON.stringify({ attempt: 1, entries: [entry] });
    const answer = await app.request(`/api/jobs/${job.id}/output`, {
      method: "POST",
      headers,
      body,
    });
    expect(answer.status).toBe(202);
  }
  const cookie = await app.signIn(world.owner);
  const page = await (await app.request(`/jobs/${job.id}`, { headers: { cookie } })).text();
  expect(page.match(/<li [^>]*data-kind/g)).toHaveLength(2);
  expect(page.replaceAll("<!-- -->", "")).toContain("Show 38 earlier");
});

it("says of an attempt that it changed nothing, no matter what its agent says", async () => {
  const { world, job, report } = await t.holdJob();
  await report({ status: "done", verify_result: "EMPTY", summary: "All done" });
  const cookie = await app.signIn(world.owner);
  const page = await (await app.request(`/jobs/${job.id}`, { headers: { cookie } })).text();
  expect(page).toContain("Attempt 1: changed nothing");
});
