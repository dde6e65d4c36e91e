import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { addEvidence, getProof, waiveCriterion } from "~/nouns/proof/operations.server";
import { backlogChangeSchema } from "~/wire/events";
import { openApp } from "../setup/app";
import { bearer } from "../setup/world";
import { openStream, type StreamReader } from "./stream-reader";
import { createPbi, createStory, createTask, createWorld, type World } from "./world";

const { t, app } = await openApp({ realtime: true });

let w: World;
let token: string;

beforeEach(async () => {
  w = await createWorld(t);
  token = await t.createToken(w.member);
});

async function connect(productId = w.productId, headers: HeadersInit = bearer(token), further = "") {
  const url = `${app.origin}/api/realtime/backlog?product_id=${productId}${further}`;
  const reader = await openStream(url, headers);
  return reader;
}

it("The backlog stream begins with ready and its product, as text/event-stream", async () => {
  const reader = await connect();
  expect(reader.status).toBe(200);
  expect(reader.response.headers.get("content-type")).toBe("text/event-stream");
  expect(reader.response.headers.get("cache-control")).toContain("no-store");
  const ready = await reader.next();
  expect(ready).toMatchObject({ event: "ready", data: { product_id: w.productId } });
});

it("The backlog stream accepts a session cookie as well as a token", async () => {
  const reader = await connect(w.productId, { cookie: await app.signIn(w.member) });
  expect(await reader.next()).toMatchObject({ event: "ready" });
});

it("The backlog stream carries evidence and waivers with live=1, and not without", async () => {
  const live = await connect(w.productId, bearer(token), "&live=1");
  const plain = [await connect(), await connect(w.productId, bearer(token), "&live=0")];
  for (const reader of [live, ...plain]) await reader.nextNamed("ready");
  const pbiId = await createPbi(t, w.productId);
  const storyId = await createStory(t, { productId: w.productId, pbiId });
  await t.query`update public.stories set acceptance_criteria = '- It opens' where id = ${storyId}`;
  const actor = t.actorOf(w.member);
  const { criteria } = await getProof(actor, { story_id: storyId });
  await waiveCriterion(actor, { story_id: storyId, criterion: criteria[0]?.id ?? "", reason: "Not here" });
  await addEvidence(actor, { story_id: storyId, criterion: criteria[0]?.id ?? "", verdict: "pass" });
  const last = await createPbi(t, w.productId);
  const entitiesUntilLast = async (reader: StreamReader) => {
    const entities: string[] = [];
    for (;;) {
      const change = backlogChangeSchema.parse((await reader.nextChange()).data);
      if (change.id === last) return entities;
      entities.push(change.entity);
      if (change.entity !== "waiver") continue;
      expect(change).toMatchObject({ op: "I", product_id: w.productId, story_id: storyId });
    }
  };
  const further = ["evidence", "waiver"];
  expect(await entitiesUntilLast(live)).toEqual(expect.arrayContaining(further));
  for (const reader of plain) {
    const seen = await entitiesUntilLast(reader);
    expect(seen.filter((entity) => further.includes(entity))).toEqual([]);
  }
});

it("The backlog stream announces inserts, updates and deletions of PBIs, stories and tasks", async () => {
  const reader = await connect();
  await reader.nextNamed("ready");
  const pbiId = await createPbi(t, w.productId);
  const storyId = await createStory(t, { productId: w.productId, pbiId });
  const taskId = await createTask(t, storyId);
  await t.query`update public.tasks set title = 'Other' where id = ${taskId}`;
  await t.query`delete from public.pbis where id = ${pbiId}`;

  const seen: unknown[] = [];
  const last = (message: unknown) => expect.objectContaining({ op: "D", entity: "task" }).asymmetricMatch(message);
  for (let message = await reader.nextChange(); ; message = await reader.nextChange()) {
    expect(backlogChangeSchema.safeParse(message.data).success).toBe(true);
    seen.push(message.data);
    if (last(message.data)) break;
  }
  const product = { product_id: w.productId };
  expect(seen).toEqual(
    expect.arrayContaining([
      { op: "I", entity: "pbi", id: pbiId, ...product },
      { op: "I", entity: "story", id: storyId, pbi_id: pbiId, ...product },
      { op: "I", entity: "task", id: taskId, story_id: storyId, pbi_id: pbiId, ...product },
      { op: "U", entity: "task", id: taskId, story_id: storyId, pbi_id: pbiId, changed_fields: ["title"], ...product },
      { op: "D", entity: "pbi", id: pbiId, ...product },
      { op: "D", entity: "story", id: storyId, pbi_id: pbiId, ...product },
      { op: "D", entity: "task", id: taskId, story_id: storyId, pbi_id: pbiId, ...product },
    ]),
  );
});

it("The backlog stream announces a story's move to another PBI with both PBIs", async () => {
  const other = await createPbi(t, w.productId);
  const reader = await connect();
  await reader.nextNamed("ready");
  await t.query`update public.stories set pbi_id = ${other} where id = ${w.storyId}`;
  expect((await reader.nextWhere(({ data }) => data.entity === "story")).data).toEqual({
    op: "U",
    entity: "story",
    id: w.storyId,
    product_id: w.productId,
    pbi_id: other,
    old_pbi_id: w.pbiId,
    sprint_id: w.sprintId,
    old_sprint_id: w.sprintId,
    changed_fields: ["pbi_id"],
  });
});

it("The backlog stream announces a story log entry with its product and idea", async () => {
  const reader = await connect();
  await reader.nextNamed("ready");
  await t.query`insert into public.story_logs (story_id, type, content, user_id)
      values (${w.storyId}, 'IMPLEMENTATION_PLAN', 'x', ${w.member.id})`;
  const { data } = await reader.nextChange();
  const event = { op: "I", entity: "story_log", story_id: w.storyId, product_id: w.productId, idea_id: null };
  expect(data).toMatchObject(event);
});

it("The backlog stream says nothing of another product", async () => {
  const other = await createWorld(t);
  const reader = await connect();
  await reader.nextNamed("ready");
  await createTask(t, other.storyId, "elsewhere");
  const here = await createTask(t, w.storyId, "here");
  expect((await reader.nextChange()).data).toMatchObject({ entity: "task", id: here });
});

describe("refusals of the backlog stream", () => {
  const path = "/api/realtime/backlog";

  it("The backlog stream is 401 without a good credential, before anything else is checked", async () => {
    for (const query of ["", "?product_id=x", `?product_id=${randomUUID()}`, `?product_id=${w.productId}`]) {
      expect((await app.request(path + query)).status).toBe(401);
      const wrong = { headers: bearer("blm_wrong") };
      expect((await app.request(path + query, wrong)).status).toBe(401);
    }
  });

  it("The backlog stream is 400 without a product, 404 if unknown, 422 for live=maybe, 403 if foreign", async () => {
    const headers = bearer(token);
    expect((await app.request(path, { headers })).status).toBe(400);
    expect((await app.request(`${path}?product_id=`, { headers })).status).toBe(400);
    expect((await app.request(`${path}?product_id=no-uuid`, { headers })).status).toBe(404);
    expect((await app.request(`${path}?product_id=${randomUUID()}`, { headers })).status).toBe(404);
    const unclear = `${path}?product_id=${w.productId}&live=maybe`;
    expect((await app.request(unclear, { headers })).status).toBe(422);
    const foreign = await createWorld(t);
    const answer = await app.request(`${path}?product_id=${foreign.productId}`, { headers });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ code: 403 });
  });

  it("an invalid token is not helped by a good cookie (A7)", async () => {
    const headers = { ...bearer("blm_wrong"), cookie: await app.signIn(w.member) };
    const answer = await app.request(`${path}?product_id=${w.productId}`, { headers });
    expect(answer.status).toBe(401);
  });

  it("The backlog stream of an archived product is 403", async () => {
    await t.query`update public.products set archived_at = now() where id = ${w.productId}`;
    const answer = await app.request(`${path}?product_id=${w.productId}`, { headers: bearer(token) });
    expect(answer.status).toBe(403);
  });

  it("a page of another site is refused, and no answer carries CORS headers (S12)", async () => {
    const headers = { cookie: await app.signIn(w.member), "sec-fetch-site": "cross-site" };
    const answer = await app.request(`${path}?product_id=${w.productId}`, { headers });
    expect(answer.status).toBe(403);
    const reader = await connect();
    expect(reader.response.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("The backlog stream is 405 for methods other than GET, HEAD included (A1, A2)", async () => {
    for (const method of ["HEAD", "POST", "PUT", "PATCH", "DELETE"]) {
      const answer = await app.request(`${path}?product_id=${w.productId}`, { method, headers: bearer(token) });
      expect(answer.status).toBe(405);
      expect(answer.headers.get("allow")).toContain("GET");
    }
  });
});
