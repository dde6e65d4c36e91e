import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import type pg from "pg";
import { z } from "zod";

/** A data folder as a release left it, without the files of Postgres: what `keep-release.ts` writes. */
export const keptReleaseSchema = z.object({
  version: z.string(),
  secrets: z.record(z.string(), z.string()),
  /** Everything that the release recorded of its migrations: run in their order they make its database. */
  migrations: z.array(z.object({ version: z.string(), name: z.string(), statements: z.array(z.string()) })),
  tables: z.array(z.object({ name: z.string(), rows: z.array(z.unknown()) })),
  /** How a person and an agent came in, and what they saw then. */
  token: z.string(),
  cookie: z.string(),
  pairing: z.object({ id: z.string(), secret: z.string() }),
  exported: z.record(z.string(), z.unknown()),
});
export type KeptRelease = z.infer<typeof keptReleaseSchema>;

/** All releases in one, by version: most of what they say they say alike. */
const place = join(import.meta.dirname, "releases.json.br");

async function readAll(): Promise<Record<string, unknown>> {
  const text = brotliDecompressSync(await readFile(place)).toString("utf8");
  return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
}

export async function readKeptRelease(version: string): Promise<KeptRelease> {
  return keptReleaseSchema.parse((await readAll())[version]);
}

export async function writeKeptRelease(release: KeptRelease): Promise<void> {
  const all = { ...(await readAll()), [release.version]: release };
  const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS };
  await writeFile(place, brotliCompressSync(JSON.stringify(all), { params }));
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
