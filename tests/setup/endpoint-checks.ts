import { expect, it } from "vitest";
import { errorBodySchema } from "~/contract/errors";
import { bearer, createToken, signIn, type TestApp } from "./app";
import type { TestDatabase } from "./database";
import { createUser, type TestUser } from "./users";

export interface EndpointUnderTest {
  t: TestDatabase;
  app: TestApp;
  method: "GET" | "PATCH" | "POST";
  /** The path for an id. */
  path(id: string): string;
  /** The id of something that `owner` may use. */
  id: string;
  /** The id of something of another kind, which is not an id here. */
  otherKind: string;
  owner: TestUser;
  /** A body that is accepted. */
  body?: unknown;
  /** Whether the session cookie is accepted next to the bearer token. */
  cookie: boolean;
  okStatus?: number;
}

const unknownId = "00000000-0000-4000-8000-000000000000";

/** Reads the error body and expects it to say the status. */
export async function expectRefusal(response: Response, status: number): Promise<string> {
  expect(response.status).toBe(status);
  expect(response.headers.get("content-type")).toContain("application/json");
  expect(response.headers.get("cache-control")).toBe("no-store");
  const body = errorBodySchema.parse(await response.json());
  expect(body.code).toBe(status);
  return body.error;
}

/** What every endpoint with an id answers: who may not, what is unknown, what may not be seen. */
export function checkAccess(endpoint: EndpointUnderTest): void {
  checkTokens(endpoint);
  if (endpoint.cookie) checkCookie(endpoint);
  else {
    it("A8: answers 401 to a cookie alone", async () => {
      const { t, app, owner, id } = endpoint;
      await expectRefusal(await send(endpoint, id, { cookie: await signIn(t, app, owner) }), 401);
    });
  }
  checkIds(endpoint);
}

function send(endpoint: EndpointUnderTest, id: string, headers: Record<string, string>) {
  const { app, method, body } = endpoint;
  return app.request(endpoint.path(id), {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

function checkTokens(endpoint: EndpointUnderTest): void {
  const { t, app, owner, id } = endpoint;

  it("accepts a member's bearer token", async () => {
    const response = await send(endpoint, id, bearer(await createToken(t, owner)));
    expect(response.status).toBe(endpoint.okStatus ?? 200);
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  it(`A6: answers 401 with WWW-Authenticate to every credential that is none`, async () => {
    const expired = await createToken(t, owner, { expiresAt: new Date(Date.now() - 1_000) });
    const revoked = await createToken(t, owner, { revoked: true });
    const good = await createToken(t, owner);
    const attempts: Record<string, string>[] = [
      {},
      bearer("blm_unknown"),
      bearer(expired),
      bearer(revoked),
      { authorization: "Bearer" },
      { authorization: "Bearer " },
      { authorization: `Bearer  ${good}` },
      { authorization: `Basic ${good}` },
      { authorization: `${good}` },
      { authorization: `Bearer ${good}, Bearer ${good}` },
      { authorization: `Bearer ${"x".repeat(10_000)}` },
      { cookie: "session=nonsense" },
      { cookie: `session=${good}` },
    ];
    for (const headers of attempts) {
      const response = await send(endpoint, id, headers);
      await expectRefusal(response, 401);
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  it("A6: never takes a token from the query", async () => {
    const token = await createToken(t, owner);
    const path = `${endpoint.path(id)}?access_token=${token}&token=${token}`;
    await expectRefusal(await app.request(path, { method: endpoint.method }), 401);
    expect(app.logLines.join("")).not.toContain(token);
  });

  it("A7: does not fall back to the cookie next to a bad token", async () => {
    const cookie = await signIn(t, app, owner);
    await expectRefusal(await send(endpoint, id, { cookie, ...bearer("blm_unknown") }), 401);
  });
}

function checkCookie(endpoint: EndpointUnderTest): void {
  const { t, app, owner, id } = endpoint;

  it("answers the session cookie alone", async () => {
    const response = await send(endpoint, id, { cookie: await signIn(t, app, owner) });
    expect(response.status).toBe(endpoint.okStatus ?? 200);
  });

  it("counts the cookie next to a scheme that is not a bearer token", async () => {
    const headers = { cookie: await signIn(t, app, owner), authorization: "Basic cHJveHk6eA==" };
    expect((await send(endpoint, id, headers)).status).toBe(endpoint.okStatus ?? 200);
    await expectRefusal(
      await send(endpoint, id, { ...headers, authorization: "Basic x, Bearer y" }),
      401,
    );
    await expectRefusal(await send(endpoint, id, { ...headers, authorization: "bearer" }), 401);
  });

  it("answers 401 to an expired session", async () => {
    await expectRefusal(
      await send(endpoint, id, { cookie: await signIn(t, app, owner, { expired: true }) }),
      401,
    );
  });
}

/** Ids of others, of nothing, and what is none. */
function checkIds(endpoint: EndpointUnderTest): void {
  const { t, owner, id } = endpoint;

  it("A5: answers 403 for a product of others, without a field of it", async () => {
    const stranger = await createUser(t);
    const response = await send(endpoint, id, bearer(await createToken(t, stranger)));
    const sentence = await expectRefusal(response, 403);
    expect(sentence).not.toMatch(/Ledger|Exports|CSV|rows/i);
  });

  it("answers 404 for an unknown id and A4: for an id of another kind", async () => {
    const headers = bearer(await createToken(t, owner));
    const unknown = await expectRefusal(await send(endpoint, unknownId, headers), 404);
    const other = await expectRefusal(await send(endpoint, endpoint.otherKind, headers), 404);
    expect(other).toBe(unknown);
  });

  it("A3: answers every id that is not a canonical UUID like an unknown one", async () => {
    const headers = bearer(await createToken(t, owner));
    const unknown = await expectRefusal(await send(endpoint, unknownId, headers), 404);
    const malformed = [
      "abc",
      "0",
      "null",
      "undefined",
      "x".repeat(8_000),
      `{${id}}`,
      id.toUpperCase().replace(/^/, "A").slice(0, 36),
      `${id}%20`,
      "eq.x",
      "1,id.neq.0",
      "*",
      "(",
      "%22",
      "%F0%9F%98%80",
      "-1",
      "1e9",
    ];
    for (const bad of malformed) {
      expect(await expectRefusal(await send(endpoint, encodeOnce(bad), headers), 404)).toBe(
        unknown,
      );
    }
  });
}

/** Braces and the like as a client would send them; what is encoded already stays. */
function encodeOnce(text: string): string {
  return text.includes("%") ? text : encodeURIComponent(text);
}
