import { createServer } from "node:http";
import { afterAll, expect, it } from "vitest";
import { createProduct } from "~/nouns/products/operations.server";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { portOf } from "../setup/port-of";
import { loseTheInternet } from "./names-that-lead-nowhere";
import { authorizePath, decide, getAccess, listTools, loopbackRedirect, makeProof, register, sentTo } from "./program";

loseTheInternet();
const t = await createTestDatabase();
const pages = ["authorize", "_auth", "_auth.login", "_app", "_app.settings", "_app.settings.devices"];
const app = await startTestApp(t, { pages, variables: { ALLOW_PRIVATE_DESTINATIONS: "true" } });
const ada = await t.createUser({ username: "ada" });
const demo = await t.createUser({ username: "demo", demo: true });
const shop = await createProduct(t.actorOf(ada), { code: "SHOP", name: "Shop" });
const foreign = await createProduct(t.actorOf(await t.createUser()), { code: "FOREIGN", name: "F" });
await t.addMember(shop.id, demo);
const cookie = await app.signIn(ada);
const { challenge } = makeProof();
const all = { products: [shop.id], scopes: ["read", "plan", "work"] };

const pageAt = (path: string, as = cookie) => app.request(path, { headers: { cookie: as } });
const textOf = async (path: string, as = cookie) => (await pageAt(path, as)).text();

/** Programs describe themselves here; what is not there is 404. */
const documents = new Map<string, unknown>();
const publisher = createServer((request, response) => {
  const document = documents.get(request.url ?? "");
  response.statusCode = document === undefined ? 404 : 200;
  response.end(JSON.stringify(document ?? {}));
});
const publishedAt = `http://127.0.0.1:${await portOf(publisher)}`;
afterAll(() => void publisher.close());

/** Publishes a document; answers its address, which is the id of the program. */
function publish(path: string, changes: Record<string, unknown> = {}): string {
  const client_id = `${publishedAt}${path}`;
  const redirect_uris = ["http://127.0.0.1/callback"];
  documents.set(path, { client_id, client_name: "Published program", redirect_uris, ...changes });
  return client_id;
}

it("The consent page asks a visitor without a session to sign in first, and leads back", async () => {
  const path = authorizePath(app, { clientId: await register(app), challenge });
  const answer = await app.request(path);
  expect(answer.status).toBe(302);
  const location = new URL(answer.headers.get("location") ?? "", app.origin);
  expect(location.pathname).toBe("/login");
  expect(location.searchParams.get("redirectTo")).toBe(path);
});

it("The consent page says who asks, as whom one allows, where it leads and what can be chosen", async () => {
  const clientId = await register(app, [loopbackRedirect], "Agent <b>Smith</b>");
  const text = await textOf(authorizePath(app, { clientId, challenge }));
  expect(text).toContain("Agent &lt;b&gt;Smith&lt;/b&gt;");
  expect(text).toContain("ada");
  expect(text).toContain("127.0.0.1:43111");
  expect(text).toContain(`value="${shop.id}"`);
  expect(text).not.toContain(foreign.id);
  for (const scope of ["read", "plan", "work"]) expect(text).toContain(`value="${scope}"`);
  expect(text).not.toContain("pinned copy");
});

it("The consent page offers no more scopes than were asked for, and gives no more", async () => {
  const clientId = await register(app);
  const path = authorizePath(app, { clientId, challenge, scope: "read offline_access" });
  const text = await textOf(path);
  expect(text).toContain('value="read"');
  expect(text).not.toContain('value="plan"');
  const { tokens } = await getAccess({ app, user: ada }, all, { scope: "read" });
  expect(tokens.scope).toBe("read");
});

it("The consent page lets its form lead to another program, and shows no one its address", async () => {
  const answer = await pageAt(authorizePath(app, { clientId: await register(app), challenge }));
  expect(answer.headers.get("content-security-policy")).not.toContain("form-action");
  expect(answer.headers.get("referrer-policy")).toBe("same-origin");
  expect((await pageAt("/login")).headers.get("content-security-policy")).toContain("form-action 'self'");
});

it("Allow on the consent page answers with a code, the state and the issuer", async () => {
  const clientId = await register(app);
  const state = "gXVXo0/iMD8WMolDHKxSTg==";
  const path = authorizePath(app, { clientId, challenge, state });
  const to = sentTo(await decide(app, path, cookie, all));
  expect(`${to.origin}${to.pathname}`).toBe(loopbackRedirect);
  expect(to.searchParams.get("state")).toBe(state);
  expect(to.searchParams.get("iss")).toBe(app.origin);
  expect(to.searchParams.get("code")).toMatch(/^blc_/);
});

it("Deny on the consent page answers access_denied and gives nothing", async () => {
  const path = authorizePath(app, { clientId: await register(app), challenge, state: "s" });
  const to = sentTo(await decide(app, path, cookie, { ...all, decision: "deny" }));
  expect(to.searchParams.get("error")).toBe("access_denied");
  expect(to.searchParams.get("state")).toBe("s");
  expect(to.searchParams.get("iss")).toBe(app.origin);
  expect(to.searchParams.has("code")).toBe(false);
});

it("The consent page takes no choice without product or scope, nor a product of others", async () => {
  const path = authorizePath(app, { clientId: await register(app), challenge });
  for (const choice of [
    { ...all, products: [] },
    { ...all, scopes: [] },
    { ...all, products: [foreign.id] },
    { ...all, products: [shop.id, foreign.id] },
    { ...all, products: ["x"] },
  ]) {
    const answer = await decide(app, path, cookie, choice);
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain('role="alert"');
  }
});

it("A demo account can allow a program to read, and nothing else", async () => {
  const { tokens } = await getAccess({ app, user: demo }, all);
  expect(tokens.scope).toBe("read");
  const path = authorizePath(app, { clientId: await register(app), challenge });
  expect(await textOf(path, await app.signIn(demo))).not.toContain('value="work"');
});

it("The consent page refuses the form of another site", async () => {
  const path = authorizePath(app, { clientId: await register(app), challenge });
  const headers = { cookie, origin: "https://evil.example" };
  const body = new URLSearchParams({ decision: "allow", product: shop.id, scope: "read" });
  expect((await app.request(path, { method: "POST", headers, body })).status).toBe(403);
});

it("A user can answer consent pages 100 times in ten minutes at most", async () => {
  await t.query`insert into public.rate_limit_counters (action, key, window_start, count)
      values ('oauth_consent', ${ada.id}, now(), 100) on conflict (action, key) do update
      set count = 100`;
  const path = authorizePath(app, { clientId: await register(app), challenge });
  expect((await decide(app, path, cookie, all)).status).toBe(429);
  await t.query`delete from public.rate_limit_counters`;
});

it("A wrong request is explained on the page while it is unknown who asks, or where to answer", async () => {
  const clientId = await register(app);
  const good = { clientId, challenge };
  const cases = [
    [{ ...good, clientId: "gone" }, 401, "invalid_client"],
    [{ ...good, redirectUri: "http://127.0.0.1:43111/other" }, 400, "invalid_request"],
    [{ ...good, redirectUri: "https://evil.example/callback" }, 400, "invalid_request"],
    [{ ...good, redirectUri: "javascript:alert(1)" }, 400, "invalid_request"],
  ] as const;
  for (const [wish, status, code] of cases) {
    const answer = await pageAt(authorizePath(app, wish));
    expect(answer.status).toBe(status);
    expect(answer.headers.get("location")).toBeNull();
    expect(await answer.text()).toContain(code);
  }
});

it("A wrong request is answered to the program once it is known who asks and where to answer", async () => {
  const clientId = await register(app);
  const path = authorizePath(app, { clientId, challenge, state: "s" });
  const changed = (change: Record<string, string>) => {
    const query = new URLSearchParams(path.split("?")[1]);
    for (const [name, value] of Object.entries(change)) query.set(name, value);
    return `/authorize?${query}`;
  };
  const cases = [
    [{ resource: "https://elsewhere.example/mcp" }, "invalid_target"],
    [{ resource: `${app.origin}/api` }, "invalid_target"],
    [{ resource: app.origin }, "invalid_target"],
    [{ scope: "read admin" }, "invalid_scope"],
    [{ response_type: "token" }, "unsupported_response_type"],
    [{ code_challenge_method: "plain" }, "invalid_request"],
    [{ code_challenge: "short" }, "invalid_request"],
  ] as const;
  for (const [change, error] of cases) {
    const to = sentTo(await pageAt(changed(change)));
    expect(to.searchParams.get("error")).toBe(error);
    expect(to.searchParams.get("state")).toBe("s");
    expect(to.searchParams.get("iss")).toBe(app.origin);
  }
});

it.each([
  ["http://localhost/callback", "http://localhost:8080/callback"],
  ["http://127.0.0.1:33418/", "http://127.0.0.1:52163"],
  ["http://[::1]/cb", "http://[::1]:4000/cb"],
  ["cursor://anysphere.cursor-mcp/oauth/callback", ""],
  ["https://www.cursor.com/agents/mcp/oauth/callback", ""],
  ["https://vscode.dev/redirect", ""],
  ["com.example.app:/oauth", ""],
])("A redirect registered as %s is good", async (named, used) => {
  const redirectUri = used || named;
  const clientId = await register(app, [named]);
  const path = authorizePath(app, { clientId, challenge, redirectUri });
  const to = sentTo(await decide(app, path, cookie, all));
  expect(to.href.startsWith(redirectUri)).toBe(true);
  await t.query`delete from public.rate_limit_counters`;
});

it.each(
  `http://example.com/callback javascript:alert(1) data:text/html,x file:///etc/passwd
  https://user:secret@example.com/cb https://example.com/cb#fragment nonsense`.split(/\s+/),
)("The redirect %s cannot be registered", async (address) => {
  const answer = await app.send("POST", "/register", { redirect_uris: [loopbackRedirect, address] });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: "invalid_redirect_uri" });
});

it("A redirect to this machine has exactly the registered path and host, regardless of its port", async () => {
  const clientId = await register(app, ["http://localhost/callback"]);
  for (const redirectUri of [
    "http://localhost:1/callback/",
    "http://localhost:1/callback?x=1",
    "http://127.0.0.1:1/callback",
    "https://localhost:1/callback",
  ]) {
    const answer = await pageAt(authorizePath(app, { clientId, challenge, redirectUri }));
    expect(answer.status).toBe(400);
  }
});

it("A program that describes itself at an address is read there and can sign in", async () => {
  const clientId = publish("/good.json");
  const path = authorizePath(app, { clientId, challenge });
  const text = await textOf(path);
  expect(text).toContain("Published program");
  expect(text).toContain(clientId);
  expect(text).not.toContain("pinned copy");
  const { tokens } = await getAccess({ app, user: ada }, all, { clientId });
  expect((await listTools(app, tokens.access_token)).status).toBe(200);
});

it.each([
  ["another id", { client_id: "http://127.0.0.1/other" }],
  ["no redirect that can be used", { redirect_uris: ["http://example.com/cb"] }],
  ["a shared secret", { token_endpoint_auth_method: "client_secret_post" }],
  ["no list of redirects", { redirect_uris: "http://127.0.0.1/callback" }],
  ["more than can be read", { padding: "x".repeat(70_000) }],
])("A program that describes itself with %s is refused", async (name, changes) => {
  const clientId = publish(`/${name.replaceAll(" ", "-")}.json`, changes);
  const answer = await pageAt(authorizePath(app, { clientId, challenge }));
  expect(answer.status).toBe(401);
  expect(await answer.text()).toContain("invalid_client");
});

it("A program is known by a pinned copy where its address does not answer, and the page says so", async () => {
  const known = [
    ["https://claude.ai/oauth/claude-code-client-metadata", "http://localhost:3118/callback"],
    ["https://claude.ai/oauth/mcp-oauth-client-metadata", "https://claude.ai/api/mcp/auth_callback"],
  ] as const;
  for (const [clientId, redirectUri] of known) {
    const text = await textOf(authorizePath(app, { clientId, challenge, redirectUri }));
    expect(text).toContain("pinned copy");
    const wish = { clientId, redirectUri };
    const { tokens } = await getAccess({ app, user: ada }, all, wish);
    expect((await listTools(app, tokens.access_token)).status).toBe(200);
  }
  const clientId = "https://unknown.example/client.json";
  expect((await pageAt(authorizePath(app, { clientId, challenge }))).status).toBe(401);
});

it("No program is fetched for someone not signed in, nor from a private network by default", async () => {
  let asked = 0;
  publisher.on("request", () => {
    asked += 1;
  });
  const clientId = publish("/not-asked.json");
  await app.request(authorizePath(app, { clientId, challenge }));
  const strict = await startTestApp(t, { pages: ["authorize"] });
  const headers = { cookie: await strict.signIn(ada) };
  const answer = await strict.request(authorizePath(strict, { clientId, challenge }), { headers });
  expect(answer.status).toBe(401);
  expect(asked).toBe(0);
});

it("A program can register at /register, and at the address behind it", async () => {
  const registration = { redirect_uris: [loopbackRedirect], client_name: " Two\nlines " };
  for (const path of ["/register", "/oauth/register"]) {
    const answer = await app.send("POST", path, registration);
    expect(answer.status).toBe(201);
    expect(await answer.json()).toMatchObject({ client_name: "Two lines", redirect_uris: [loopbackRedirect] });
  }
  for (const body of ["{", "{}", "[]", '{"redirect_uris":[]}']) {
    const headers = { "content-type": "application/json" };
    const answer = await app.request("/register", { method: "POST", headers, body });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toHaveProperty("error_description");
  }
});

it("Registrations of programs are limited by address", async () => {
  await t.query`delete from public.rate_limit_counters`;
  const ask = () => app.send("POST", "/register", { redirect_uris: [loopbackRedirect] });
  const answers = await Promise.all(Array.from({ length: 21 }, ask));
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
  await t.query`delete from public.rate_limit_counters`;
});

it("A program's registration is removed after 30 days without use, and it gets invalid_client", async () => {
  const unused = await register(app);
  const clientId = await register(app);
  await getAccess({ app, user: ada }, all, { clientId });
  await t.query`update public.oauth_clients set created_at = now() - interval '31 days',
      used_at = used_at - interval '31 days'`;
  await t.query`select operations.sweep(true)`;
  expect((await pageAt(authorizePath(app, { clientId, challenge }))).status).toBe(200);
  expect((await pageAt(authorizePath(app, { clientId: unused, challenge }))).status).toBe(401);
  const form = { grant_type: "refresh_token", client_id: unused, refresh_token: "blr_x" };
  const answer = await app.request("/token", { method: "POST", body: new URLSearchParams(form) });
  expect(answer.status).toBe(401);
  expect(await answer.json()).toMatchObject({ error: "invalid_client" });
});

it("A browser's form at /register is still the registration of a person, not of a program", async () => {
  const both = await startTestApp(t, { pages: ["_auth.register"] });
  const answer = await both.request("/register", {
    method: "POST",
    headers: { origin: both.origin, "content-type": "application/x-www-form-urlencoded" },
    body: "username=",
  });
  expect(answer.status).toBe(422);
  expect(answer.headers.get("content-type")).toContain("text/html");
});

it("Devices shows a program with its first call until it is revoked there", async () => {
  const grace = await t.createUser({ username: "grace" });
  const product = await createProduct(t.actorOf(grace), { code: "GRACE", name: "Grace" });
  const choice = { products: [product.id], scopes: ["read", "plan"] };
  const { tokens } = await getAccess({ app, user: grace }, choice);
  const session = await app.signIn(grace);
  const before = await textOf("/settings/devices", session);
  expect(before).toContain("Test program");
  expect(before).toContain("never used");
  expect(before).toContain("read, plan");
  expect(before).toContain("GRACE");
  await listTools(app, tokens.access_token);
  const after = await textOf("/settings/devices", session);
  expect(after).toContain("first call");
  expect(after).not.toContain("never used");
  const [, id = ""] = /name="token_id" value="([^"]+)"/.exec(after) ?? [];
  const body = new URLSearchParams({ intent: "revoke", token_id: id });
  const headers = { cookie: session, origin: app.origin };
  await app.request("/settings/devices", { method: "POST", headers, body });
  expect((await listTools(app, tokens.access_token)).status).toBe(401);
  expect(await textOf("/settings/devices", session)).not.toContain("Test program");
});
