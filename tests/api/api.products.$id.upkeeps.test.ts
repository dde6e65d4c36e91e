import { expect, it } from "vitest";
import { listLessons } from "~/nouns/lessons/operations.server";
import { openApp } from "../setup/app";
import type { TestUser } from "../setup/world";

const { t, app } = await openApp();
const address = "https://code.example/acme/shop";

/** A product with one accepted lesson, its owner, a member whose workers are allowed, and one whose are not. */
async function scene(fields: Record<string, unknown> = { p_pull_requests: "open" }) {
  const [owner, member, other] = [await t.createUser(), await t.createUser(), await t.createUser()];
  const product = await t.seedProduct(owner, { p_repo_url: address, ...fields });
  for (const user of [member, other]) await t.addMember(product.id, user);
  await t.allowWorkers(product.id, member);
  await t.query`insert into public.lessons (product_id, text, cause, status, since)
    values (${product.id}, 'Test it.', 'ci_failed', 'accepted', now())`;
  const call = async (method: string, path: string, body: object, user: TestUser = member) => {
    const answer = await app.send(method, path, body, await t.bearerOf(user));
    return { status: answer.status, body: await answer.json() };
  };
  const path = `/api/products/${product.id}/upkeeps`;
  const next = (user?: TestUser) => call("POST", path, { worker: "one" }, user);
  const due = async () => (await next()).body.upkeep;
  const tell = (one: { id: string; lease: string; digest: string }, report: object) =>
    call("PUT", `/api/upkeeps/${one.id}`, { lease: one.lease, digest: one.digest, ...report });
  const later = (what: "lease_until" | "look_at") =>
    t.sql.query(`update upkeeps set ${what} = now() where product_id = $1`, [product.id]);
  const files = async () => (await listLessons(t.actorOf(owner), { product_id: product.id })).files;
  return { product, owner, other, next, due, tell, later, files };
}

it("An upkeep goes to one worker at a time, and only the report of its holder counts", async () => {
  const { product, due, tell, later, files } = await scene();
  const first = await due();
  expect(first).toMatchObject({
    kind: "agents_md",
    content: ["Test it."],
    product: product.code,
    open_url: null,
    branch: `backloom/${product.code}/agents-md`,
    has_landed: false,
  });
  expect(await due()).toBeNull();
  await later("lease_until");
  const second = await due();
  const url = `${address}/pulls/1`;
  expect((await tell(first, { state: "open", url })).status).toBe(409);
  expect(await tell(second, { state: "open", url })).toMatchObject({ status: 200 });
  expect((await tell(second, { state: "merged" })).status).toBe(409);
  expect(await files()).toMatchObject([{ kind: "agents_md", state: "open", url, words: null }]);
  expect(await due()).toBeNull();
  await later("look_at");
  expect(await due()).toMatchObject({ open_url: url });
});

it("A merged upkeep rests until there is another lesson, and a failed one waits for its next try", async () => {
  const { product, due, tell, later, files } = await scene();
  await tell(await due(), { state: "put_off", words: "No login was found" });
  expect(await due()).toBeNull();
  expect(await files()).toMatchObject([{ state: "waiting", words: "No login was found" }]);
  await later("lease_until");
  await tell(await due(), { state: "merged" });
  await later("lease_until");
  expect(await due()).toBeNull();
  await t.query`update lessons set text = 'Test it well.' where product_id = ${product.id}`;
  expect(await files()).toMatchObject([{ state: "waiting" }]);
  expect(await due()).toMatchObject({ content: ["Test it well."], has_landed: true });
});

it("An upkeep is reported only by allowed workers, about the product's repository, and is audited", async () => {
  const { product, owner, other, next, due, tell, files } = await scene();
  expect((await next(other)).status).toBe(403);
  const one = await due();
  const elsewhere = await tell(one, { state: "open", url: "https://evil.example/pulls/1" });
  expect([elsewhere.status, await files()]).toMatchObject([403, [{ url: null }]]);
  expect((await tell(one, { state: "written" })).status).toBe(422);
  await tell(one, { state: "conflict", words: "x".repeat(1_000) });
  const rows = await t.query`select detail -> 'said' as said from audit_events
      where kind = 'worker.word' and detail ->> 'product_id' = ${product.id}`;
  expect(rows).toMatchObject([{ said: { kind: "agents_md", state: "conflict" } }]);
  expect((await next(owner)).status).toBe(200);
});

it("A product that wants no pull requests has no upkeeps", async () => {
  const { next, files } = await scene({ p_pull_requests: "none" });
  expect([(await next()).body, await files()]).toEqual([{ upkeep: null }, []]);
});
