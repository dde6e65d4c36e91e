import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { openApp } from "../setup/app";
import { bearer } from "../setup/world";

const { t, app } = await openApp();
const token = await t.createToken(await t.createUser());
const origin = "https://client.example";

const ask = (path: string, method: string, headers: Record<string, string>, body?: string) =>
  app.request(path, { method, headers: { origin, ...headers }, body });

/** What a browser asks before a page of another site may send JSON with a token. */
async function maySend(path: string): Promise<boolean> {
  const answer = await ask(path, "OPTIONS", {
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization,content-type,mcp-protocol-version",
  });
  expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
  const allowed = answer.headers.get("access-control-allow-headers") ?? "";
  return (
    answer.ok &&
    answer.headers.get("access-control-allow-origin") === "*" &&
    ["authorization", "content-type", "mcp-protocol-version"].every((name) => allowed.includes(name))
  );
}

const doors = ["/mcp", "/mcp/all", "/mcp/worker", "/token", "/register", "/revoke"];

it.each(doors)("a client in a browser reaches %s with its token or code", async (path) => {
  expect(await maySend(path)).toBe(true);
  const json = { "content-type": "application/json" };
  const answer = await ask(path, "POST", json, "{}");
  expect([400, 401]).toContain(answer.status);
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  expect(answer.headers.get("access-control-expose-headers")).toContain("www-authenticate");
  const withCookie = await ask(path, "POST", { ...json, cookie: "session=x" }, "{}");
  expect(withCookie.status).toBe(403);
});

it("A client in a browser lists the tools over /mcp, and reads how to sign in", async () => {
  const headers = {
    ...bearer(token),
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const answer = await ask("/mcp", "POST", headers, list);
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain("get_context");
  const document = await ask("/.well-known/oauth-protected-resource", "GET", {});
  expect(document.headers.get("access-control-allow-origin")).toBe("*");
});

it("no other address lets pages of other sites ask", async () => {
  const addresses = readdirSync("app/routes")
    .filter((name) => /^(api|hooks|openapi)/.test(name))
    .map(
      (name) =>
        `/${name
          .replace(/\.tsx?$/, "")
          .replaceAll(/\[|\]/g, "")
          .replaceAll(".", "/")}`,
    );
  expect(addresses.length).toBeGreaterThan(50);
  for (const path of [...addresses, "/", "/login", "/authorize", "/mcpx", "/mcp/other"]) {
    expect(await maySend(path), path).toBe(false);
    const answer = await ask(path, "GET", {});
    expect(answer.headers.get("access-control-allow-origin"), path).toBeNull();
    await answer.body?.cancel();
  }
});
