import { expect, it } from "vitest";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";

const app = await startTestApp(await createTestDatabase());

// What it answers is in api.files.test.ts, where there are files.
it("GET /api/products/:id/files asks who is there, and takes nothing else", async () => {
  const path = "/api/products/00000000-0000-4000-8000-000000000000/files";
  expect((await app.request(path)).status).toBe(401);
  expect((await app.request(path, { method: "POST" })).status).toBe(405);
});
