import { expect, it } from "vitest";
import { z } from "zod";
import { heartbeatAgentJob } from "~/nouns/agent-jobs/operations.server";
import { allowMyWorkers } from "~/nouns/products/operations.server";
import { startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { assignStory } from "~/nouns/stories/operations.server";
import { openApp } from "../setup/app";
import { bearer, claim } from "../setup/world";

const { t, app } = await openApp({ realtime: true, pages: true });
const sentence = "You are a viewer of this product";

async function scene() {
  const ada = await t.createUser();
  const bob = await t.createUser();
  const backlog = await t.seedBacklog(ada);
  await t.addMember(backlog.product.id, bob);
  return {
    backlog,
    ada,
    bob,
    actor: t.actorOf(ada),
    bobs: t.actorOf(bob),
    product_id: backlog.product.id,
    members: `/products/${backlog.product.id}/members`,
    owner: await app.visitorOf(ada),
    visitor: await app.visitorOf(bob),
    token: await t.createToken(bob),
  };
}

type Scene = Awaited<ReturnType<typeof scene>>;

async function makeViewer({ owner, members, bob }: Scene) {
  await owner.submit(members, "role", { user_id: bob.id, role: "viewer" });
}

it("A viewer can read the pages and finds every control of the product disabled, with the reason", async () => {
  const s = await scene();
  await makeViewer(s);
  for (const path of [`/products/${s.product_id}/backlog`, `/tasks/${s.backlog.task.id}`]) {
    expect(await s.visitor.read(path)).toContain(sentence);
  }
  const story = await s.visitor.read(`/stories/${s.backlog.story.id}`);
  expect(story).toContain("Export as CSV");
  // The comment box alone.
  expect(story.split("<fieldset class")).toHaveLength(2);
  const owners = await s.owner.read(`/stories/${s.backlog.story.id}`);
  expect(owners.split("<fieldset class").length).toBeGreaterThan(2);
});

it("A viewer can comment on pages and over REST, edit the comment, and find mentions in the inbox", async () => {
  const s = await scene();
  await makeViewer(s);
  const task = `/tasks/${s.backlog.task.id}`;
  await s.visitor.submit(task, "add-comment", { body: "Looks good." });
  expect(await s.visitor.read(task)).toContain("Looks good.");
  const headers = { ...bearer(s.token), "content-type": "application/json" };
  const comments = `/api${task}/comments`;
  const body = JSON.stringify({ body: "From a script." });
  const answer = await app.request(comments, { method: "POST", headers, body });
  expect(answer.status).toBe(201);
  const { id } = z.object({ id: z.string() }).parse(await answer.json());
  const changed = { method: "PATCH", headers, body: JSON.stringify({ body: "Shorter." }) };
  expect((await app.request(`${comments}/${id}`, changed)).status).toBe(200);
  await s.owner.submit(task, "add-comment", { body: `@${s.bob.username} thank you` });
  expect(await s.visitor.read("/inbox")).toContain("thank you");
  await t.query`update public.users set is_demo = true where id = ${s.bob.id}`;
  expect((await app.request(comments, { method: "POST", headers, body })).status).toBe(403);
});

it("A viewer finds a box for comments, and none that writes to an agent", async () => {
  const s = await scene();
  await makeViewer(s);
  await t.query`update public.tasks set implementation_plan = 'Plan'`;
  await startSprintRun(s.actor, { sprint_id: s.backlog.sprint.id });
  const job = await claim(s.actor);
  const [task, page] = [`/tasks/${s.backlog.task.id}`, `/jobs/${job.id}`];
  expect(await s.owner.read(task)).toContain("send_to_agent");
  expect(await s.owner.read(page)).toContain("Write to the agent");
  const seen = await s.visitor.read(task);
  expect(seen).toContain("Add a comment");
  expect(seen).not.toContain("send_to_agent");
  expect(await s.visitor.read(page)).not.toContain("Write to the agent");
});

it("A member made a viewer loses stories, workers and the job their worker holds, and may leave", async () => {
  const s = await scene();
  const story_id = s.backlog.story.id;
  await assignStory(s.actor, { story_id, assignee_id: s.bob.id });
  await t.query`update public.tasks set implementation_plan = 'Plan'`;
  await startSprintRun(s.actor, { sprint_id: s.backlog.sprint.id });
  await allowMyWorkers(s.bobs, { product_id: s.product_id, allowed: true });
  const job = await claim(s.bobs);
  await makeViewer(s);

  const held = { job_id: job.id, attempt: job.attempt };
  await expect(heartbeatAgentJob(s.bobs, held)).rejects.toThrow(sentence);
  const rows = await t.query`select s.assignee_id, m.workers_allowed from stories s
      join product_members m using (product_id) where s.id = ${story_id}
      and m.user_id = ${s.bob.id}`;
  expect(rows).toEqual([{ assignee_id: null, workers_allowed: false }]);
  await expect(assignStory(s.actor, { story_id, assignee_id: s.bob.id })).rejects.toThrow("assignee");
  await s.visitor.submit(s.members, "leave");
  expect((await app.request(s.members, { headers: bearer(s.token) })).status).not.toBe(200);
});

it("A viewer becomes a member again only when the owner decides so", async () => {
  const s = await scene();
  await makeViewer(s);
  const own = await s.visitor.send(s.members, { intent: "role", user_id: s.bob.id, role: "member" });
  expect(own.status).toBe(403);
  await s.owner.submit(s.members, "role", { user_id: s.bob.id, role: "member" });
  expect(await s.visitor.read(`/products/${s.product_id}/backlog`)).not.toContain(sentence);
  const rows = await t.query`select detail from audit_events where kind = 'member.role'
      and user_id = ${s.bob.id} order by created_at`;
  expect(rows.map(({ detail }) => detail.to)).toEqual(["VIEWER", "MEMBER"]);
});

it("The role of the product's owner cannot be changed", async () => {
  const s = await scene();
  for (const role of ["viewer", "owner"]) {
    const answer = await s.owner.send(s.members, { intent: "role", user_id: s.ada.id, role });
    expect(answer.status).toBe(role === "viewer" ? 409 : 422);
  }
});
