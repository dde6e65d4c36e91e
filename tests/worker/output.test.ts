import { expect, it } from "vitest";
import { jobOutputSchema } from "~/wire/agent-jobs/job-output";
import { openOutput } from "../../worker/service/output-sender";
import { openApp } from "../setup/app";
import { bearer } from "../setup/world";

const { t, app } = await openApp();

it("A job's output arrives whole, although its titles and letters are long", async () => {
  const { world, job } = await t.holdJob();
  const token = await t.createToken(world.owner);
  const said: string[] = [];
  const output = openOutput({
    url: app.origin,
    token,
    jobId: job.id,
    attempt: job.attempt,
    clean: (text) => text,
    journal: { say: (line) => said.push(line), sayOnce: (line) => said.push(line) },
  });
  for (let n = 0; n < 400; n++) {
    output.add({ kind: "tool", title: "é".repeat(500), text: "", status: "running" });
  }
  output.add({ kind: "text", text: "字".repeat(32_000) });
  const arrived = async () => {
    const address = `/api/jobs/${job.id}/output?limit=5000`;
    const answer = await app.request(address, { headers: bearer(token) });
    return jobOutputSchema.parse(await answer.json()).entries.length;
  };
  // Before it is closed: what is still to be sent then has a few seconds only.
  await expect.poll(arrived).toBe(401);
  await output.close();
  expect(said).toEqual([]);
});
