import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openApp } from "../setup/app";
import { bearer } from "../setup/world";
import { openStream, type StreamReader } from "./stream-reader";
import { addMember, createTask, createWorld, removeMember, type World } from "./world";

const { t, app } = await openApp({ realtime: true });

let w: World;
const open: StreamReader[] = [];

beforeEach(async () => {
  w = await createWorld(t);
});

afterEach(() => {
  for (const reader of open.splice(0)) reader.close();
});

async function connect(headers: HeadersInit): Promise<StreamReader> {
  const url = `${app.origin}/api/realtime/backlog?product_id=${w.productId}`;
  const reader = await openStream(url, headers);
  open.push(reader);
  await reader.nextNamed("ready");
  return reader;
}

/** Ends access, writes, and sees to it that the stream ended without that write. */
async function expectEnd(reader: StreamReader, takeAway: () => Promise<unknown>): Promise<void> {
  await takeAway();
  await t.query`update public.tasks set title = 'Secret' where id = ${w.taskId}`;
  expect(await reader.ended).toBe("clean");
  const later = reader.messages.filter(({ data }) => data.entity === "task" && data.id === w.taskId);
  expect(later).toEqual([]);
}

describe("losing access ends the open stream with no later event (S1)", () => {
  it("when the member is removed", async () => {
    const reader = await connect(await t.bearerOf(w.member));
    await expectEnd(reader, () => removeMember(t, w.productId, w.member.id));
  });

  it("when the product is archived, for the owner too", async () => {
    const reader = await connect(await t.bearerOf(w.owner));
    await t.query`update public.products set archived_at = now() where id = ${w.productId}`;
    expect(await reader.ended).toBe("clean");
  });

  it("when the product is deleted", async () => {
    const reader = await connect(await t.bearerOf(w.owner));
    await t.query`delete from public.products where id = ${w.productId}`;
    expect(await reader.ended).toBe("clean");
  });

  it("when the token is revoked", async () => {
    const reader = await connect(await t.bearerOf(w.member));
    await expectEnd(
      reader,
      () => t.query`update public.api_tokens set revoked_at = now() where user_id = ${w.member.id}`,
    );
  });

  it("when the token is deleted", async () => {
    const reader = await connect(await t.bearerOf(w.member));
    await expectEnd(reader, () => t.query`delete from public.api_tokens where user_id = ${w.member.id}`);
  });

  it("when the user signs out", async () => {
    const reader = await connect({ cookie: await app.signIn(w.member) });
    await expectEnd(
      reader,
      () => t.query`update public.user_sessions set revoked_at = now() where user_id = ${w.member.id}`,
    );
  });

  it("when the user is deleted", async () => {
    const reader = await connect({ cookie: await app.signIn(w.member) });
    await expectEnd(reader, () => t.query`delete from auth.users where id = ${w.member.id}`);
  });

  it("when the token's time is over, without any event", { tags: "thorough" }, async () => {
    // Long enough to connect first, however busy the machine is.
    const expiresAt = new Date(Date.now() + 5000);
    const reader = await connect(bearer(await t.createToken(w.member, { expiresAt })));
    expect(await reader.ended).toBe("clean");
  });

  it("when the paired session's time is over (P20)", async () => {
    const cookie = await app.signIn(w.member);
    const reader = await connect({ cookie });
    await t.query`
      update public.user_sessions set paired = true, paired_expires_at = now() + interval '1 second'
      where user_id = ${w.member.id}`;
    expect(await reader.ended).toBe("clean");
    const again = await app.request(`/api/realtime/backlog?product_id=${w.productId}`, { headers: { cookie } });
    expect(again.status).toBe(401);
  });

  it("even when the event about it never came", async () => {
    const reader = await connect(await t.bearerOf(w.member));
    await t.query`alter table public.product_members disable trigger _900_emit`;
    try {
      await removeMember(t, w.productId, w.member.id);
      expect(await reader.ended).toBe("clean");
    } finally {
      await t.query`alter table public.product_members enable trigger _900_emit`;
    }
  });

  it("and leaves the streams of others open", async () => {
    const mine = await connect(await t.bearerOf(w.member));
    const other = await connect(await t.bearerOf(w.owner));
    await removeMember(t, w.productId, w.member.id);
    await mine.ended;
    const taskId = await createTask(t, w.storyId);
    await other.nextWhere(({ data }) => data.id === taskId);
  });
});

describe("a credential that is not the stream's own", () => {
  it("may end without ending the stream", async () => {
    const token = await t.createToken(w.member);
    const other = await t.createToken(w.member);
    const reader = await connect(bearer(token));
    await t.query`delete from public.api_tokens where user_id = ${w.member.id}
      and token_hash = sha256(${other}::bytea)`;
    await app.signIn(w.member);
    await t.query`delete from public.user_sessions where user_id = ${w.member.id}`;
    const taskId = await createTask(t, w.storyId);
    await reader.nextWhere(({ data }) => data.id === taskId);
  });
});

describe("access that begins", () => {
  it("opens the stream at once", async () => {
    const headers = await t.bearerOf(w.stranger);
    const path = `/api/realtime/backlog?product_id=${w.productId}`;
    expect((await app.request(path, { headers })).status).toBe(403);
    await addMember(t, w.productId, w.stranger.id);
    await connect(headers);
  });
});
