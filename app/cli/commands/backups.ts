import { z } from "zod";
import { type CommandOutput, defineCommand } from "../command";
import { ownDataDir, refusing } from "../own-data-folder";

const useTheirs = 'use its own backups (Database, Backups), or "supabase db dump"';

/** `backup`: copies the embedded installation while it runs. Prints only the path of the copy to standard output. */
export const backup = defineCommand({
  name: "backup",
  summary: "Copy the data folder while the service runs, and check the copy",
  options: z.object({
    to: z.string().min(1).optional(),
    keep: z
      .string()
      .regex(/^[1-9]\d{0,5}$/, "must be a whole number from 1: how many copies stay")
      .transform(Number)
      .optional(),
  }),
  run: async (target, { to: folder, keep }) => {
    const dataDir = ownDataDir(target.env(), useTheirs);
    // End through `exit`, whose handlers stop what was started, even when the service that started this stops it.
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, endNow);
    const { backUp } = await import("../../../supabase/embedded/data-folder/back-up");
    try {
      const copy = await refusing(() => backUp({ dataDir, folder, keep }));
      const counts = countsOf(copy.rows);
      const size = `${Math.ceil(copy.bytes / 1024 / 1024)} MB`;
      process.stderr.write(`The copy opens, and every row was read: ${counts}; ${size}.\n`);
      return { json: { ...copy }, lines: [copy.path] };
    } finally {
      for (const signal of ["SIGTERM", "SIGINT"] as const) process.off(signal, endNow);
    }
  },
});

/** `restore`: fills an empty data folder with a copy. */
export const restore = defineCommand({
  name: "restore",
  summary: "Fill an empty DATA_DIR with a copy of backup or of an upgrade",
  positionals: ["copy"],
  options: z.object({ copy: z.string({ error: "which copy?" }).min(1) }),
  run: async (target, { copy }): Promise<CommandOutput> => {
    const dataDir = ownDataDir(target.env(), useTheirs);
    const { restoreCopy } = await import("../../../supabase/embedded/data-folder/restore");
    const { begun_at, rows } = await refusing(() => restoreCopy(copy, dataDir));
    const counts = rows ? `: ${countsOf(rows)}` : "";
    return {
      json: { data_dir: dataDir, begun_at, rows },
      lines: [`${dataDir} is as it was at ${begun_at}${counts}. Start the service over it.`],
    };
  },
});

function countsOf(rows: Record<string, number>): string {
  const named = ["products", "stories", "tasks"].map(
    (table) => `${rows[`public.${table}`] ?? 0} ${table}`,
  );
  return named.join(", ");
}

function endNow(): void {
  process.exit(1);
}
