import { beforeEach, describe, expect, it } from "vitest";
import { openApp } from "../setup/app";
import { bearer } from "../setup/world";
import { openStream, type StreamReader } from "./stream-reader";
import { addMember, createTask, createWorld, removeMember, type World } from "./world";

const { t, app } = await openApp({ realtime: true });

let w: World;

beforeEach(async () => {
  w = await createWorld(t);
});

async function connect(headers: HeadersInit): Promise<StreamReader> {
  const url = `${app.origin}/api/realtime/backlog?product_id=${w.productId}`;
  const reader = await openStream(url, headers);
  await reader.nextNamed("ready");
  return reader;
}

describe("losing access ends the open stream with no later event (S1)", () => {
  const token = () => t.bearerOf(w.member);
  const session = async () => ({ cookie: await app.signIn(w.member) });
  it.each([
    ["member is removed", token, () => removeMember(t, w.productId, w.member.id)],
    [
      "token is revoked",
      token,
      () => t.query`update public.api_tokens set revoked_at = now() where user_id = ${w.member.id}`,
    ],
    ["token is deleted", token, () => t.query`delete from public.api_tokens where user_id = ${w.member.id}`],
    [
      "user signs out",
      session,
      () => t.query`update public.user_sessions set revoked_at = now() where user_id = ${w.member.id}`,
    ],
    ["user is deleted", session, () => t.query`delete from auth.users where id = ${w.member.id}`],
  ])("A stream ends with no later event when its %s", async (_, credential, takeAway) => {
    const reader = await connect(await credential());
    await takeAway();
    await t.query`update public.tasks set title = 'Secret' where id = ${w.taskId}`;
    expect(await reader.ended).toBe("clean");
    const later = reader.messages.filter(({ data }) => data.entity === "task" && data.id === w.taskId);
    expect(later).toEqual([]);
  });

  it("A stream ends when its product is archived, for the owner too", async () => {
    const reader = await connect(await t.bearerOf(w.owner));
    await t.query`update public.products set archived_at = now() where id = ${w.productId}`;
    expect(await reader.ended).toBe("clean");
  });

  it("A stream ends when its product is deleted", async () => {
    const reader = await connect(await t.bearerOf(w.owner));
    await t.query`delete from public.products where id = ${w.productId}`;
    expect(await reader.ended).toBe("clean");
  });

  it("A stream ends when its token expires, without any event", { tags: "thorough" }, async () => {
    // Long enough to connect first, however busy the machine is.
    const expiresAt = new Date(Date.now() + 5000);
    const reader = await connect(bearer(await t.createToken(w.member, { expiresAt })));
    expect(await reader.ended).toBe("clean");
  });

  it("A stream ends when its paired session expires (P20)", async () => {
    const cookie = await app.signIn(w.member);
    const reader = await connect({ cookie });
    await t.query`
      update public.user_sessions set paired = true, paired_expires_at = now() + interval '1 second'
      where user_id = ${w.member.id}`;
    expect(await reader.ended).toBe("clean");
    const again = await app.request(`/api/realtime/backlog?product_id=${w.productId}`, { headers: { cookie } });
    expect(again.status).toBe(401);
  });

  it("A removed member's stream ends even when the event about the removal never came", async () => {
    const reader = await connect(await t.bearerOf(w.member));
    await t.query`alter table public.product_members disable trigger _900_emit`;
    try {
      await removeMember(t, w.productId, w.member.id);
      expect(await reader.ended).toBe("clean");
    } finally {
      await t.query`alter table public.product_members enable trigger _900_emit`;
    }
  });

  it("The end of a removed member's stream leaves the streams of others open", async () => {
    const mine = await connect(await t.bearerOf(w.member));
    const other = await connect(await t.bearerOf(w.owner));
    await removeMember(t, w.productId, w.member.id);
    await mine.ended;
    const taskId = await createTask(t, w.storyId);
    await other.nextWhere(({ data }) => data.id === taskId);
  });
});

it("A stream stays open when another credential of its user ends", async () => {
  const token = await t.createToken(w.member);
  const other = await t.createToken(w.member);
  const reader = await connect(bearer(token));
  await t.query`delete from public.api_tokens where user_id = ${w.member.id} and token_hash = sha256(${other}::bytea)`;
  await app.signIn(w.member);
  await t.query`delete from public.user_sessions where user_id = ${w.member.id}`;
  const taskId = await createTask(t, w.storyId);
  await reader.nextWhere(({ data }) => data.id === taskId);
});

it("A new member can open the stream at once", async () => {
  const headers = await t.bearerOf(w.stranger);
  const path = `/api/realtime/backlog?product_id=${w.productId}`;
  expect((await app.request(path, { headers })).status).toBe(403);
  await addMember(t, w.productId, w.stranger.id);
  await connect(headers);
});
