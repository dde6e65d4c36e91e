import fc from "fast-check";
import { expect, it } from "vitest";
import { z } from "zod";
import { openApp } from "../setup/app";
import { connectClient } from "./clients";

/** `FUZZ_RUNS=10000` is the full run. */
const calls = Number(process.env.FUZZ_RUNS ?? 300);

const { t, app } = await openApp();
const ada = await t.createUser({ username: "ada" });
const client = await connectClient(app, await t.createToken(ada), "2026-07-28", "/mcp/all");
const tools = await client.listTools();
const schemaShape = z.looseObject({ properties: z.record(z.string(), z.unknown()).default({}) });

// Ids and codes of things that exist, so that many calls come past the first checks.
const { result: product } = await client.call("create_product", { code: "GEN", name: "Generated" });
const { result: pbi } = await client.call("create_pbi", { product_id: "GEN", title: "PBI" });
const { result: story } = await client.call("create_story", { pbi_id: pbi.id, title: "Story" });
const { result: task } = await client.call("create_task", { story_id: story.id, title: "Task" });
const { result: sprint } = await client.call("create_sprint", { product_id: "GEN" });
const { result: idea } = await client.call("create_idea", { product_id: "GEN", title: "Idea" });
const known = [product, pbi, story, task, sprint, idea].flatMap(({ id, code }) => [id, code]).map(String);

const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...known) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  fc.constantFrom("", " ", "\0", "\ud800", "todo", "done", "ALIGNED", "queued", "11111111-1111-4111-8111-111111111111"),
  fc.constantFrom(0, -1, 1, 1.5, 1e30, 2 ** 53, true, false, null),
  fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 }),
  fc.object({ maxDepth: 4 }),
);

const call = fc.constantFrom(...tools).chain(({ name, inputSchema }) => {
  const keys = Object.keys(schemaShape.parse(inputSchema).properties);
  const named = Object.fromEntries(keys.map((key) => [key, value]));
  // A wait would only make the test long.
  const fixed = name === "wait_for_job" ? { wait_seconds: 0 } : {};
  return fc
    .oneof(fc.record(named), fc.record(named, { requiredKeys: [] }), fc.dictionary(fc.string(), value))
    .map((given) => ({ name, given: { ...given, ...fixed } }));
});

it(`None of ${calls} generated tool calls meets an error of the server's own`, { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(call, async ({ name, given }) => {
      const answer = await client.call(name, given);
      if (!answer.isError) return;
      const { code } = z.object({ code: z.number(), error: z.string() }).parse(answer.result);
      expect(code).toBeGreaterThanOrEqual(400);
      expect(code).toBeLessThan(500);
    }),
    { numRuns: calls },
  );
  expect(app.logLines.filter((line) => line.includes("a tool failed"))).toEqual([]);
});
