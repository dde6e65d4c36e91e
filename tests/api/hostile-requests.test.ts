import { describe, expect, it } from "vitest";
import { errorBodySchema } from "~/wire/errors";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { type RawResponse, rawGet, rawRequest } from "../setup/raw-request";

const t = await createTestDatabase();
const app = await startTestApp(t, { pages: ["_index", "$", "_auth", "_auth.login", "logout", "m.pair"] });
const own = app.origin;

const send = (target: string, lines?: readonly string[], method?: string) =>
  rawRequest(app.port, rawGet(target, lines, method));

function bodyOf(response: RawResponse) {
  const json = response.body.slice(response.body.indexOf("{"), response.body.lastIndexOf("}") + 1);
  return errorBodySchema.parse(JSON.parse(json));
}

describe("writes from other sites", () => {
  const foreign = ["https://evil.example", "null", "garbage", "http://127.0.0.1:1"];

  it.each(foreign)("A page write with Origin %s is refused with 403, not 500", async (origin) => {
    expect((await send("/login", [`Origin: ${origin}`], "POST")).status).toBe(403);
  });

  it.each(foreign)("A data request with Origin %s is refused with 403", async (origin) => {
    const target = "/login?_data=routes%2F_auth.login";
    expect((await send(target, [`Origin: ${origin}`], "POST")).status).toBe(403);
  });

  it("A page write is refused even when X-Forwarded-Host agrees with its foreign Origin", async () => {
    const lines = ["Origin: https://evil.example", "X-Forwarded-Host: evil.example"];
    expect((await send("/login", lines, "POST")).status).toBe(403);
  });

  it("A write of a foreign page that hides its Origin is refused", async () => {
    const lines = ["Sec-Fetch-Site: cross-site", "Cookie: session=x"];
    expect((await send("/login", lines, "POST")).status).toBe(403);
  });

  it.each(foreign)("An API write with a cookie and Origin %s is refused as JSON", async (origin) => {
    const lines = [`Origin: ${origin}`, "Cookie: session=x", "Content-Length: 2"];
    const id = "00000000-0000-4000-8000-000000000000";
    const response = await rawRequest(app.port, `${rawGet(`/api/tasks/${id}`, lines, "PATCH")}{}`);
    expect(response.status).toBe(403);
    expect(bodyOf(response).code).toBe(403);
  });

  it.each(["/api/auth/pair/start"])("A foreign page cannot write to %s", async (path) => {
    expect((await send(path, ["Origin: https://evil.example"], "POST")).status).toBe(403);
  });

  it("A write from Backloom's own page gets through to its route", async () => {
    const response = await send("/logout", [`Origin: ${own}`, "Cookie: session=x"], "POST");
    expect(response.status).not.toBe(403);
    expect(response.status).toBeLessThan(500);
  });
});

describe("A15 host names", () => {
  it.each(["a b", "[", "evil.example", "127.0.0.1:99999", "127.0.0.1@evil.example", ""])(
    "A request with the Host %j gets 400",
    async (host) => {
      expect((await send("/api/health", [`Host: ${host}`])).status).toBe(400);
      expect((await send("/", [`Host: ${host}`])).status).toBe(400);
    },
  );

  it("A host name that is not served gets a page that says how to serve it", async () => {
    const { body } = await send("/", ["Host: backlog.lan:4160"]);
    expect(body).toContain("such as APP_ORIGIN=http://backlog.lan:4160, and start again");
    const [, style = ""] = /stylesheet" href="([^"]+)"/.exec(body) ?? [];
    expect((await send(style, ["Host: backlog.lan:4160"])).status).not.toBe(400);
  });

  it("A request without a Host header, or with two, gets 400", async () => {
    const none = await rawRequest(app.port, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
    expect(none.status).toBe(400);
    expect((await send("/", ["Host: 127.0.0.1", "Host: localhost"])).status).toBe(400);
  });

  it.each(["x:99999", "evil.example"])("A request's X-Forwarded-Host: %s is ignored", async (host) => {
    const lines = [`X-Forwarded-Host: ${host}`, "X-Forwarded-Proto: https", "X-Forwarded-Port: 1"];
    const response = await send("/", lines);
    expect(response.status).toBe(302);
    expect(response.headers.location).toBe("/login");
  });
});

describe("A1 methods", () => {
  it.each(["POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "PURGE", "QUERY", "MKCOL"])(
    "The method %s on a read-only route gets 405 and Allow",
    async (method) => {
      const response = await send("/api/health", [], method);
      // A method that Node's parser does not know is refused by it.
      if (response.status === 400) return expect(method).toBe("QUERY");
      expect(response.status).toBe(405);
      expect(response.headers.allow).toBe("GET, HEAD, OPTIONS");
      expect(bodyOf(response).code).toBe(405);
    },
  );

  it("The method GET on a write-only route gets 405 and Allow", async () => {
    const response = await send("/api/cron/expire-questions");
    expect(response.status).toBe(405);
    expect(response.headers.allow).toBe("POST, OPTIONS");
  });

  it("A lower-case method is refused, and a method override is ignored", async () => {
    expect((await send("/api/health", [], "get")).status).toBe(400);
    const overridden = await send("/api/health", ["X-HTTP-Method-Override: DELETE"]);
    expect(overridden.status).toBe(200);
  });

  it.each(["PUT", "DELETE", "TRACE", "PROPFIND"])("The method %s on a page gets 405", async (method) => {
    const response = await send("/", [], method);
    expect(response.status).toBe(405);
    expect(response.headers.allow).toContain("GET");
  });
});

describe("A2 OPTIONS and HEAD", () => {
  it.each(["/api/health", "/api/products", "/login"])("OPTIONS %s does no work", async (path) => {
    const response = await send(path, ["Origin: https://evil.example"], "OPTIONS");
    expect(response.status).toBe(204);
    expect(response.headers.allow).toContain("OPTIONS");
    expect(Object.keys(response.headers).join()).not.toContain("access-control");
    expect(response.body).toBe("");
  });

  it("A request for a whole address is answered as that address, and its host is checked", async () => {
    const ask = (address: string) => send(`${address}`, []);
    expect((await ask(`${own}/api/health`)).status).toBe(200);
    expect((await ask(`HTTP://LOCALHOST:${app.port}/login?x=1`)).status).toBe(200);
    expect((await ask(own)).status).toBe((await ask("/")).status);
    for (const host of ["evil.example", "evil@localhost", "localhost:99999", ""])
      expect((await ask(`http://${host}/api/health`)).status, host).toBe(400);
    expect((await ask(`${own}//api/health`)).status).toBe(404);
  });

  it("HEAD is GET without a body", async () => {
    const response = await send("/api/health", [], "HEAD");
    expect(response.status).toBe(200);
    expect(Number(response.headers["content-length"])).toBeGreaterThan(10);
    expect(response.body).toBe("");
  });
});

describe("one spelling of each address", () => {
  const misspelt = `/api/nowhere /api/todos /api/tasks/x/reorder /api /api/ /API/health /api/Health /\\api\\health
    //api/health /api//health /api/%68ealth /%61pi/health /api/./health /api/x/../health
    /api/%2e%2e/health /api/health%2f /api/health%00 /api/%E0%A4%A /api/%ff /api/health.data
    /api/health?_data=routes%2Fapi.health /api/health?_data`.split(/\s+/);

  it("A3: An id of 10 kB gets 404", async () => {
    expect((await send(`/api/${"x".repeat(10_000)}`)).status).toBe(404);
  });

  it("A request line without a path gets Node's own 400", async () => {
    expect((await send("\\api\\health")).status).toBe(400);
  });

  it.each(misspelt)("The API address %s is not served: 404 as JSON, regardless of the method", async (target) => {
    for (const method of ["GET", "POST", "PATCH", "DELETE", "OPTIONS"]) {
      const response = await send(target, [], method);
      expect([response.status, response.headers.allow], method).toEqual([404, undefined]);
      expect(bodyOf(response).code).toBe(404);
    }
  });

  it("A trailing slash after an API address changes nothing", async () => {
    expect((await send("/api/health/")).status).toBe(200);
  });

  it.each(["/%E0%A4%A", "/%ff", "/x%00y", "/a\\b", "/Login", "/nowhere", "/..%2fetc/passwd"])(
    "The page %s gets 404 without anything from the inside",
    async (target) => {
      const response = await send(target);
      expect(response.status).toBe(404);
      expect(response.body).not.toMatch(/node_modules|at \w+ \(/);
    },
  );

  it.each(["/__manifest?p=/login", "/_root.data", "/login.data"])(
    "Lazy discovery and single fetch are off: %s gets 404",
    async (target) => {
      expect((await send(target)).status).toBe(404);
    },
  );
});

it.each([
  ["TE and CL together", ["Transfer-Encoding: chunked", "Content-Length: 3"], 400],
  ["two Content-Length", ["Content-Length: 3", "Content-Length: 4"], 400],
  ["an unknown expectation", ["Expect: x"], 417],
  ["headers of 20 kB", [`X-Long: ${"x".repeat(20_000)}`], 431],
])("A request with %s is refused by Node itself", async (_, lines, status) => {
  expect((await send("/api/health", lines, "POST")).status).toBe(status);
});

describe("A11 bodies that are too large", () => {
  const post = (path: string, size: number) =>
    app.request(path, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: `x=${"y".repeat(size)}`,
    });

  it("Open pages refuse bodies beyond 64 KiB, and answer smaller ones themselves", async () => {
    for (const path of ["/login", "/login?x", "/logout"]) {
      expect((await post(path, 65_537)).status).toBe(413);
      expect((await post(path, 65_000)).status).not.toBe(413);
    }
  });

  it("Pairing endpoints refuse bodies beyond 64 KiB, and call smaller ones malformed", async () => {
    const claim = (size: number) =>
      app.send(
        "POST",
        "/api/auth/pair/claim",
        { pairingId: ["x".repeat(size)] },
        { cookie: `app_pair=${"x".repeat(43)}` },
      );
    expect((await claim(65_537)).status).toBe(413);
    expect((await claim(65_000)).status).toBe(400);
  });
});

it.each(["/api/health", "/api/nowhere"])("Every answer of %s has the headers that protect the API", async (path) => {
  const { headers } = await send(path);
  expect(headers).toMatchObject({
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
  });
  expect(headers).not.toHaveProperty("x-powered-by");
  expect(headers).not.toHaveProperty("etag");
});

it.each(["/", "/login", "/nowhere"])("Every answer of %s has the headers that protect a page", async (path) => {
  const { headers, body } = await send(path);
  const policy = headers["content-security-policy"] ?? "";
  const [, nonce] = /script-src 'nonce-([^']+)' 'strict-dynamic'/.exec(policy) ?? [];
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("unsafe");
  expect(headers["cross-origin-opener-policy"]).toBe("same-origin");
  expect(headers).not.toHaveProperty("x-powered-by");
  for (const [tag] of body.matchAll(/<script\b[^>]*>/g)) {
    expect(tag).toContain(`nonce="${nonce}"`);
  }
  expect(body).not.toMatch(/ style="/);
});

it("The phone page of a pairing sends no referrer", async () => {
  expect((await send("/m/pair")).headers["referrer-policy"]).toBe("no-referrer");
});
