import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from "jose";
import Provider from "oidc-provider";
import { expect } from "vitest";
import type { TestApp } from "../setup/app";
import { atTheEnd } from "../setup/at-the-end";
import { portOf } from "../setup/port-of";

export type Person = { email: string; email_verified?: boolean; preferred_username?: string; groups?: string[] };

export const clientId = "backloom";
export const clientSecret = "secret of the test provider";

/** A identity provider behind a real address: people who exist there, and what goes wrong on request. */
export async function startProvider() {
  const people = new Map<string, Person>();
  /** Who sits in front of the browser, what an ID token is changed into, and whether anything answers and gives refresh tokens. */
  const now = { person: "", changes: null as Record<string, string> | null, isAway: false, givesRefreshTokens: true };
  const counts = { renewals: 0 };
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid: "test", alg: "RS256", use: "sig" };
  let answer: (request: IncomingMessage, response: ServerResponse) => unknown = () => undefined;
  const server = createServer((request, response) => {
    if (now.isAway) response.writeHead(503).end();
    else answer(request, response);
  });
  const port = await portOf(server);
  const issuer = `http://127.0.0.1:${port}`;
  atTheEnd(async () => {
    server.closeAllConnections();
    server.close();
  });

  const serve = (apps: readonly TestApp[]) => {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: apps.map(({ origin }) => `${origin}/auth/oidc/callback`),
          grant_types: ["authorization_code", "refresh_token"],
        },
      ],
      jwks: { keys: [jwk] },
      cookies: { keys: ["for the test"] },
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["preferred_username", "groups"] },
      features: { devInteractions: { enabled: false } },
      issueRefreshToken: (_context, client, code) =>
        now.givesRefreshTokens && client.grantTypeAllowed("refresh_token") && code.scopes.has("offline_access"),
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      findAccount: (_context, accountId) => {
        const person = people.get(accountId);
        return person && { accountId, claims: () => ({ sub: accountId, ...person }) };
      },
    });
    provider.on("grant.success", ({ oidc }) => {
      if (oidc.params?.grant_type === "refresh_token") counts.renewals += 1;
    });
    provider.use(async (context, next) => {
      await next();
      const { body } = context;
      if (now.changes === null || context.path !== "/token" || !hasIdToken(body)) return;
      const claims = { ...decodeJwt(body.id_token), ...now.changes };
      const header = { alg: "RS256", kid: "test" };
      body.id_token = await new SignJWT(claims).setProtectedHeader(header).sign(privateKey);
    });
    const others = provider.callback();
    answer = (request, response) =>
      request.url?.startsWith("/interaction/")
        ? agree(provider, now.person, request, response)
        : others(request, response);
  };
  return { issuer, people, now, counts, serve };
}

export type TestProvider = Awaited<ReturnType<typeof startProvider>>;

function hasIdToken(body: unknown): body is { id_token: string } {
  return typeof body === "object" && body !== null && "id_token" in body;
}

/** The person signs in and consents at once. */
async function agree(provider: Provider, accountId: string, request: IncomingMessage, response: ServerResponse) {
  const { prompt, params } = await provider.interactionDetails(request, response);
  if (prompt.name === "login") {
    return provider.interactionFinished(request, response, { login: { accountId } });
  }
  const grant = new provider.Grant({ accountId, clientId });
  grant.addOIDCScope(String(params.scope));
  const consent = { grantId: await grant.save() };
  const merged = { mergeWithLastSubmission: true };
  return provider.interactionFinished(request, response, { consent }, merged);
}

interface Trip {
  cookie?: string;
  path?: string;
  /** What someone in between changes, on the way there and back. */
  there?: (address: URL) => void;
  back?: (address: URL) => void;
}

/** A browser of its own that signs a person in at the provider; answers where the app ended it. */
export async function travel(app: TestApp, provider: TestProvider, person: string, trip: Trip = {}) {
  provider.now.person = person;
  const jar = new Map<string, string>();
  const send = (cookies: Map<string, string>) => [...cookies].map((pair) => pair.join("=")).join("; ");
  const keep = (cookies: Map<string, string>, response: Response) => {
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  const own = new Map<string, string>();
  if (trip.cookie) own.set("session", trip.cookie.replace("session=", ""));
  let at = new URL(trip.path ?? "/auth/oidc", app.origin);
  for (let hops = 0; hops < 30; hops += 1) {
    const cookies = at.origin === app.origin ? own : jar;
    const headers = { cookie: send(cookies) };
    const response = keep(cookies, await fetch(at, { redirect: "manual", headers }));
    const next = response.headers.get("location");
    if (at.origin === app.origin && (next === null || !next.startsWith(provider.issuer))) {
      const session = own.get("session");
      return { response, cookie: session === undefined ? null : `session=${session}`, jar: own };
    }
    expect(next, `${at.href} answered ${response.status}`).not.toBeNull();
    at = new URL(next ?? "", at);
    if (at.pathname === "/auth") trip.there?.(at);
    if (at.origin === app.origin) trip.back?.(at);
  }
  throw new Error("The trip does not end");
}

export function addPerson(provider: TestProvider, more: Partial<Person> = {}) {
  const sub = randomUUID();
  const email = more.email ?? `${sub.slice(0, 8)}@example.com`;
  provider.people.set(sub, { email_verified: true, ...more, email });
  return { sub, email };
}
