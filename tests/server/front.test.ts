import { connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { HttpServer } from "~/server/http-server";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { rawGet, rawRequest } from "../setup/raw-request";

const t = await createTestDatabase();

describe("A17 slow clients", () => {
  it("A slow client has 10 s for the headers and 15 s for the request", () => {
    const server = new HttpServer();
    expect(server.headersTimeout).toBe(10_000);
    expect(server.requestTimeout).toBe(15_000);
    server.close();
  });

  it("100 slow clients do not hold up anyone else", async () => {
    const app = await startTestApp(t);
    const slow = await Promise.all(Array.from({ length: 100 }, () => halfRequest(app.port)));
    expect((await app.request("/api/health")).status).toBe(200);
    for (const socket of slow) socket.destroy();
  });
});

function halfRequest(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.write("GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ", () => resolve(socket));
    });
    socket.on("error", reject);
  });
}

it("A client's address follows X-Forwarded-For only behind a trusted proxy", async () => {
  const plain = await startTestApp(t);
  const proxied = await startTestApp(t, { variables: { TRUST_PROXY: "loopback" } });
  const lines = ["X-Forwarded-For: 203.0.113.7"];
  await rawRequest(plain.port, rawGet("/api/health", lines));
  await rawRequest(proxied.port, rawGet("/api/health", lines));
  await Promise.all([plain.stop(), proxied.stop()]);
  expect(plain.logLines.join("")).toContain('"address":"127.0.0.1"');
  expect(proxied.logLines.join("")).toContain('"address":"203.0.113.7"');
});

describe("A15 the configured origin", () => {
  it("Only pages of the configured origin may write, and HSTS is set when it is https", async () => {
    const app = await startTestApp(t, { variables: { APP_ORIGIN: "https://backlog.example" }, pages: ["_index"] });
    const post = (origin: string) =>
      rawRequest(app.port, rawGet("/api/products", [`Origin: ${origin}`, "Cookie: a=b"], "POST"));
    expect(await post(app.origin)).toMatchObject({
      status: 403,
      body: expect.stringContaining("This service is at https://backlog.example: open it there."),
    });
    const form = (path: string) => rawRequest(app.port, rawGet(path, [`Origin: ${app.origin}`, "Cookie: a=b"], "POST"));
    expect((await form("/")).body).toContain("<p>This service is at https://backlog.example");
    const byScript = await form("/?index&_data=routes%2F_index");
    expect(byScript).toMatchObject({ status: 403, headers: { "x-remix-catch": "yes" } });
    expect(byScript.body).toContain('"error":"This service is at https://backlog.example');
    expect((await post("https://backlog.example")).status).toBe(405);
    const page = await rawRequest(app.port, rawGet("/", ["Host: backlog.example"]));
    expect(page.status).toBe(302);
    expect(page.headers["strict-transport-security"]).toBe("max-age=31536000");
  });
});

describe("A16 an unexpected failure", () => {
  it("An unexpected failure shows a page without class, message or stack of the error", async () => {
    class ReflectiveError extends Error {}
    const fail = () => Promise.reject(new ReflectiveError("relation private.secrets"));
    const database = { ...t.database, call: fail, callAs: fail, authenticate: fail };
    const app = await startTestApp(t, { database, pages: ["_index"] });
    const cookie = await app.signIn(await t.createUser());
    const response = await app.request("/", { headers: { cookie } });
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(text).not.toMatch(/secrets|ReflectiveError|node_modules|\bat \w+ \(/);
  });

  it("An unexpected failure of the API shows only a request ID, and is logged", async () => {
    const fail = () => Promise.reject(new Error("relation private.secrets of 10.0.0.7"));
    const database = { ...t.database, call: fail, callAs: fail, authenticate: fail };
    const app = await startTestApp(t, { database });
    const token = await t.createToken(await t.createUser());
    const response = await app.request("/api/products", { headers: { authorization: `Bearer ${token}` } });
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(text).toContain(response.headers.get("x-request-id") ?? "no id");
    expect(text).not.toMatch(/secrets|10\.0\.0\.7|at /);
    expect(app.logLines.join("")).toContain("private.secrets");
  });
});
