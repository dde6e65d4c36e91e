import { describe, expect, it } from "vitest";
import { ideaStatuses, pbiStatuses, sprintStatuses, storyStatuses, taskStatuses } from "~/wire/status";
import { createTestDatabase } from "../setup/database";

const t = await createTestDatabase();

describe.each([
  ["task", taskStatuses],
  ["story", storyStatuses],
  ["pbi", pbiStatuses],
  ["sprint", sprintStatuses],
  ["idea", ideaStatuses],
] as const)("the statuses of a %s", (entity, statuses) => {
  it("The statuses of the contract are those of the database, in its order", async () => {
    const { rows } = await t.sql.query(
      `select replace(lower(s::text), 'to_do', 'todo') as status from unnest(enum_range(null::public.${entity}_status)) s`,
    );
    expect(rows.map(({ status }) => status)).toEqual([...statuses]);
  });
});
