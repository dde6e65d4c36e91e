import { expect, it } from "vitest";
import { z } from "zod";
import { connectClient } from "../mcp/clients";
import { openApp } from "../setup/app";

const { t, app } = await openApp();
const integer = z.looseObject({ type: z.literal("integer") });
const fields = z.record(z.string(), z.unknown()).optional();

/** What the database keeps in eight bytes. */
const long = new Set(["seq", "after", "after_seq", "expected_tokens", "input_tokens"]);
for (const kind of ["output_tokens", "cache_read_tokens", "cache_write_tokens"]) long.add(kind);

/** Whole numbers that may be larger than an integer of the database, which would refuse them without naming the field. */
function tooLong(schema: unknown, place: readonly string[]): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const found = integer.safeParse(schema).data;
  const name = place.findLast((step) => !/^(\d+|schema|anyOf|items)$/.test(step)) ?? "";
  if (found && !(Number(found.maximum) <= 2_147_483_647) && !long.has(name)) return [place.join("/")];
  return Object.entries(schema).flatMap(([step, inner]) => tooLong(inner, [...place, step]));
}

it("a whole number that callers send fits its column, or names its limit", async () => {
  const document = await (await app.request("/openapi.json")).json();
  const operation = z.object({ parameters: z.unknown().optional(), requestBody: z.unknown().optional() });
  const paths = z.record(z.string(), z.record(z.string(), operation)).parse(document.paths);
  const wrong = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).flatMap(({ parameters, requestBody }) => [
      ...named(parameters).flatMap(({ name, schema }) => tooLong(schema, [path, name])),
      ...tooLong(requestBody, [path]),
    ]),
  );
  const token = await t.createToken(await t.createUser());
  for (const path of ["/mcp", "/mcp/worker"]) {
    const client = await connectClient(app, token, "2026-07-28", path);
    for (const { name, inputSchema } of await client.listTools()) {
      const { properties = {} } = z.looseObject({ properties: fields }).parse(inputSchema);
      for (const field of Object.keys(properties)) {
        // Tools do not list a limit that calls rarely reach: the refusal names it.
        if (tooLong(properties[field], [field]).length === 0) continue;
        const { result } = await client.call(name, { [field]: 3_000_000_000 });
        const issues = z.array(z.object({ path: z.string() })).parse(result.issues ?? []);
        if (!issues.some((issue) => issue.path === field)) wrong.push(`${path} ${name} ${field}`);
      }
    }
    await client.close();
  }
  expect(wrong).toEqual([]);
});

const named = (parameters: unknown) =>
  z.array(z.looseObject({ name: z.string(), schema: z.unknown() })).parse(parameters ?? []);
