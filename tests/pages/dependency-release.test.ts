import { expect, it } from "vitest";
import { updateProduct } from "~/nouns/products/operations.server";
import { startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { openApp } from "../setup/app";
import { at, claim, claimRefusal, finish, wait } from "../setup/world";

const { t, app } = await openApp({ pages: true });

it("the owner sets it, sees whose code is waited for, and says that it is there", async () => {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1, 1] });
  const { product } = world;
  const [first, second] = [at(world.tasks, 0), at(world.tasks, 1)];
  const visitor = await app.visitorOf(world.owner);
  await visitor.submit(`/products/${product.id}/settings/code-host`, "update", {
    dependency_release: "merged",
  });
  expect(await t.columnOf("products", product.id, "dependency_release::text")).toBe("merged");

  await wait(world.actor, second, first);
  await world.start();
  const job = await claim(world.actor);
  await finish(world.actor, job, { base_sha: "0".repeat(40), head_sha: "a".repeat(40) });

  const member = await t.createMember(product.id);
  const guest = await app.visitorOf(member);
  const seen = await guest.read(`/tasks/${second.id}`);
  expect(seen).toContain("its code is not on the main branch yet");
  expect(seen).not.toContain("Mark as merged");

  await visitor.submit(`/tasks/${second.id}`, "mark-merged");
  expect(await t.columnOf("agent_jobs", job.id, "merged_at")).not.toBeNull();
  expect((await claim(world.actor)).task?.code).toBe(second.code);
});

it("the owner undoes it for a moment, unless an agent has begun what it freed", async () => {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1, 1] });
  const { actor, product, owner } = world;
  const [first, second] = [at(world.tasks, 0), at(world.tasks, 1)];
  await updateProduct(actor, { product_id: product.id, dependency_release: "merged" });
  await wait(actor, second, first);
  await startSprintRun(actor, { sprint_id: world.sprint.id });
  const job = await claim(actor);
  await finish(actor, job, { base_sha: "0".repeat(40), head_sha: "a".repeat(40) });
  const visitor = await app.visitorOf(owner);
  const elsewhere = await app.visitorOf(owner);
  const page = `/tasks/${second.id}`;
  const say = async () => {
    const form = fieldsOf({ intent: "mark-merged", job_id: job.id, enhanced: "1" });
    const answer = await visitor.send(`${page}?_data=routes/_app.tasks.$taskId`, form);
    const message = `Noted. ${second.code} can start now`;
    expect(await answer.json()).toEqual({ ok: true, message, undo: true });
  };
  const undo = async (person = visitor) => {
    const answer = await person.send("/undo?_data=routes/_app.undo", fieldsOf({ enhanced: "1" }));
    return JSON.stringify(await answer.json());
  };
  const mergedAt = () => t.columnOf("agent_jobs", job.id, "merged_at");

  await say();
  expect(await undo(elsewhere)).toContain("Nothing to undo");
  expect(await mergedAt()).not.toBeNull();
  expect(await undo()).toContain(`Undone: merge state of ${first.code}`);
  expect(await mergedAt()).toBeNull();
  expect(await visitor.read(page)).toContain("Mark as merged");
  expect(await claimRefusal(actor)).toBe("dependency");
  await t.expectRightCounters();

  await say();
  const next = await claim(actor);
  expect(next.task?.code).toBe(second.code);
  const refusal = `${first.code} unblocked work that an agent has started since (${second.code}), so nothing was undone.`;
  expect(await undo()).toContain(refusal);
  await finish(actor, next, { base_sha: "a".repeat(40), head_sha: "b".repeat(40) });
  expect(await undo()).toContain(refusal);
  expect(await mergedAt()).not.toBeNull();
  const rows = await t.query`select kind from public.audit_events
    where detail ->> 'job_id' = ${job.id} order by created_at, id`;
  expect(rows.map(({ kind }) => kind)).toEqual([
    ...["job.merged", "job.merge_taken_back", "job.merged"],
  ]);
});

const fieldsOf = (fields: Record<string, string>) => Object.entries(fields);
