import { expect, it } from "vitest";
import { type SavedView, savedViewListSchema, savedViewSchema } from "~/wire/saved-views/contract";
import { openApp } from "../setup/app";

const { t, app } = await openApp();

/** `/api/products/:id/views` (api.products.$id.views) and `/api/views/:id` (api.views.$id). */
async function scene() {
  const owner = await t.createUser();
  const product = await t.seedProduct(owner);
  const [member, other] = [await t.createMember(product.id), await t.createMember(product.id)];
  const views = `/api/products/${product.id}/views`;
  const as = async (user: typeof owner) => {
    const headers = await t.bearerOf(user);
    const send = (method: string, path: string, body?: unknown) => app.send(method, path, body, headers);
    return {
      send,
      make: async (body: unknown): Promise<SavedView> => {
        const answer = await send("POST", views, body);
        expect(answer.status).toBe(201);
        return savedViewSchema.parse(await answer.json());
      },
      names: async (query = ""): Promise<string[]> => {
        const { views: found } = savedViewListSchema.parse(await (await send("GET", `${views}${query}`)).json());
        return found.map(({ name }) => name);
      },
    };
  };
  return { product, views, owner, member, other, as };
}

const waiting = { page: "board", name: "Waiting", look: { q: "is:waiting", group: "story" } };

it("A view is kept for oneself or for all members, each name once where it is seen", async () => {
  const { as, member, other, views } = await scene();
  const [one, another] = [await as(member), await as(other)];
  const own = await one.make(waiting);
  expect(own).toMatchObject({ ...waiting, shared: false, may_change: true });
  await one.make({ ...waiting, name: "Ours", shared: true });
  await one.make({ ...waiting, page: "backlog", look: {} });
  expect(await one.names()).toEqual(["Waiting", "Waiting", "Ours"]);
  expect(await one.names("?page=board")).toEqual(["Waiting", "Ours"]);
  expect(await another.names()).toEqual(["Ours"]);
  await another.make(waiting);
  const taken = await one.send("POST", views, { ...waiting, name: "waiting" });
  expect(taken.status).toBe(409);
  expect(await taken.json()).toMatchObject({ error: expect.stringContaining("another name") });
});

it("A view with an invalid page, name or look is refused", async () => {
  const { as, member, views } = await scene();
  const { send } = await as(member);
  for (const body of [
    { ...waiting, page: "dashboard" },
    { ...waiting, name: " " },
    { ...waiting, name: "a\nb" },
    { ...waiting, name: "n".repeat(61) },
    { ...waiting, look: { panel: "new-story" } },
    { ...waiting, look: { q: "q".repeat(201) } },
    { ...waiting, look: { fold: "f".repeat(1001) } },
    { ...waiting, look: { q: 1 } },
    { ...waiting, look: undefined },
  ]) {
    expect((await send("POST", views, body)).status, JSON.stringify(body)).toBe(422);
  }
});

it("A view is refused to demo accounts, in archived products, as the 51st, and too often a minute", async () => {
  const { as, owner, member, other, views, product } = await scene();
  const demo = await t.createMember(product.id, { demo: true });
  const refused = await (await as(demo)).send("POST", views, waiting);
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ error: expect.stringContaining("demo account") });

  const many = await as(member);
  for (let count = 0; count < 50; count++) await many.make({ ...waiting, name: `View ${count}` });
  const full = await many.send("POST", views, waiting);
  expect([full.status, await full.json()]).toMatchObject([409, { error: expect.stringContaining("50") }]);
  const statuses = await Promise.all(
    Array.from({ length: 10 }, async () => (await many.send("POST", views, waiting)).status),
  );
  // A refused try is taken back with its operation, and so is its count.
  expect(new Set(statuses)).toEqual(new Set([409]));
  await t.query`update public.rate_limit_counters set count = 60 where action = 'saved_view'`;
  const fast = await many.send("POST", views, waiting);
  expect([fast.status, fast.headers.get("retry-after")]).toEqual([429, expect.any(String)]);

  await (await as(other)).make({ ...waiting, name: "Kept", shared: true });
  const cookie = await app.signIn(owner);
  await t.query`update public.products set archived_at = now() where id = ${product.id}`;
  const archived = await app.send("POST", views, waiting, { cookie });
  expect(await archived.json()).toMatchObject({ error: expect.stringContaining("archived") });
  expect(await (await as(other)).names()).toEqual(["Kept"]);
});

it("A view is changed and deleted by its maker, and by the owner where it is shared", async () => {
  const { as, owner, member, other } = await scene();
  const [maker, someone, head] = [await as(member), await as(other), await as(owner)];
  const own = await maker.make(waiting);
  const shared = await maker.make({ ...waiting, name: "Ours", shared: true });
  const path = (view: SavedView) => `/api/views/${view.id}`;

  expect((await someone.send("PATCH", path(own), { name: "Mine" })).status).toBe(404);
  expect((await head.send("DELETE", path(own))).status).toBe(404);
  expect((await someone.send("PATCH", path(shared), { name: "Mine" })).status).toBe(403);
  const fold = "ST-001,".repeat(100);
  const folded = await head.send("PATCH", path(shared), { look: { group: "story", fold } });
  expect(await folded.json()).toMatchObject({ look: { group: "story", fold } });
  const changed = await head.send("PATCH", path(shared), { look: { q: "is:running" } });
  expect(await changed.json()).toMatchObject({ name: "Ours", look: { q: "is:running" } });

  const given = await maker.send("PATCH", path(own), { name: "For all", shared: true });
  expect(await given.json()).toMatchObject({ name: "For all", shared: true, look: waiting.look });
  expect(await someone.names()).toEqual(["For all", "Ours"]);
  const clash = await maker.send("PATCH", path(own), { name: "ours" });
  expect(clash.status).toBe(409);
  const back = await head.send("PATCH", path(shared), { shared: false });
  expect(await back.json()).toMatchObject({ shared: false, may_change: true });
  expect(await maker.names()).toEqual(["For all"]);

  expect((await maker.send("DELETE", path(own))).status).toBe(204);
  expect((await maker.send("DELETE", path(own))).status).toBe(404);
  expect((await maker.send("DELETE", "/api/views/nothing")).status).toBe(404);
  expect(await someone.names()).toEqual([]);
});

it("Of many views created with one name at once, exactly one gets it", async () => {
  const { as, member, views } = await scene();
  const { send } = await as(member);
  const answers = await Promise.all(Array.from({ length: 8 }, async () => (await send("POST", views, waiting)).status));
  expect(answers.filter((status) => status === 201)).toHaveLength(1);
  expect(answers.filter((status) => status === 409)).toHaveLength(7);
});
