import { expect, it } from "vitest";
import { heartbeatAgentJob } from "~/nouns/agent-jobs/operations.server";
import { listComments } from "~/nouns/comments/operations.server";
import { openApp } from "../setup/app";

const { t, app } = await openApp({ pages: true });

it("a person writes to the agent from the page of its job and of its task, and both say what became of it", async () => {
  const { world, job, task, attempt, report } = await t.holdJob();
  const cookie = await app.signIn(world.owner);
  const read = async (path: string) => (await app.request(path, { headers: { cookie } })).text();
  const send = (path: string, fields: Record<string, string>) =>
    app.submit(path, fields, { cookie });
  const [jobPage, taskPage] = [`/jobs/${job.id}`, `/tasks/${task.id}`];
  expect(await read(jobPage)).toContain("Write to the agent");
  const action = `${jobPage}?index`;
  const sent = await send(action, { intent: "message", body: "Use **tabs**." });
  expect([sent.status, sent.headers.get("location")]).toEqual([303, `${jobPage}#messages`]);
  expect(await read(jobPage)).toMatch(/Sent to the agent[\s\S]*Use <strong>tabs<\/strong>/);
  expect(await read(taskPage)).toContain("Sent to the agent");

  const place = { kind: "task", id: task.id } as const;
  const box = { intent: "add-comment", ...place, body: "And no spaces.", send_to_agent: "on" };
  expect((await send(taskPage, box)).status).toBe(303);
  const { messages } = await heartbeatAgentJob(world.actor, attempt);
  expect(messages?.map(({ text }) => text)).toEqual(["Use **tabs**.", "And no spaces."]);
  expect(await read(taskPage)).toContain("Seen by the agent in attempt 1");
  await report({ status: "done", verify_result: "ALIGNED" });
  expect(await read(jobPage)).toContain("The agent acted on it");
  expect(await read(taskPage)).not.toContain("send_to_agent");
  const late = await send(action, { intent: "message", body: "Too late?" });
  expect([late.status, await late.text()]).toEqual([
    409,
    expect.stringContaining("Comment on its task instead"),
  ]);
  expect((await listComments(world.actor, place)).comments).toHaveLength(2);
});
