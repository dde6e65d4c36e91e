import { beforeEach, expect, it } from "vitest";
import { notificationsStateSchema } from "~/wire/events";
import { openApp } from "../setup/app";
import { bearer } from "../setup/world";
import { openStream, type StreamReader } from "./stream-reader";
import { addMember, createTask, createWorld, insert, removeMember, type World } from "./world";

const { t, app } = await openApp({ realtime: true });
const path = "/api/realtime/notifications";

let w: World;

beforeEach(async () => {
  w = await createWorld(t);
});

async function connect(user = w.member): Promise<StreamReader> {
  const reader = await openStream(`${app.origin}${path}`, { cookie: await app.signIn(user) });
  return reader;
}

function ask(world: World, question = "Linen or wool?"): Promise<string> {
  return insert(
    t,
    `insert into public.agent_questions (product_id, story_id, asked_by, question, options, expires_at)
     values ($1, $2, $3, $4, '[{"label":"Linen"},{"label":"Wool"}]', now() + interval '1 day')`,
    [world.productId, world.storyId, world.owner.id, question],
  );
}

it("The notifications stream begins with the open questions of all products in reach, with their texts", async () => {
  const second = await createWorld(t);
  await addMember(t, second.productId, w.member.id);
  const foreign = await createWorld(t);
  const ids = [await ask(w), await ask(second, "Silk?")];
  await ask(foreign, "secret");

  const reader = await connect();
  expect(reader.status).toBe(200);
  expect(reader.response.headers.get("content-type")).toBe("text/event-stream");
  const state = await reader.next();
  expect(state.event).toBe("state");
  const { questions } = notificationsStateSchema.parse(state.data);
  expect(questions.map(({ id }) => id)).toEqual(ids);
  expect(questions[0]).toMatchObject({ question: "Linen or wool?", status: "open" });
});

it("The notifications stream announces a new question and each change of its status", async () => {
  const reader = await connect();
  await reader.nextNamed("state");
  const id = await ask(w);
  const asked = await reader.next();
  expect(asked.event).toBe("message");
  const question = {
    entity: "question",
    id,
    product_id: w.productId,
    story_id: w.storyId,
    idea_id: null,
    task_id: null,
    assignee_id: null,
  };
  expect(asked.data).toEqual({ op: "I", ...question, status: "open" });

  await t.query`update public.agent_questions set status = 'CANCELLED' where id = ${id}`;
  expect((await reader.next()).data).toEqual({ op: "U", ...question, status: "cancelled" });
});

it("The notifications stream carries no task, no story and no question of a product out of reach", async () => {
  const foreign = await createWorld(t);
  const reader = await connect();
  await reader.nextNamed("state");
  await createTask(t, w.storyId);
  await t.query`update public.stories set title = 'Other' where id = ${w.storyId}`;
  await ask(foreign);
  const mine = await ask(w);
  expect((await reader.next()).data).toMatchObject({ entity: "question", id: mine });
});

it("The notifications stream sends a new state when a membership begins or ends", async () => {
  const other = await createWorld(t);
  const waiting = await ask(other);
  const reader = await connect();
  expect((await reader.next()).data).toEqual({ questions: [] });
  await addMember(t, other.productId, w.member.id);
  const after = notificationsStateSchema.parse((await reader.nextNamed("state")).data);
  expect(after.questions.map(({ id }) => id)).toEqual([waiting]);

  await removeMember(t, other.productId, w.member.id);
  expect((await reader.nextNamed("state")).data).toEqual({ questions: [] });
  await ask(other, "secret");
  const mine = await ask(w);
  expect((await reader.next()).data).toMatchObject({ id: mine });
});

it("The notifications stream can be read by demo users", async () => {
  await t.query`update public.users set is_demo = true where id = ${w.member.id}`;
  const reader = await connect();
  expect(await reader.next()).toMatchObject({ event: "state" });
});

it("The notifications stream ends when the user signs out (S1)", async () => {
  const reader = await connect();
  await reader.nextNamed("state");
  await t.query`update public.user_sessions set revoked_at = now() where user_id = ${w.member.id}`;
  expect(await reader.ended).toBe("clean");
});

it("The notifications stream is 401 without a session cookie; a token is not looked at (A8)", async () => {
  const headers = await t.bearerOf(w.member);
  expect((await app.request(path)).status).toBe(401);
  expect((await app.request(path, { headers })).status).toBe(401);
  expect((await app.request(path, { headers: { cookie: "session=x" } })).status).toBe(401);
});

it("A wrong token next to a good cookie does not keep the notifications stream from opening", async () => {
  const cookie = await app.signIn(w.member);
  const reader = await openStream(`${app.origin}${path}`, { ...bearer("blm_wrong"), cookie });
  expect(await reader.next()).toMatchObject({ event: "state" });
});
