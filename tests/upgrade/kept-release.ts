import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import type pg from "pg";
import { z } from "zod";

/** A data folder as a release left it, without the files of Postgres: what `keep-release.ts` writes. */
export const keptReleaseSchema = z.object({
  version: z.string(),
  secrets: z.record(z.string(), z.string()),
  /** Everything that the release recorded of its migrations: run in their order they make its database. */
  migrations: z.array(
    z.object({ version: z.string(), name: z.string(), statements: z.array(z.string()) }),
  ),
  tables: z.array(z.object({ name: z.string(), rows: z.array(z.unknown()) })),
  /** How a person and an agent came in, and what they saw then. */
  token: z.string(),
  cookie: z.string(),
  pairing: z.object({ id: z.string(), secret: z.string() }),
  exported: z.record(z.string(), z.unknown()),
});
export type KeptRelease = z.infer<typeof keptReleaseSchema>;

export async function readKeptRelease(version: string): Promise<KeptRelease> {
  const packed = await readFile(join(import.meta.dirname, `${version}.json.br`));
  return keptReleaseSchema.parse(JSON.parse(brotliDecompressSync(packed).toString("utf8")));
}

/** The columns of a table that a row brings along; the others are computed. */
export async function writableColumns(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(attname) as name from pg_catalog.pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''
     order by attnum`,
    [table],
  );
  return rows.map(({ name }) => name);
}
