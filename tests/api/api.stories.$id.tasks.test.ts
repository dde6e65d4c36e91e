import { describe, expect, it } from "vitest";
import { openBacklog } from "../setup/app";
import { create } from "../setup/world";

const { t, app, owner, backlog } = await openBacklog();
const path = (id: string) => `/api/stories/${id}/tasks`;

describe("GET /api/stories/:id/tasks", () => {
  it("returns the tasks by sort_order with lower-case statuses and without the detail fields", async () => {
    await create(t.actorOf(owner), "create_task", {
      p_story_id: backlog.story.id,
      p_title: "first",
      p_code: "A-0",
    });
    await t.query`update tasks set status = 'IN_PROGRESS' where id = ${backlog.task.id}`;
    const headers = await t.bearerOf(owner);
    const tasks: Record<string, unknown>[] = await (
      await app.request(path(backlog.story.id), { headers })
    ).json();
    expect(tasks.map(({ code }) => code)).toEqual(["A-0", "T-1", "T-2"]);
    expect(tasks.map(({ status }) => status)).toEqual(["todo", "in_progress", "todo"]);
    for (const task of tasks) {
      expect(task).not.toHaveProperty("_detail");
      expect(task).not.toHaveProperty("implementation_plan");
    }
  });
});
