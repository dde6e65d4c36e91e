import { expect, it } from "vitest";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";

const app = await startTestApp(await createTestDatabase());

// What it answers is in api.files.test.ts, where there is a file.
it("GET /api/files/:id asks who is there, and takes nothing else", async () => {
  const path = "/api/files/00000000-0000-4000-8000-000000000000";
  expect((await app.request(path)).status).toBe(401);
  expect((await app.request(path, { method: "DELETE" })).status).toBe(401);
  expect((await app.request(path, { method: "PUT" })).status).toBe(405);
});
