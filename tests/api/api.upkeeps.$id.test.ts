import { expect, it } from "vitest";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";

const app = await startTestApp(await createTestDatabase());

// What a report leads to is in api.products.$id.upkeeps.test.ts, where there is something to report.
it("PUT /api/upkeeps/:id asks who is there, and takes nothing else", async () => {
  const path = "/api/upkeeps/00000000-0000-4000-8000-000000000000";
  const body = JSON.stringify({ lease: "00000000-0000-4000-8000-000000000000", state: "written" });
  const headers = { "content-type": "application/json" };
  expect((await app.request(path, { method: "PUT", headers, body })).status).toBe(401);
  expect((await app.request(path, { method: "DELETE" })).status).toBe(405);
});
