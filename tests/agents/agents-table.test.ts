import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { driverNamed, drivers, isOtherAcp } from "../../worker/agents/catalog";

const docs = fileURLToPath(new URL("../../docs", import.meta.url));

function reportsTable(): string {
  const rows = drivers.flatMap(({ name, reports }) =>
    Object.entries(reports).map(
      ([way, { entries, tokens, cost, resume, questions, limits }]) =>
        `| \`${name}\` | \`${way}\` | ${entries} | ${tokens} | ${cost} | ${resume} | ${questions} | ${limits} |`,
    ),
  );
  return [
    "| `--agent` | Through | What you see | Tokens | Cost | Resumes | Questions | Limits |",
    "|---|---|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

it("The page about the worker has the table of what each driver reports", () => {
  expect(readFileSync(join(docs, "worker.md"), "utf8")).toContain(reportsTable());
});

it("An adapter behind acp: goes through the driver that knows its modes, and keeps its name", async () => {
  for (const [name, known] of [
    ["acp:claude-agent-acp", "Claude Code"],
    ["acp:codex-acp", "Codex"],
    ["acp:gemini --acp", "Gemini CLI"],
    ["acp:opencode acp", "opencode"],
  ] as const) {
    expect(driverNamed(name)).toMatchObject({ name, title: known });
    expect(isOtherAcp(name)).toBe(false);
  }
  expect(isOtherAcp("acp:my-agent --acp")).toBe(true);
  expect(isOtherAcp("claude")).toBe(false);
});
