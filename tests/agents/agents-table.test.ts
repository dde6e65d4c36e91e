import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { reportsTable } from "~/worker/agents/reports-table";

const docs = fileURLToPath(new URL("../../docs", import.meta.url));

it("is in the page about the worker as the drivers say it", () => {
  expect(readFileSync(join(docs, "worker.md"), "utf8")).toContain(reportsTable());
});
