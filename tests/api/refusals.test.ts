import { createServer } from "node:http";
import { createRequestHandler } from "@remix-run/node";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { webHeaders } from "~/server/node-adapter";
import { NodeRequestContext } from "~/server/request-context";
import { atTheEnd } from "../setup/at-the-end";
import { expectRefusal } from "../setup/endpoint-checks";
import { portOf } from "../setup/port-of";
import { routesFromSources } from "../setup/route-build";
import { snapshotTables } from "../setup/table-snapshot";
import { bearer } from "../setup/world";
import { isForUsers, type Operation, openEveryEndpoint, unknownId } from "./every-endpoint";

const every = await openEveryEndpoint();
const { t, app, owner, demo, token, session, job, operations, bodies, credentialFor, pathFor } = every;

const forUsers = operations.filter(({ operation }) => isForUsers(operation));
const aboutOneThing = forUsers.filter(({ path }) => path.includes("{"));
const writes = forUsers.filter(({ method }) => method !== "GET");

type Ask = { headers?: Record<string, string>; path?: string; body?: string };

/** Asks for an operation with what it takes, but for what is said. */
function ask({ path, method, operation }: (typeof operations)[number], asked: Ask) {
  const given = bodies[operation.operationId];
  const body = asked.body ?? (given === undefined ? undefined : JSON.stringify(given));
  return app.request(asked.path ?? pathFor(path, method), {
    method,
    headers: { "content-type": "application/json", ...(asked.headers ?? credentialFor(operation)) },
    ...(method === "GET" || body === undefined ? {} : { body }),
  });
}

/** The way of an operation, by someone else. */
async function credentialOf(operation: Operation, user: { id: string }) {
  if (credentialFor(operation).authorization) return await t.bearerOf(user);
  return { cookie: await app.signIn(user), origin: app.origin };
}

/** Every id in the path of an operation in turn, as something else. A budget or a blocker that is gone may be taken away again. */
const pathsWith = ({ path, method }: (typeof operations)[number], id: string) =>
  (path.match(/\{(id|commentId|labelId)\}/g) ?? []).map((name) => pathFor(path.replace(name, id), method));

async function inAnArchive(look: () => Promise<unknown>): Promise<void> {
  await t.query`update public.products set archived_at = now()`;
  await look();
  await t.query`update public.products set archived_at = null`;
}

/** What signing in and the archive change themselves. */
const ownTables = ["api_tokens", "products", "rate_limit_counters", "user_sessions", "users"];
const untouched = async () => Object.entries(await snapshotTables(t)).filter(([name]) => !ownTables.includes(name));

const expired = await t.createToken(owner, { expiresAt: new Date(Date.now() - 1_000) });
const revoked = await t.createToken(owner, { revoked: true });
const expiredSession = await app.signIn(owner, { expired: true });
const before = await untouched();

describe("what every operation for users refuses", () => {
  beforeEach(async () => {
    await t.query`delete from public.rate_limit_counters`;
  });

  it.each(forUsers)("A6: $method $path refuses every invalid credential", async (each) => {
    const attempts: Record<string, string>[] = [
      {},
      bearer("blm_unknown"),
      bearer(expired),
      bearer(revoked),
      { authorization: "Bearer" },
      { authorization: "Bearer " },
      { authorization: `Bearer  ${token}` },
      { authorization: `Basic ${token}` },
      { authorization: token },
      { authorization: `Bearer ${token}, Bearer ${token}` },
      { authorization: `Bearer ${"x".repeat(10_000)}` },
      { cookie: "session=nonsense" },
      { cookie: `session=${token}` },
      { cookie: expiredSession, origin: app.origin },
    ];
    // A8: the cookie is refused where it is not documented.
    if (!each.operation.security.some((way) => "session" in way))
      attempts.push({ cookie: session, origin: app.origin });
    // A7: a cookie sent with a bad token does not replace it.
    if (each.operation.security.some((way) => "token" in way)) {
      const withCookie = { cookie: session, origin: app.origin };
      for (const authorization of ["Bearer blm_unknown", "Basic x, Bearer y", "bearer"])
        attempts.push({ ...withCookie, authorization });
    }
    await Promise.all(
      attempts.map(async (headers) => {
        const response = await ask(each, { headers });
        await expectRefusal(response, 401);
        expect(response.headers.get("www-authenticate")).toBe("Bearer");
      }),
    );
    const path = pathFor(each.path, each.method);
    const inQuery = `${path}?access_token=${token}&token=${token}`;
    await expectRefusal(await ask(each, { headers: {}, path: inQuery }), 401);
    expect(app.logLines.join("")).not.toContain(token);
  });

  it.each(aboutOneThing)("A5: $method $path refuses what is in products of others", async (each) => {
    const headers = await credentialOf(each.operation, await t.createUser());
    const response = await ask(each, { headers });
    const sentence = await expectRefusal(response, response.status === 404 ? 404 : 403);
    expect(sentence).not.toMatch(/Ledger|Exports|CSV|rows|Story \d/i);
  });

  it.each(aboutOneThing)("A3, A4: $method $path answers 404 to ids that are unknown or malformed", async (each) => {
    const bad = ["abc", "0", "null", "x".repeat(8_000), `{${job.id}}`, `A${job.id.slice(1)}`, `${job.id}%20`];
    const worse = ["eq.x", "1,id.neq.0", "*", "(", "%22", "%F0%9F%98%80", "-1", "1e9"];
    for (const [index, unknown] of pathsWith(each, unknownId).entries()) {
      const sentence = await expectRefusal(await ask(each, { path: unknown }), 404);
      const other = await ask(each, { path: pathsWith(each, owner.id)[index] });
      expect(await expectRefusal(other, 404)).toBe(sentence);
      await Promise.all(
        [...bad, ...worse].map(async (id) => {
          const path = pathsWith(each, id.includes("%") ? id : encodeURIComponent(id))[index];
          expect(await expectRefusal(await ask(each, { path }), 404)).toBe(sentence);
        }),
      );
    }
  });

  it.each(writes)("A9: $method $path refuses demo accounts and archived products", async (each) => {
    // Who sends a form is looked at in tests/api/api.products.import.test.ts and api.files.test.ts.
    if (each.path === "/api/products/import" || each.path === "/api/files") return;
    const headers = await credentialOf(each.operation, demo);
    await expectRefusal(await ask(each, { headers }), 403);
    await expectRefusal(await ask(each, { headers, body: "{" }), 403);
    // Chats and the previews of a worker are of the account, and of no product.
    if (each.path.startsWith("/api/chats") || each.path === "/api/workers/previews") return;
    await inAnArchive(async () => await expectRefusal(await ask(each, {}), 403));
  });

  it.each(writes.filter(({ operation }) => bodies[operation.operationId] !== undefined))(
    "$method $path refuses bodies that are not JSON or too long",
    async (each) => {
      for (const body of ["{", "", "null", "[]", '"x"']) {
        const response = await ask(each, { body });
        await expectRefusal(response, response.status === 422 ? 422 : 400);
      }
      await expectRefusal(await ask(each, { body: " ".repeat(9 * 1_048_576) }), 413);
    },
  );

  it("No refused request leaves a trace", async () => {
    expect(await untouched()).toEqual(before);
  });

  // An import is its account's alone, and of no product before its end.
  it.each(aboutOneThing.filter(({ method, path }) => method === "GET" && path !== "/api/imports/{id}"))(
    "$method $path lets demo accounts read, and lets archived products be read",
    async (each) => {
      const headers = await credentialOf(each.operation, demo);
      expect((await ask(each, { headers })).status).toBe(200);
      await inAnArchive(async () => expect((await ask(each, {})).status).toBe(200));
    },
  );
});

const remix = createRequestHandler(await routesFromSources({ pages: false }), "production");

describe("Remix's own request handler", () => {
  const server = createServer(async (request, response) => {
    const context = new NodeRequestContext(app.services, "127.0.0.1", request, response);
    const headers = webHeaders(request);
    const asked = new Request(`${app.origin}${request.url}`, { method: request.method, headers });
    response.writeHead((await remix(asked, context)).status).end();
  });
  let port: number;
  beforeAll(async () => {
    port = await portOf(server);
    atTheEnd(async () => void server.close());
  });

  it.each(operations)("Remix's own handler gives $method $path the server's status", async ({ path, method }) => {
    const asked = pathFor(path, method);
    const own = await fetch(`http://127.0.0.1:${port}${asked}`, { method });
    expect([400, 401, 422, 200, 204]).toContain(own.status);
    expect(own.status).toBe((await app.request(asked, { method })).status);
  });
});
