import { describe, expect, it } from "vitest";
import { createLog } from "~/server/log";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { bearer } from "../setup/world";

const t = await createTestDatabase();

describe("D10 the log", () => {
  it("The log redacts secrets at any depth", () => {
    const lines: string[] = [];
    const log = createLog("info", { write: (line) => void lines.push(line) });
    log.info({ authorization: "one", headers: { cookie: "two", "set-cookie": "three" } }, "x");
    log.info({ request: { body: { mobileSecret: "four" } }, user: { password: "five" } }, "x");
    const text = lines.join("");
    for (const secret of ["one", "two", "three", "four", "five"]) expect(text).not.toContain(secret);
    expect(text).toContain("[redacted]");
  });

  it("The log has one JSON line per request, with its id, and neither query, token, cookie nor key", async () => {
    const app = await startTestApp(t);
    const user = await t.createUser();
    const token = await t.createToken(user);
    const cookie = await app.signIn(user);
    const headers = { ...bearer(token), cookie };
    const response = await app.request("/api/products?token=in-the-query", { headers });
    await response.text();
    for (const path of ["/join/in-the-path", "/hooks/in/in-the-path"]) await (await app.request(path)).text();
    await app.stop();

    const lines = app.logLines.map((line) => JSON.parse(line));
    expect(lines.filter(({ msg }) => msg === "request")).toEqual([
      expect.objectContaining({
        method: "GET",
        path: "/api/products",
        status: 200,
        requestId: response.headers.get("x-request-id"),
      }),
      expect.objectContaining({ path: "/join/…" }),
      expect.objectContaining({ path: "/hooks/in/…" }),
    ]);
    const text = app.logLines.join("");
    expect(text).not.toContain(token);
    expect(text).not.toMatch(/in-the-(query|path)/);
    expect(text).not.toContain(cookie.slice(10, 40));
  });

  it("No request can forge an entry of the log, because its text stays on one line", async () => {
    const app = await startTestApp(t);
    await (await app.request('/api/%0A{"msg":"forged"}')).text();
    await app.stop();
    for (const line of app.logLines) expect(line.trimEnd().split("\n")).toHaveLength(1);
  });
});
