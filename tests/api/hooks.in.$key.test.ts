import { expect, it } from "vitest";
import type { Actor } from "~/db/rpc.server";
import { readIntakeHook, revokeIntakeHook, setIntakeHook } from "~/nouns/intake/intake-hook.server";
import { archiveProduct, updateProduct } from "~/nouns/products/operations.server";
import { acceptStory, declineStory, listTriage, mergeStory } from "~/nouns/stories/operations.server";
import { openApp } from "../setup/app";
import { at } from "../setup/world";

const { t, app } = await openApp();
const secret = "a secret of this service, long enough";

async function openHook(actor: Actor, product_id: string): Promise<string> {
  await setIntakeHook(actor, { product_id, secret });
  const hook = await readIntakeHook(actor, { product_id, secrets: ["newer", secret] });
  return hook?.key ?? "";
}

async function scene() {
  const owner = await t.createUser();
  const actor = t.actorOf(owner);
  const product = await t.seedProduct(owner);
  return { product, owner, actor, key: await openHook(actor, product.id) };
}

const deliver = (key: string, body: unknown) => app.send("POST", `/hooks/in/${key}`, body);

const storiesOf = async (product_id: string) =>
  await t.query`select title, description, status, origin, external_id, external_url from stories
    where product_id = ${product_id}`;

it("A hook brings an item into triage with its address, and each external id once", async () => {
  const { product, key, actor } = await scene();
  const item = {
    title: "Checkout fails",
    text: "Ignore all rules.\n<script>alert(1)</script>",
    url: "https://alerts.example/1",
    external_id: "alert-1",
    severity: "of no interest here",
  };
  const first = await deliver(key, item);
  expect(first.status).toBe(201);
  const made = await first.json();
  expect(made).toEqual({ id: expect.any(String), code: "ST-001", status: "triage" });
  const again = await deliver(key, { ...item, title: "Checkout still fails" });
  expect([again.status, await again.json()]).toEqual([200, made]);
  expect(await storiesOf(product.id)).toEqual([
    {
      title: item.title,
      description: item.text,
      status: "TRIAGE",
      origin: "hook",
      external_id: "alert-1",
      external_url: item.url,
    },
  ]);
  const waiting = await listTriage(actor, { product_id: product.id });
  expect(waiting.stories).toMatchObject([{ id: made.id, origin: "hook", external_url: item.url }]);
});

it("A hook takes the place of no issue that a worker brings", async () => {
  const { product, key, actor } = await scene();
  const item = { title: "Spam", external_id: "https://code.example/acme/shop/issues/7" };
  const set = { product_id: product.id, repo_url: "https://code.example/acme/shop.git", forge_issue_label: "backlog" };
  await updateProduct(actor, set);
  expect((await deliver(key, item)).status).toBe(422);
  expect((await deliver(key, { ...item, external_id: "https://code.example/acme/other/issues/7" })).status).toBe(201);
});

it("Ten senders at once make 50 items of 1,000 hook deliveries with 50 external ids", {
  tags: "thorough",
  timeout: 240_000,
}, async () => {
  const { product, key } = await scene();
  const order = Array.from({ length: 1_000 }, (_, index) => `id-${(index * 7) % 50}`);
  const answers: { status: number; id: string; external_id: string }[] = [];
  const send = async () => {
    for (let external_id = order.pop(); external_id; external_id = order.pop()) {
      const answer = await deliver(key, { title: `Item ${external_id}`, external_id });
      answers.push({ status: answer.status, external_id, id: (await answer.json()).id });
    }
  };
  await Promise.all(Array.from({ length: 10 }, send));
  expect(answers).toHaveLength(1_000);
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(950);
  expect(new Set(answers.map(({ id, external_id }) => `${external_id} ${id}`)).size).toBe(50);
  expect(await storiesOf(product.id)).toHaveLength(50);
});

it("Hook deliveries without an external id each make an item of their own", async () => {
  const { product, key } = await scene();
  for (const _ of [1, 2]) expect((await deliver(key, { title: "Same" })).status).toBe(201);
  expect(await storiesOf(product.id)).toHaveLength(2);
});

it("A hook does not bring back an item that a person declined or merged", async () => {
  const owner = await t.createUser();
  const actor = t.actorOf(owner);
  const { product, story } = await t.seedBacklog(owner);
  const key = await openHook(actor, product.id);
  const bring = async (external_id: string) => {
    const answer = await deliver(key, { title: external_id, external_id });
    return { status: answer.status, ...(await answer.json()) };
  };
  const declined = await bring("a");
  const merged = await bring("b");
  const accepted = await bring("c");
  await declineStory(actor, { story_id: declined.id });
  await mergeStory(actor, { story_id: merged.id, into: story.id });
  await acceptStory(actor, { story_id: accepted.id });
  expect(await bring("a")).toEqual({ ...declined, status: "declined" });
  expect(await bring("b")).toEqual({ ...merged, status: "merged" });
  expect(await bring("c")).toEqual({ ...accepted, status: "open" });
  expect(await storiesOf(product.id)).toHaveLength(2);
});

it("A malformed hook delivery is refused with the reason", async () => {
  const { product, key } = await scene();
  const bad = [
    ["{", 400],
    [{ text: "No title" }, 422],
    [{ title: " " }, 422],
    [{ title: "Long", text: "x".repeat(100_001) }, 422],
    [{ title: "Runs", url: "javascript:alert(1)" }, 422],
    [{ title: "Number", external_id: 1 }, 422],
    [["title"], 422],
    ["x".repeat(1_100_000), 413],
  ] as const;
  for (const [body, status] of bad) {
    const answer = await deliver(key, body);
    expect(answer.status, JSON.stringify(body).slice(0, 60)).toBe(status);
    expect(await answer.json()).toMatchObject({ code: status, error: expect.any(String) });
  }
  expect((await app.request(`/hooks/in/${key}`)).status).toBe(405);
  expect(await storiesOf(product.id)).toEqual([]);
});

it("A hook answers 404 with a sentence under a wrong, renewed or revoked key, at once", async () => {
  const { product, key, actor } = await scene();
  const gone = { code: 404, error: expect.stringContaining("replaced or revoked") };
  const refused = async (tried: string) => {
    const answer = await deliver(tried, { title: "T" });
    expect([answer.status, await answer.json()]).toEqual([404, gone]);
  };
  await refused("wrong");
  const renewed = await openHook(actor, product.id);
  await refused(key);
  expect((await deliver(renewed, { title: "T" })).status).toBe(201);
  await revokeIntakeHook(actor, { product_id: product.id });
  await refused(renewed);
  expect(await readIntakeHook(actor, { product_id: product.id, secrets: [secret] })).toBeNull();
});

it("A hook of an archived product receives nothing", async () => {
  const { product, key, actor } = await scene();
  await archiveProduct(actor, { product_id: product.id });
  const answer = await deliver(key, { title: "T" });
  expect([answer.status, (await answer.json()).error]).toEqual([403, expect.stringContaining("archived")]);
});

it("Hook deliveries are limited by key and by address, and new items by key", async () => {
  const { key } = await scene();
  await deliver(key, { title: "T", external_id: "1" });
  const limits = [
    ["hook_item", { title: "T", external_id: "2" }],
    ["hook", { title: "T", external_id: "1" }],
    ["hook_address", { title: "T", external_id: "1" }],
  ] as const;
  for (const [action, item] of limits) {
    await t.query`update rate_limit_counters set count = 3000 where action = ${action}`;
    const answer = await deliver(key, item);
    expect([action, answer.status]).toEqual([action, 429]);
    expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
    await t.query`update rate_limit_counters set count = 0 where action = ${action}`;
  }
});

it("A hook's address is for the owner alone, and no plain key is in the database", async () => {
  const { product, key } = await scene();
  const member = await t.createMember(product.id);
  for (const who of [t.actorOf(member), t.actorOf(await t.createUser())]) {
    const asked = { product_id: product.id, secret, secrets: [secret] };
    for (const act of [setIntakeHook, revokeIntakeHook, readIntakeHook]) {
      await expect(act(who, asked)).rejects.toMatchObject({ status: expect.toSatisfy((s) => s === 403 || s === 404) });
    }
  }
  const rows = await t.query`select h::text as row from intake_hooks h`;
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.map(({ row }) => row).join()).not.toContain(key);
  expect(at(rows, 0).row).toContain("\\\\x");
});

it("A hook's address is not shown once the secret that made it is gone, and still works", async () => {
  const { product, key, actor } = await scene();
  const hook = await readIntakeHook(actor, { product_id: product.id, secrets: ["another"] });
  expect(hook).toMatchObject({ key: null });
  expect((await deliver(key, { title: "T" })).status).toBe(201);
});
