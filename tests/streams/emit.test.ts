import { beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase } from "../setup/database";
import { announcements } from "./announcements";
import {
  addMember,
  createPbi,
  createSprint,
  createStory,
  createTask,
  createWorld,
  insert,
  removeMember,
  type World,
} from "./world";

const t = await createTestDatabase();
const { announced, eventsOf: eventsIn } = announcements(t);

let w: World;
beforeEach(async () => {
  w = await createWorld(t);
  await t.query`truncate realtime.messages`;
});

const eventsOf = (entity: string) => eventsIn(w.productId, entity);

describe("events of tasks", () => {
  it("carry the place of their story and the fields of the contract on insert, update and delete", async () => {
    const taskId = await createTask(t, w.storyId, "Weave");
    const place = { product_id: w.productId, story_id: w.storyId, sprint_id: w.sprintId };
    const task = { entity: "task", id: taskId, ...place, assignee_id: w.member.id };
    expect(await eventsOf("task")).toMatchObject([
      { op: "I", ...task, task_status: "TO_DO", task_title: "Weave", task_sort_order: 2 },
    ]);

    await t.query`update public.tasks set title = 'Spin', priority = 1 where id = ${taskId}`;
    expect(await eventsOf("task")).toMatchObject([
      { op: "U", ...task, task_title: "Spin", changed_fields: ["priority", "title"] },
    ]);

    await t.query`delete from public.tasks where id = ${taskId}`;
    expect(await eventsOf("task")).toMatchObject([{ op: "D", ...task }]);
  });

  it("are not sent for an update that changes nothing", async () => {
    await t.query`update public.tasks set title = title where id = ${w.taskId}`;
    expect(await announced()).toEqual([]);
  });

  it("notify the place that was left when the task moves to another story", async () => {
    const otherStory = await createStory(t, { ...w, sprintId: null, assigneeId: null });
    await announced();
    await t.query`update public.tasks set story_id = ${otherStory} where id = ${w.taskId}`;
    expect(await eventsOf("task")).toMatchObject([
      {
        op: "U",
        story_id: otherStory,
        sprint_id: null,
        old_story_id: w.storyId,
        old_sprint_id: w.sprintId,
        old_assignee_id: w.member.id,
        changed_fields: ["story_id"],
      },
    ]);
  });

  it("carry sprint and assignee also when the whole PBI is deleted", async () => {
    await t.query`delete from public.pbis where id = ${w.pbiId}`;
    const events = await announced(`product:${w.productId}`);
    const deleted = events.map(({ payload }) => payload).filter(({ op }) => op === "D");
    const place = { pbi_id: w.pbiId, sprint_id: w.sprintId, assignee_id: w.member.id };
    expect(deleted).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ entity: "task", id: w.taskId, ...place }),
        expect.objectContaining({ entity: "story", id: w.storyId, ...place }),
        expect.objectContaining({ entity: "pbi", id: w.pbiId }),
      ]),
    );
    expect(deleted).toHaveLength(3);
  });
});

describe("events of stories, PBIs and sprints", () => {
  it("name old and new place of a story that changes hands", async () => {
    await t.query`update public.stories set assignee_id = ${w.owner.id} where id = ${w.storyId}`;
    expect(await eventsOf("story")).toMatchObject([
      {
        op: "U",
        assignee_id: w.owner.id,
        old_assignee_id: w.member.id,
        changed_fields: ["assignee_id"],
        story_status: "IN_SPRINT",
        story_title: "A story",
        story_code: "ST-001",
        story_sort_order: 1,
      },
    ]);
  });

  it("announce PBIs", async () => {
    const pbiId = await createPbi(t, w.productId);
    await t.query`update public.pbis set status = 'BLOCKED' where id = ${pbiId}`;
    expect(await eventsOf("pbi")).toMatchObject([
      { op: "I", id: pbiId },
      { op: "U", id: pbiId, changed_fields: ["status"] },
    ]);
  });

  it("say when another sprint is active", async () => {
    const next = await createSprint(t, w.productId);
    await t.query`update public.sprints set sprint_goal = 'Ship' where id = ${next}`;
    await t.query`update public.sprints set status = 'COMPLETED' where id = ${w.sprintId}`;
    await t.query`update public.sprints set status = 'ACTIVE' where id = ${next}`;
    const changes = (await eventsOf("sprint")).map(({ id, active_changed }) => [
      id,
      active_changed,
    ]);
    expect(changes).toEqual([
      [next, false],
      [next, false],
      [w.sprintId, true],
      [next, true],
    ]);
  });

  it("announce a story log entry with product and idea", async () => {
    const logId = await insert(
      t,
      "insert into public.story_logs (story_id, type, content, user_id) values ($1, 'IMPLEMENTATION_PLAN', 'Plan', $2)",
      [w.storyId, w.member.id],
    );
    expect(await eventsOf("story_log")).toMatchObject([
      { op: "I", id: logId, story_id: w.storyId, product_id: w.productId, idea_id: null },
    ]);
  });
});

describe("events of access", () => {
  it("notify the product and the user when membership begins and ends", async () => {
    await addMember(t, w.productId, w.stranger.id);
    await removeMember(t, w.productId, w.stranger.id);
    const events = await announced();
    const seen = events.map(({ topic, payload }) => [topic, payload.entity, payload.op]);
    expect(seen).toEqual([
      [`product:${w.productId}`, "member", "I"],
      [`user:${w.stranger.id}`, "member", "I"],
      [`product:${w.productId}`, "member", "D"],
      [`user:${w.stranger.id}`, "member", "D"],
    ]);
  });

  it("notify everyone when the product is archived", async () => {
    await t.query`update public.products set archived_at = now() where id = ${w.productId}`;
    const events = await announced();
    const archived = events.filter(({ payload }) => payload.archived).map(({ topic }) => topic);
    expect(archived.sort()).toEqual(
      [`product:${w.productId}`, `user:${w.owner.id}`, `user:${w.member.id}`].sort(),
    );
  });

  it("notify a user of the end of a session and of a token, and of nothing else about them", async () => {
    const user = await t.createUser();
    const sessionId = await insert(
      t,
      "insert into public.user_sessions (user_id, expires_at) values ($1, now() + interval '1 day')",
      [user.id],
    );
    const tokenId = await insert(
      t,
      "insert into public.api_tokens (user_id, label, prefix, token_hash) values ($1, 'x', 'blm_x', sha256($2::bytea))",
      [user.id, sessionId],
    );
    await t.query`update public.user_sessions set last_seen_at = now(),
      expires_at = expires_at + interval '1 day' where id = ${sessionId}`;
    await t.query`update public.api_tokens set last_used_at = now() where id = ${tokenId}`;
    expect(await announced(`user:${user.id}`)).toEqual([]);

    await t.query`update public.user_sessions set revoked_at = now() where id = ${sessionId}`;
    await t.query`delete from public.api_tokens where id = ${tokenId}`;
    expect(await announced(`user:${user.id}`)).toMatchObject([
      { payload: { op: "D", entity: "session", id: sessionId } },
      { payload: { op: "D", entity: "api_token", id: tokenId } },
    ]);
  });
});
