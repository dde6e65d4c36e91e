import { expect, it } from "vitest";
import { createSession } from "~/nouns/accounts/log-in.server";
import { changeThings, undoChange } from "~/nouns/changes/operations.server";
import { type Label, labelListSchema, labelSchema } from "~/wire/labels/contract";
import { openApp } from "../setup/app";

const { t, app } = await openApp();

/** `/api/products/:id/labels` (api.products.$id.labels), `/:labelId`, and what stories and tasks show of them. */
async function scene() {
  const owner = await t.createUser();
  const backlog = await t.seedBacklog(owner);
  const labels = `/api/products/${backlog.product.id}/labels`;
  const as = async (user: typeof owner) => {
    const headers = await t.bearerOf(user);
    const send = (method: string, path: string, body?: unknown) => app.send(method, path, body, headers);
    return {
      send,
      read: async (path: string) => (await send("GET", path)).json(),
      make: async (name: string, color?: string): Promise<Label> => {
        const answer = await send("POST", labels, { name, color });
        expect(answer.status).toBe(201);
        return labelSchema.parse(await answer.json());
      },
      names: async () => labelListSchema.parse(await (await send("GET", labels)).json()).labels.map((one) => one.name),
    };
  };
  return { owner, backlog, labels, as };
}

it("Members create, rename, recolor and delete the labels of a product, listed by name", async () => {
  const { as, owner, backlog, labels } = await scene();
  const member = await t.createMember(backlog.product.id);
  const { make, send, names } = await as(member);
  const bug = await make("bug", "#E5484D");
  expect(bug).toEqual({ id: expect.any(String), name: "bug", color: "#e5484d" });
  expect((await make("  Area: web ")).name).toBe("Area: web");
  expect(await (await as(owner)).names()).toEqual(["Area: web", "bug"]);
  const renamed = await send("PATCH", `${labels}/${bug.id}`, { name: "Defect", color: "#000000" });
  expect(await renamed.json()).toEqual({ id: bug.id, name: "Defect", color: "#000000" });
  expect((await send("DELETE", `${labels}/${bug.id}`)).status).toBe(204);
  expect((await send("DELETE", `${labels}/${bug.id}`)).status).toBe(404);
  expect(await names()).toEqual(["Area: web"]);
});

it("A label's name is unique regardless of case, and labels are limited in length and number", async () => {
  const { as, owner, backlog, labels } = await scene();
  const { make, send } = await as(owner);
  await make("bug");
  expect((await send("POST", labels, { name: "BUG" })).status).toBe(409);
  for (const body of [{ name: "" }, { name: "a,b" }, { name: "n".repeat(51) }, { name: "x", color: "red" }])
    expect((await send("POST", labels, body)).status, JSON.stringify(body)).toBe(422);
  await t.query`insert into public.labels (product_id, name, color)
      select ${backlog.product.id}, 'l' || n, '#000000' from generate_series(1, 199) n`;
  const full = await send("POST", labels, { name: "one more" });
  expect([full.status, await full.json()]).toMatchObject([409, { error: expect.stringContaining("200") }]);
});

it("A label is unknown in other products", async () => {
  const { as, owner } = await scene();
  const bug = await (await as(owner)).make("bug");
  const other = await scene();
  const foreign = await (await other.as(other.owner)).send("PATCH", `${other.labels}/${bug.id}`, { name: "mine" });
  expect(foreign.status).toBe(404);
});

it("Labels are set by name, replace those before, and are in every answer about a story or task", async () => {
  const { as, owner, backlog } = await scene();
  const { make, send, read } = await as(owner);
  const [bug, web] = [await make("bug"), await make("Web")];
  const { story, task, pbi, product } = backlog;
  const patched = await send("PATCH", `/api/stories/${story.id}`, { labels: ["web", bug.id] });
  expect([patched.status, await patched.json()]).toMatchObject([200, { labels: [bug, web] }]);
  const moved = await send("PATCH", `/api/tasks/${task.id}`, { labels: ["BUG"] });
  expect(await moved.json()).toMatchObject({ id: task.id, status: "todo", labels: [bug] });
  expect(await read(`/api/tasks/${task.id}`)).toMatchObject({ labels: [bug] });
  expect(await read(`/api/stories/${story.id}`)).toMatchObject({ labels: [bug, web], tasks: [{ labels: [bug] }, {}] });
  expect(await read(`/api/pbis/${pbi.id}/stories`)).toMatchObject([{ labels: [bug, web] }]);
  expect(await read(`/api/stories/${story.id}/tasks`)).toMatchObject([{ labels: [bug] }, {}]);
  expect(await read(`/api/products/${product.id}/backlog`)).toMatchObject({
    storiesByPbi: { [pbi.id]: [{ labels: [bug, web] }] },
    tasksByStory: { [story.id]: [{ labels: [bug] }, {}] },
  });
  await send("PATCH", `/api/stories/${story.id}`, { labels: [] });
  expect(await read(`/api/pbis/${pbi.id}/stories`)).toEqual([
    expect.not.objectContaining({ labels: expect.anything() }),
  ]);
});

it("An unknown label is refused on a task, and a deleted label disappears from it", async () => {
  const { as, owner, backlog, labels } = await scene();
  const { make, send, read } = await as(owner);
  const bug = await make("bug");
  const unknown = await send("PATCH", `/api/tasks/${backlog.task.id}`, { labels: ["bgu"] });
  expect([unknown.status, await unknown.json()]).toMatchObject([422, { error: expect.stringContaining('"bgu"') }]);
  await send("PATCH", `/api/tasks/${backlog.task.id}`, { labels: ["bug"] });
  await send("DELETE", `${labels}/${bug.id}`);
  expect(await read(`/api/tasks/${backlog.task.id}`)).not.toHaveProperty("labels");
});

it("A label goes on all selected items, or off where all have it, and that can be undone", async () => {
  const { as, owner, backlog } = await scene();
  const { make, send, read } = await as(owner);
  const bug = await make("bug");
  await send("PATCH", `/api/tasks/${backlog.task.id}`, { labels: ["bug"] });
  const { database } = t.actorOf(owner);
  const browser = { userAgent: "test", address: "10.0.0.1", previousSessionId: null };
  const { session_id } = await createSession(database, owner.id, browser);
  const person = { database, credential: { session_id } };
  const things = [
    { kind: "task" as const, id: backlog.task.id },
    { kind: "story" as const, id: backlog.story.id },
    { kind: "pbi" as const, id: backlog.pbi.id },
  ];
  const toggle = () => changeThings(person, { things, changes: { toggle_label: bug.id } });
  const labeled = async () =>
    [await read(`/api/tasks/${backlog.task.id}`), await read(`/api/stories/${backlog.story.id}`)].map(
      (row) => labelListSchema.safeParse(row).success,
    );
  expect(await toggle()).toMatchObject({ changed: 2, skipped: 1 });
  expect(await labeled()).toEqual([true, true]);
  await toggle();
  expect(await labeled()).toEqual([false, false]);
  expect(await undoChange(person)).toMatchObject({ changes: [{}, {}] });
  expect(await labeled()).toEqual([true, true]);
});
