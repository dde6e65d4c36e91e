import { expect, it } from "vitest";
import {
  heartbeatAgentJob,
  reportAgentJob,
  saveJobDiff,
  updateTaskExecution,
} from "~/nouns/agent-jobs/operations.server";
import { listComments } from "~/nouns/comments/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { openApp } from "../setup/app";
import { addedFile, addedPicture, shas } from "../setup/diff-files";
import { pictures } from "../setup/morning/code";
import { createVisitor } from "../setup/page-forms";
import { at, claim } from "../setup/world";

const { t, app } = await openApp({ pages: true });

it("A job's page shows the end of an output of few long entries, and how many come before", async () => {
  const { world, job } = await t.holdJob();
  const headers = { ...(await t.bearerOf(world.owner)), "content-type": "application/json" };
  for (let seq = 1; seq <= 40; seq++) {
    const entry = { seq, at: new Date().toISOString(), kind: "text", text: "word ".repeat(12_000) };
    const body = JSON.stringify({ attempt: 1, entries: [entry] });
    const answer = await app.request(`/api/jobs/${job.id}/output`, { method: "POST", headers, body });
    expect(answer.status).toBe(202);
  }
  const cookie = await app.signIn(world.owner);
  const page = await (await app.request(`/jobs/${job.id}`, { headers: { cookie } })).text();
  expect(page.match(/<li [^>]*data-kind/g)).toHaveLength(2);
  expect(page.replaceAll("<!-- -->", "")).toContain("Show 38 earlier");
});

it("A job's page says that an attempt changed nothing, no matter what its agent says", async () => {
  const { world, job, report } = await t.holdJob();
  await report({ status: "done", verify_result: "EMPTY", summary: "All done" });
  const cookie = await app.signIn(world.owner);
  const page = await (await app.request(`/jobs/${job.id}`, { headers: { cookie } })).text();
  expect(page).toContain("Attempt 1: changed nothing");
});

it("A person can write to the agent from its job's and task's page, and both say what became of it", async () => {
  const { world, job, task, attempt, report } = await t.holdJob();
  const cookie = await app.signIn(world.owner);
  const read = async (path: string) => (await app.request(path, { headers: { cookie } })).text();
  const send = (path: string, fields: Record<string, string>) => app.submit(path, fields, { cookie });
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
  expect([late.status, await late.text()]).toEqual([409, expect.stringContaining("Comment on its task instead")]);
  expect((await listComments(world.actor, place)).comments).toHaveLength(2);
});

it("The changes since an earlier attempt are shown on a job's page and at the address of one file", async () => {
  const { world, job, report } = await t.holdJob();
  const { actor, owner } = world;
  const save = (attempt: number, ...added: string[]) =>
    saveJobDiff(actor, { job_id: job.id, attempt, ...shas, files: [addedFile("one.txt", ...added)] });
  await save(1, "first", "second", "third");
  await report({ status: "failed", failure_class: "rate_limited" });
  await t.query`update public.agent_jobs set not_before = null`;
  expect((await claim(actor)).attempt).toBe(2);
  await save(2, "first", "2nd", "third", "fourth");

  const cookie = await app.signIn(owner);
  const page = await createVisitor(app, cookie).read(`/jobs/${job.id}/changes?since=1`);
  const [shown = ""] = page.replaceAll("<!-- -->", "").split("window.__remixContext");
  expect(shown).toContain("Since attempt 1");
  for (const line of ['l d" data-o="2">second', 'l a" data-n="2">2nd', 'l a" data-n="4">fourth']) {
    expect(shown).toContain(line);
  }
  expect(shown).not.toContain('l a" data-n="1">first');
  await save(2, "first", "second", "third");
  const same = await createVisitor(app, cookie).read(`/jobs/${job.id}/changes?since=1`);
  expect(same).toContain("Attempt 2 changed nothing since attempt 1.");
  await save(2, "first", "2nd", "third", "fourth");
  await reportAgentJob(actor, { job_id: job.id, attempt: 2, status: "done", verify_result: "ALIGNED" });
  const read = async (query: string) =>
    (await createVisitor(app, cookie).read(`/jobs/${job.id}/changes${query}`)).replaceAll("<!-- -->", "");
  expect(await read("")).toContain('value="approve"');
  const old = await read("?attempt=1");
  expect(old).toContain("You look at attempt 1. Attempt 2 is the one to decide on.");
  expect(old).not.toContain('name="verdict"');

  const address = `/jobs/${job.id}/file?attempt=2&index=0&since=1&_data=routes%2F_app.jobs_.%24jobId.file`;
  const file = await (await app.request(address, { headers: { cookie } })).json();
  expect(file).toMatchObject({ path: "one.txt", additions: 2, deletions: 1 });
});

it("A picture in a change is drawn for whoever reads the change, and anything that only says it is one is not", async () => {
  const { world, job } = await t.holdJob();
  const png = at(pictures, 0);
  const sent = addedPicture("docs/a.png", png);
  const bomb = addedPicture("bomb.png", Buffer.concat([png, Buffer.alloc(4_000_000)]));
  const files = [
    sent,
    addedPicture("page.png", Buffer.from("<script>alert(1)</script>\0")),
    { ...bomb, path: "bomb.png", patch: bomb.patch.replace(/^literal \d+/m, "literal 1000") },
    { ...sent, path: "wrong.png", patch: sent.patch.replace(/^(z.{5}).{10}/m, "$1~~~~~~~~~~") },
    { ...sent, path: "other.png", patch: sent.patch.replace(/^(z.{5})./m, "$1\u00e9") },
    { ...sent, path: "huge.png", patch: sent.patch.replace(/^literal \d+/m, "literal 999999999") },
    { ...sent, path: "delta.png", patch: sent.patch.replace(/^literal \d+/m, "delta 300") },
  ];
  await saveJobDiff(world.actor, { job_id: job.id, attempt: 1, ...shas, files });
  const cookie = await app.signIn(world.owner);
  const ask = (index: number | string, side = "new", headers: Record<string, string> = { cookie }) =>
    app.request(`/jobs/${job.id}/file?attempt=1&index=${index}&picture=${side}`, { headers });
  const drawn = await ask(0);
  expect(Buffer.from(await drawn.arrayBuffer())).toEqual(png);
  expect(Object.fromEntries(drawn.headers)).toMatchObject({
    "content-type": "image/png",
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "cache-control": "private, no-cache",
  });
  const refused = [...files.keys()].slice(1).map((index) => ask(index));
  for (const answer of [...refused, ask(0, "old"), ask(0, "third"), ask(7), ask("../0")]) {
    expect((await answer).status).toBe(404);
  }
  const stranger = await app.signIn(await t.createUser());
  expect((await ask(0, "new", { cookie: stranger })).status).toBe(403);
  expect((await ask(0, "new", {})).status).toBe(302);
  const page = await (await app.request(`/jobs/${job.id}/changes`, { headers: { cookie }, redirect: "follow" })).text();
  expect(page).toMatch(/<img src="[^"]*&amp;index=0&amp;picture=new" alt="docs\/a\.png, after"/);
  expect(page).toContain("After, not stored whole");
});

const lines = "-const a = 1;\n+const b = 1; // one\n".repeat(4);

async function scene(count: number) {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1] });
  const { actor, product } = world;
  await updateProduct(actor, { product_id: product.id, done_requires: "person" });
  await startSprintRun(actor, { sprint_id: world.sprint.id });
  const { id: job_id, attempt } = await claim(actor);
  const of = { job_id, attempt, ...shas };
  const files = Array.from({ length: count }, (_, n) => {
    const path = `src/folder-${n % 50}/file-${n}.ts`;
    const patch = `--- a/${path}\n+++ b/${path}\n@@ -1,4 +1,4 @@\n${lines}`;
    const counts = { additions: 4, deletions: 4, binary: false };
    return { path, status: "modified" as const, ...counts, patch: `diff --git a/${path} b/${path}\n${patch}` };
  });
  await saveJobDiff(actor, { ...of, files });
  await reportAgentJob(actor, { ...of, status: "done", verify_result: "ALIGNED" });
  const headers = { cookie: await app.signIn(world.owner) };
  const read = async (address: string) => {
    const answer = await app.request(address, { headers, redirect: "follow" });
    expect(answer.status).toBe(200);
    return (await answer.text()).replaceAll("<!-- -->", "");
  };
  return { job_id, owner: world.owner, story: at(world.stories, 0).id, read };
}

it("A batch that waits for review has a page, and reviews of other products lead to it", async () => {
  const world = await t.seedSprint({ strategy: "SPRINT_BATCH", stories: [1, 1] });
  const { actor, product } = world;
  await updateProduct(actor, { product_id: product.id, done_requires: "person" });
  await world.start();
  const { id: job_id, attempt } = await claim(actor);
  for (const { id: task_id } of world.tasks)
    await updateTaskExecution(actor, { job_id, attempt, task_id, status: "done", verify_result: "ALIGNED" });
  await saveJobDiff(actor, { job_id, attempt, ...shas, files: [addedFile("one.txt", "const whole = true;")] });
  await reportAgentJob(actor, { job_id, attempt, status: "done" });
  const { story, owner, read } = await scene(1);
  await t.addMember(product.id, owner);
  expect(await read(`/jobs/${job_id}/changes`)).toContain("const whole = true;");
  expect(await read(`/stories/${story}/changes`)).toContain(`/jobs/${job_id}/changes`);
});

const paths = (page: string) => [...page.matchAll(/data-path="([^"]*)"/g)].map(([, path]) => path);

it("A diff of 5,000 files is shown page by page, each file once, and no page is large", {
  tags: "thorough",
  timeout: 120_000,
}, async () => {
  const { job_id, story, read } = await scene(5_000);
  for (const address of [`/jobs/${job_id}/changes`, `/stories/${story}/changes`]) {
    const first = await read(address);
    expect(first.length).toBeLessThan(1_500_000);
    expect(first).toContain("1 to 200 of 5,000 files");
    const [second, last] = [await read(`${address}?files=2`), await read(`${address}?files=25`)];
    expect(second).toContain("201 to 400 of 5,000 files");
    expect(last).toContain("4,801 to 5,000 of 5,000 files");
    expect(await read(`${address}?files=900`)).toContain("4,801 to 5,000");
    const told = [first, second, last].flatMap(paths);
    expect([told.length, new Set(told).size]).toEqual([600, 600]);
  }
  // Lines beyond the first come when someone scrolls to them: of one file, not of all.
  const lines = await read(`/jobs/${job_id}/file?attempt=1&index=4999`);
  expect(lines.length).toBeLessThan(5_000);
  expect(JSON.parse(lines)).toMatchObject({ path: "src/folder-49/file-4999.ts", additions: 4 });
});
