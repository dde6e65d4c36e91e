import { describe, expect, it } from "vitest";
import { toDatabaseStatus, toRestStatus } from "~/contract/status";
import { createTestDatabase } from "../setup/database";

const t = await createTestDatabase();

describe.each(["task", "story", "pbi", "sprint", "idea"] as const)(
  "the statuses of a %s",
  (entity) => {
    it("are those of the database, mapped both ways without loss", async () => {
      const { rows } = await t.sql.query(
        `select unnest(enum_range(null::public.${entity}_status))::text as status`,
      );
      const inDatabase = rows.map(({ status }) => status);
      expect(Object.values(toDatabaseStatus[entity])).toEqual(inDatabase);
      expect(Object.keys(toRestStatus[entity])).toEqual(inDatabase);
      const there = new Map<string, string>(Object.entries(toDatabaseStatus[entity]));
      for (const [database, rest] of Object.entries(toRestStatus[entity]))
        expect(there.get(rest)).toBe(database);
    });
  },
);
