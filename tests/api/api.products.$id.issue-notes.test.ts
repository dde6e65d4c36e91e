import { expect, it } from "vitest";
import { reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { observePulls } from "~/nouns/pulls/operations.server";
import { startRun } from "~/nouns/sprint-runs/operations.server";
import { acceptStory, mergeStory } from "~/nouns/stories/operations.server";
import { openApp } from "../setup/app";
import { at, claim, create, type TestUser } from "../setup/world";

const { t, app } = await openApp();
const head = "a".repeat(40);
const url = "https://code.example/acme/shop/issues/7";

async function scene() {
  const owner = await t.createUser();
  const member = await t.createUser();
  const actor = t.actorOf(owner);
  const product = await t.seedProduct(owner, { p_repo_url: "https://code.example/acme/shop" });
  const product_id = product.id;
  const pbi = await create(actor, "create_pbi", { p_product_id: product_id, p_title: "Exports" });
  await t.addMember(product_id, member);
  await t.allowWorkers(product_id, member);
  await updateProduct(actor, { product_id, forge_issue_label: "backlog" });
  const call = async (method: string, path: string, body: object, user: TestUser = owner) => {
    const answer = await app.send(method, path, body, await t.bearerOf(user));
    return { status: answer.status, body: await answer.json() };
  };
  const issue = { number: 7, url, state: "open", title: "Slow", author: "stranger", body: "Secret" };
  await call("PUT", "/api/issues/observed", { product_id, label: "backlog", issues: [issue] });
  const rows = await t.query`select id, code from stories where product_id = ${product_id}`;
  const item = { id: String(at(rows, 0).id), code: String(at(rows, 0).code) };
  const path = `/api/products/${product_id}/issue-notes`;
  const next = (project = "acme/shop", user = owner) => call("POST", path, { worker: "one", project }, user);
  const note = async () => (await next()).body.note;
  const tell = (one: { id: string; lease: string }, state: string) =>
    call("PUT", `/api/issue-notes/${one.id}`, { lease: one.lease, state });
  /** An agent does the only task of a story; answers its branch. */
  const work = async (story_id: string) => {
    const fields = { p_story_id: story_id, p_title: "Do it", p_implementation_plan: "Now" };
    const task = await create(actor, "create_task", fields);
    await startRun(actor, { task_ids: [task.id] });
    const { id: job_id, attempt, branch } = await claim(actor);
    const done = { status: "done" as const, verify_result: "ALIGNED" as const, head_sha: head };
    await reportAgentJob(actor, { job_id, attempt, ...done });
    return branch ?? "";
  };
  const see = (branch: string, state: "open" | "merged") => {
    const pull = { number: 9, url: "https://code.example/acme/shop/pulls/9", branch, head_sha: head, state };
    return observePulls(actor, { product_id, pulls: [{ ...pull, observed_at: new Date().toISOString() }] });
  };
  const expire = () => t.query`update issue_notes set lease_until = now() where product_id = ${product_id}`;
  return { owner, member, actor, product_id, pbi, item, path, call, next, note, tell, work, see, expire };
}

it("An issue gets one comment when its work is done, and is closed once when that is merged", async () => {
  const { actor, pbi, item, note, tell, work, see, next, member } = await scene();
  expect(await note()).toBeNull();
  await acceptStory(actor, { story_id: item.id, pbi_id: pbi.id });
  const branch = await work(item.id);
  await see(branch, "open");
  expect((await next("acme/other")).body.note).toBeNull();
  const answers = await Promise.all([next(), next("ACME/shop", member), next()]);
  const taken = answers.flatMap(({ body }) => body.note ?? []);
  expect(taken).toMatchObject([
    {
      deed: "comment",
      url,
      number: 7,
      mark: item.id,
      text: `Done (${item.code}): https://code.example/acme/shop/pulls/9.`,
    },
  ]);
  expect((await tell(at(taken, 0), "written")).body).toMatchObject({ state: "written" });
  expect(await note()).toBeNull();

  await see(branch, "merged");
  const close = await note();
  expect(close).toMatchObject({ deed: "close", number: 7 });
  await tell(close, "written");
  expect(await note()).toBeNull();
  // Opened again there, or done again here: it has been said.
  await t.query`update tasks set status = 'IN_PROGRESS' where story_id = ${item.id}`;
  await t.query`update tasks set status = 'DONE' where story_id = ${item.id}`;
  expect(await note()).toBeNull();
});

it("An issue note goes to another worker when its lease ends, and is given up after five tries", async () => {
  const { actor, pbi, item, note, tell, work, expire } = await scene();
  await acceptStory(actor, { story_id: item.id, pbi_id: pbi.id });
  await work(item.id);
  const first = await note();
  expect(first.text).toBe(`Done (${item.code}).`);
  expect(await note()).toBeNull();
  await expire();
  let held = await note();
  expect([held.id, held.lease === first.lease]).toEqual([first.id, false]);
  expect((await tell(first, "written")).status).toBe(409);
  for (let attempt = 1; attempt <= 4; attempt += 1) {
    expect((await tell(held, "put_off")).body.state).toBe("working");
    expect(await note()).toBeNull();
    await expire();
    held = await note();
  }
  expect((await tell(held, "put_off")).body.state).toBe("refused");
  await expire();
  expect(await note()).toBeNull();
});

it("An issue whose story was merged into another is commented on when that one is done", async () => {
  const { actor, pbi, item, note, work } = await scene();
  const into = await create(actor, "create_story", { p_pbi_id: pbi.id, p_title: "Fast" });
  await mergeStory(actor, { story_id: item.id, into: into.id });
  expect(await note()).toBeNull();
  await work(into.id);
  expect(await note()).toMatchObject({ deed: "comment", url, text: `Done (${into.code}).` });
});

it("An issue that people finished without an agent gets a comment and is not closed", async () => {
  const { actor, pbi, item, note, tell } = await scene();
  await acceptStory(actor, { story_id: item.id, pbi_id: pbi.id });
  await create(actor, "create_task", { p_story_id: item.id, p_title: "By hand" });
  await t.query`update tasks set status = 'DONE' where story_id = ${item.id}`;
  const comment = await note();
  expect(comment).toMatchObject({ deed: "comment" });
  await tell(comment, "written");
  expect(await note()).toBeNull();
});

it("No issue note is given without a label, or to a request without a worker and a project", async () => {
  const { actor, pbi, item, product_id, path, call, note, work } = await scene();
  await acceptStory(actor, { story_id: item.id, pbi_id: pbi.id });
  await work(item.id);
  await updateProduct(actor, { product_id, forge_issue_label: "" });
  expect(await note()).toBeNull();
  await updateProduct(actor, { product_id, forge_issue_label: "backlog" });
  for (const wrong of [{}, { worker: "one" }, { worker: "one", project: " " }]) {
    expect((await call("POST", path, wrong)).status).toBe(422);
  }
});
