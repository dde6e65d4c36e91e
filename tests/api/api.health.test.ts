import { describe, expect, it } from "vitest";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";

const t = await createTestDatabase();
const app = await startTestApp(t);

describe("GET /api/health", () => {
  it("answers 200 without authentication", async () => {
    const response = await app.request("/api/health");
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      status: "ok",
      version: app.services.version,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
  });

  it("adds the state of the database for db=1", async () => {
    // A database that takes longer than the deadline is rightly called down; a busy machine can make the first call so.
    const health = async () => (await app.request("/api/health?db=1")).json();
    await expect.poll(health).toMatchObject({ status: "ok", database: "ok" });
  });

  it.each(["?db=0", "?db=2", "?db=", "?db=0&db=1", "?other=1"])(
    "leaves the database out for %s",
    async (query) => {
      const response = await app.request(`/api/health${query}`);
      expect(response.status).toBe(200);
      expect(await response.json()).not.toHaveProperty("database");
    },
  );

  it("is never cached", async () => {
    const response = await app.request("/api/health");
    expect(response.headers.get("cache-control")).toBe("no-store");
  });
});
