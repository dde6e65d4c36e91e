import { z } from "zod";
import { connectionSettings } from "~/db/connection-settings.server";
import { CommandError, defineCommand } from "../command";
import { refusing } from "../own-data-folder";

/** `migrate`: applies what a Supabase project lacks, while processes of the version before are at work. */
export const migrate = defineCommand({
  name: "migrate",
  summary: "Apply the missing migrations to a Supabase project while its service runs",
  options: z.object({}),
  run: async (target) => {
    const { supabase } = target.env();
    if (supabase === undefined) {
      throw new CommandError("The database of a data folder is migrated when its service starts.");
    }
    const { dbUrl } = supabase;
    if (dbUrl === undefined) {
      throw new CommandError("Set SUPABASE_DB_URL to the address of the project's Postgres.");
    }
    const { migrateDatabase } = await import("../../../supabase/embedded/migrate");
    const applied = await refusing(() => migrateDatabase(connectionSettings(dbUrl)));
    return { json: { applied }, lines: [`Migrations applied: ${applied}`] };
  },
});
