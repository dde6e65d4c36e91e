import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { callAs, callService, Once } from "~/db/rpc.server";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { expectRefusal } from "../setup/endpoint-checks";
import { bearer, create } from "../setup/world";

const plan = { type: "IMPLEMENTATION_PLAN", content: "First the rows" };

async function openWorld(transport: "session" | "http") {
  const t = await createTestDatabase({ transport });
  const app = await startTestApp(t);
  const owner = await t.createUser();
  const token = await t.createToken(owner);
  return { transport, t, app, owner, token, ...(await t.seedBacklog(owner)) };
}

const worlds = [await openWorld("session"), await openWorld("http")];

describe.each(worlds)("a POST with an Idempotency-Key, over $transport", (world) => {
  const { transport, t, app, owner, token, story, product, pbi } = world;
  const post = (path: string, body: unknown, key: string, bearerToken = token) =>
    app.send("POST", path, body, { "idempotency-key": key, ...bearer(bearerToken) });
  const log = `/api/stories/${story.id}/log`;
  const entries = async (content: string): Promise<number> => {
    const rows = await t.query`select from story_logs where content = ${content}`;
    return rows.length;
  };
  const keyRows = async (key: string): Promise<number> => {
    const rows = await t.query`select from idempotency_keys where key = ${key}`;
    return rows.length;
  };

  it("A POST with an idempotency key happens once, and is answered again with Idempotency-Replayed", async () => {
    const key = randomUUID();
    const first = await post(log, plan, key);
    expect([first.status, first.headers.get("idempotency-replayed")]).toEqual([201, null]);
    const body = await first.text();
    const again = await post(log, plan, key);
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
    expect(await again.text()).toBe(body);
    expect(await entries(plan.content)).toBe(1);
  });

  it("A POST with an idempotency key is not answered again to someone who has left the product", async () => {
    const member = await t.createMember(product.id);
    const theirs = await t.createToken(member);
    const [key, another] = [randomUUID(), randomUUID()];
    const comment = [`/api/stories/${story.id}/comments`, { body: "Seen" }, another, theirs] as const;
    expect((await post(log, plan, key, theirs)).status).toBe(201);
    expect((await post(...comment)).status).toBe(201);
    await t.query`delete from product_members where user_id = ${member.id}`;
    await expectRefusal(await post(log, plan, key, theirs), 403);
    await expectRefusal(await post(...comment), 403);
  });

  it("Ten callers at once with one idempotency key make one row, and all get the same answer", async () => {
    const key = randomUUID();
    const body = { ...plan, content: "Ten at once" };
    const untilAnswered = async (): Promise<string> => {
      const answer = await post(log, body, key);
      if (answer.status === 409 && answer.headers.get("retry-after") === "1") return untilAnswered();
      expect(answer.status).toBe(201);
      return answer.text();
    };
    const answers = await Promise.all(Array.from({ length: 10 }, untilAnswered));
    expect(new Set(answers).size).toBe(1);
    expect(await entries(body.content)).toBe(1);
  });

  it("An idempotency key used for another body or another address gets 422", async () => {
    const key = randomUUID();
    expect((await post(log, { ...plan, content: "One" }, key)).status).toBe(201);
    const other = await post(log, { ...plan, content: "Other" }, key);
    expect(await other.json()).toMatchObject({ code: 422, issues: [{ path: "idempotency_key" }] });
    const labels = `/api/products/${product.id}/labels`;
    await expectRefusal(await post(labels, { name: "bug" }, key), 422);
    expect(await entries("Other")).toBe(0);
  });

  it("An idempotency key in use gets 409 with Retry-After: 1, and works when its first request has failed", async () => {
    const key = randomUUID();
    const body = { ...plan, content: "While one runs" };
    const running = await t.begin();
    await running.query(
      "insert into idempotency_keys (user_id, key, fingerprint, created_at) values ($1, $2, 'x', now())",
      [owner.id, key],
    );
    const refused = await post(log, body, key);
    expect(refused.headers.get("retry-after")).toBe("1");
    await expectRefusal(refused, 409);
    await running.query("rollback");
    expect((await post(log, body, key)).status).toBe(201);
    expect(await entries(body.content)).toBe(1);
  });

  it("A refused request leaves no idempotency key", async () => {
    const key = randomUUID();
    const labels = `/api/products/${product.id}/labels`;
    const name = `twice-${transport}`;
    expect((await post(labels, { name }, randomUUID())).status).toBe(201);
    expect((await post(labels, { name }, key)).ok).toBe(false);
    expect(await keyRows(key)).toBe(0);
    expect((await post(labels, { name: `${name}-else` }, key)).status).toBe(201);
  });

  it("A guess that was counted and refused leaves no idempotency key", async () => {
    const key = randomUUID();
    const actor = { ...t.actorOf(owner), once: new Once(key) };
    const given = { p_product_id: product.id, p_identifier: "nobody-of-this-name" };
    await callAs(actor, "invite_person", given, z.object({ refused: z.unknown() }));
    expect(await keyRows(key)).toBe(0);
  });

  it("An idempotency key of one user says nothing to another with the same key", async () => {
    const key = randomUUID();
    const stranger = await t.createUser();
    expect((await post(log, { ...plan, content: "Mine" }, key)).status).toBe(201);
    const theirs = await post(log, { ...plan, content: "Mine" }, key, await t.createToken(stranger));
    await expectRefusal(theirs, 403);
  });

  it.each(["", "k".repeat(256)])("An idempotency key of a wrong length gets 422", async (key) => {
    await expectRefusal(await post(log, plan, key), 422);
    await expectRefusal(await post(log, plan, key, "unknown"), 401);
  });

  it("An idempotency key is free after 24 hours, and the sweep deletes its row", async () => {
    const key = randomUUID();
    const body = { ...plan, content: "A day later" };
    const first = await post(log, body, key);
    const age = (hours: number) =>
      t.query`update idempotency_keys set created_at = private.now() - make_interval(hours =>
        ${hours}) where key = ${key}`;
    await age(23);
    expect(await (await post(log, body, key)).text()).toBe(await first.text());
    await age(24);
    expect((await post(log, { ...body, content: "Two days later" }, key)).status).toBe(201);
    await age(24);
    await callService(t.database, "sweep", { p_full: true }, z.unknown());
    expect(await keyRows(key)).toBe(0);
  });

  it("A user has 600 new idempotency keys a minute, and beyond that the known ones still work", async () => {
    const user = await t.createUser();
    const own = await t.createToken(user);
    const { story: mine } = await t.seedBacklog(user);
    const first = randomUUID();
    const path = `/api/stories/${mine.id}/log`;
    expect((await post(path, plan, first, own)).status).toBe(201);
    await t.query`insert into idempotency_keys (user_id, key, fingerprint, answer, created_at)
      select ${user.id}, 'k' || n, '', '1', private.now() from generate_series(1, 599) n`;
    const beyond = await post(path, plan, randomUUID(), own);
    expect([beyond.status, beyond.headers.get("retry-after")]).toEqual([429, "60"]);
    expect((await post(path, plan, first, own)).status).toBe(201);
    await t.query`delete from idempotency_keys where user_id = ${user.id}`;
  });

  it("The first write of a request gets its idempotency key, and no read does", async () => {
    const actor = { ...t.actorOf(owner), once: new Once(randomUUID()) };
    await callAs(actor, "get_story", { p_story_id: story.id }, z.unknown());
    expect(actor.once.key).toBeDefined();
    const task = await create(actor, "create_story", { p_pbi_id: pbi.id, p_title: "Keyed" });
    expect([task.code, actor.once.key, actor.once.wasReplayed]).toEqual([
      expect.stringMatching(/^ST-/),
      undefined,
      false,
    ]);
  });
});
