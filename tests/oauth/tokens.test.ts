import { expect, it } from "vitest";
import { createProduct } from "~/nouns/products/operations.server";
import { connectClient } from "../mcp/clients";
import { openApp } from "../setup/app";
import { bearer } from "../setup/world";
import {
  getAccess,
  getCode,
  listTools,
  makeProof,
  postForm,
  readTokens,
  redemption,
  refreshment,
  register,
} from "./program";

const { t, app } = await openApp({ realtime: true, pages: ["authorize"] });
const user = await t.createUser({ username: "ada" });
const stage = { t, app, user };
const shop = await createProduct(t.actorOf(user), { code: "SHOP", name: "Shop" });
const all = { products: [shop.id], scopes: ["read", "plan", "work"] };

const toolsOf = async (token: string, path = "/mcp") => {
  const client = await connectClient(app, token, "2026-07-28", path);
  const tools = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name);
};
const statuses = async (answers: Promise<Response>[]) =>
  (await Promise.all(answers)).map(({ status }) => status).sort();
/** Counters are per address, and all of this file is one. */
const forgetLimits = () => t.query`delete from public.rate_limit_counters`;

it("An authorization code is good once, and coming again ends what it gave", async () => {
  const got = await getCode(stage, all);
  const first = await postForm(app, "/token", redemption(got));
  expect(first.status).toBe(200);
  expect(first.headers.get("cache-control")).toBe("no-store");
  const { access_token: token } = await readTokens(first);
  expect((await listTools(app, token)).status).toBe(200);
  const again = await postForm(app, "/token", redemption(got));
  expect(again.status).toBe(400);
  expect(await again.json()).toMatchObject({ error: "invalid_grant" });
  expect((await listTools(app, token)).status).toBe(401);
});

it("An authorization code redeemed by ten at once gives tokens to one at most", async () => {
  const got = await getCode(stage, all);
  const answers = Array.from({ length: 10 }, () => postForm(app, "/token", redemption(got)));
  expect(await statuses(answers)).toEqual([200, ...Array(9).fill(400)]);
  const live = "select from public.api_tokens where client_id = $1 and revoked_at is null";
  expect((await t.sql.query(live, [got.clientId])).rowCount).toBe(0);
});

it("An authorization code is worth nothing without its verifier, redirect, client, or after a minute", async () => {
  await forgetLimits();
  const got = await getCode(stage, all);
  const wrong: Record<string, string>[] = [
    { code_verifier: makeProof().verifier },
    { redirect_uri: "http://127.0.0.1:43112/callback" },
    { client_id: await register(app) },
    { code: "blc_unknown" },
  ];
  for (const change of wrong) {
    const answer = await postForm(app, "/token", { ...redemption(got), ...change });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: "invalid_grant" });
  }
  await t.query`update public.oauth_codes set expires_at = now() - interval '1 second'`;
  const late = await postForm(app, "/token", redemption(got));
  expect(await late.json()).toMatchObject({ error: "invalid_grant" });
});

it("An authorization code dies with the session that allowed it", async () => {
  const got = await getCode(stage, all);
  await t.query`update public.user_sessions set revoked_at = now()`;
  const answer = await postForm(app, "/token", redemption(got));
  expect(await answer.json()).toMatchObject({ error: "invalid_grant" });
});

it("An authorization code is in the database as a hash only, like the tokens", async () => {
  const got = await getCode(stage, all);
  const tokens = await readTokens(await postForm(app, "/token", redemption(got)));
  const rows = await t.query<{ text: string }>`select to_jsonb(c)::text as text
      from public.oauth_codes c union all select to_jsonb(k)::text from public.api_tokens k`;
  const kept = rows.map(({ text }) => text).join();
  for (const secret of [got.code, tokens.access_token, tokens.refresh_token]) {
    expect(kept).not.toContain(secret);
  }
});

it("An OAuth token never works at another address than its own, nor at /api", async () => {
  await forgetLimits();
  const worker = await getAccess(stage, all, { resource: `${app.origin}/mcp/worker` });
  const whole = await getAccess(stage, all);
  expect((await listTools(app, worker.tokens.access_token, "/mcp/worker")).status).toBe(200);
  expect((await listTools(app, worker.tokens.access_token, "/mcp")).status).toBe(401);
  expect((await listTools(app, whole.tokens.access_token, "/mcp")).status).toBe(200);
  expect((await listTools(app, whole.tokens.access_token, "/mcp/worker")).status).toBe(401);
  for (const { tokens } of [worker, whole]) {
    const headers = bearer(tokens.access_token);
    expect((await app.request("/api/products", { headers })).status).toBe(401);
    expect((await app.request("/api/openapi.json", { headers })).status).toBe(401);
  }
});

it("A code redeemed for another address than the person agreed to is refused", async () => {
  const got = await getCode(stage, all);
  for (const resource of [`${app.origin}/mcp/worker`, "https://elsewhere.example/mcp"]) {
    const answer = await postForm(app, "/token", { ...redemption(got), resource });
    expect(await answer.json()).toMatchObject({ error: "invalid_target" });
  }
  const resource = `http://localhost:${app.port}/mcp`;
  expect((await postForm(app, "/token", { ...redemption(got), resource })).status).toBe(200);
});

it("An OAuth token lists the tools of its scopes, and asks for more with 403 insufficient_scope", async () => {
  await forgetLimits();
  const reader = await getAccess(stage, { ...all, scopes: ["read"] });
  expect(reader.tokens.scope).toBe("read");
  const names = await toolsOf(reader.tokens.access_token);
  expect(names).toContain("get_context");
  expect(names.filter((name) => /^(create|update|log|start|wait|set|add)_/.test(name))).toEqual([]);
  const answer = await app.send(
    "POST",
    "/mcp",
    {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "create_pbi", arguments: { product_id: shop.id, title: "No" } },
    },
    bearer(reader.tokens.access_token),
  );
  expect(answer.status).toBe(403);
  expect(answer.headers.get("www-authenticate")).toContain('error="insufficient_scope"');
  expect(answer.headers.get("www-authenticate")).toContain('scope="read plan"');
  expect((await t.sql.query("select from public.pbis")).rowCount).toBe(0);

  const planner = await getAccess(stage, { ...all, scopes: ["plan"] });
  const plans = await toolsOf(planner.tokens.access_token);
  expect(plans).toContain("create_story");
  expect(plans).not.toContain("wait_for_job");
  const worker = await getAccess(stage, { ...all, scopes: ["work"] });
  const works = await toolsOf(worker.tokens.access_token);
  expect(works).toContain("log_commit");
  expect(works).not.toContain("create_story");
});

it("An OAuth token with the scope `work` has all that a worker's loop needs", async () => {
  const wish = { resource: `${app.origin}/mcp/worker`, scope: "work" };
  const { tokens } = await getAccess(stage, { ...all, scopes: ["work"] }, wish);
  expect(await toolsOf(tokens.access_token, "/mcp/worker")).toHaveLength(12);
});

it("An OAuth token reaches the chosen products and creates no other", async () => {
  await forgetLimits();
  const other = await createProduct(t.actorOf(user), { code: "OTHER", name: "Other" });
  const { tokens } = await getAccess(stage, all);
  const client = await connectClient(app, tokens.access_token);
  const listed = await client.call("list_products");
  expect(listed.text).toContain("SHOP");
  expect(listed.text).not.toContain("OTHER");
  const foreign = await client.call("get_context", { product_id: other.id });
  expect(foreign).toMatchObject({ isError: true, result: { code: 403 } });
  const made = await client.call("create_product", { code: "NEW", name: "New" });
  expect(made).toMatchObject({ isError: true, result: { code: 403 } });
  await client.close();
});

/** Moves what was spent into the past. */
const letPass = (time: string) =>
  t.query`update public.spent_refresh_tokens set spent_at = spent_at - ${time}::interval`;

it("A refresh token brings the next tokens and ends the old ones", async () => {
  await forgetLimits();
  const { clientId, tokens } = await getAccess(stage, all);
  const answer = await postForm(app, "/token", refreshment(clientId, tokens));
  expect(answer.status).toBe(200);
  const next = await readTokens(answer);
  expect((await listTools(app, next.access_token)).status).toBe(200);
  expect((await listTools(app, tokens.access_token)).status).toBe(401);
  expect(next.scope).toBe("read plan work");
});

it("A refresh token used again later ends the whole family", async () => {
  const { clientId, tokens } = await getAccess(stage, all);
  const next = await readTokens(await postForm(app, "/token", refreshment(clientId, tokens)));
  await letPass("31 seconds");
  const again = await postForm(app, "/token", refreshment(clientId, tokens));
  expect(again.status).toBe(400);
  expect(await again.json()).toMatchObject({ error: "invalid_grant" });
  expect((await listTools(app, next.access_token)).status).toBe(401);
  const last = await postForm(app, "/token", refreshment(clientId, next));
  expect(await last.json()).toMatchObject({ error: "invalid_grant" });
});

it("A refresh token used again by another client ends the family at once", async () => {
  await forgetLimits();
  const { clientId, tokens } = await getAccess(stage, all);
  const next = await readTokens(await postForm(app, "/token", refreshment(clientId, tokens)));
  const other = refreshment(await register(app), tokens);
  expect((await postForm(app, "/token", other)).status).toBe(400);
  expect((await listTools(app, next.access_token)).status).toBe(401);
});

it("A refresh token used by ten processes at once brings all the same tokens, and none is signed out", async () => {
  await forgetLimits();
  const { clientId, tokens } = await getAccess(stage, all);
  const form = refreshment(clientId, tokens);
  const answers = await Promise.all(Array.from({ length: 10 }, () => postForm(app, "/token", form)));
  const got = await Promise.all(answers.map(readTokens));
  expect(new Set(got.map((next) => JSON.stringify(next))).size).toBe(1);
  const next = got[0] ?? tokens;
  expect((await listTools(app, next.access_token)).status).toBe(200);
  const rows = await t.query<{ text: string }>`select to_jsonb(s)::text as text
      from public.spent_refresh_tokens s where next_tokens is not null`;
  for (const secret of [next.access_token, next.refresh_token])
    expect(rows.map(({ text }) => text).join()).not.toContain(secret);

  // Slow processes go on with what is spent by now, and end at the newest tokens.
  const newest = await readTokens(await postForm(app, "/token", refreshment(clientId, next)));
  const late = await readTokens(await postForm(app, "/token", form));
  expect(late).toEqual(next);
  expect(await readTokens(await postForm(app, "/token", refreshment(clientId, late)))).toEqual(newest);
  await letPass("31 seconds");
  await postForm(app, "/token", refreshment(clientId, newest));
  const kept = await t.sql.query(
    `select from public.spent_refresh_tokens s join public.api_tokens t on t.id = s.token_id
       where t.client_id = $1 and s.next_tokens is not null and s.spent_at < now() - interval '30 seconds'`,
    [clientId],
  );
  expect(kept.rowCount).toBe(0);
});

it("A refresh token takes no wider scope, no other client and no other resource", async () => {
  await forgetLimits();
  const { clientId, tokens } = await getAccess(stage, { ...all, scopes: ["read"] });
  const form = refreshment(clientId, tokens);
  const other = await register(app);
  for (const [change, error] of [
    [{ scope: "read plan" }, "invalid_scope"],
    [{ scope: "admin" }, "invalid_scope"],
    [{ client_id: other }, "invalid_grant"],
    [{ resource: `${app.origin}/mcp/worker` }, "invalid_target"],
  ] as const) {
    const answer = await postForm(app, "/token", { ...form, ...change });
    expect(await answer.json()).toMatchObject({ error });
  }
  expect((await postForm(app, "/token", { ...form, scope: "read" })).status).toBe(200);
});

it("A wrong request to /token is answered with an OAuth error", async () => {
  await forgetLimits();
  const got = await getCode(stage, all);
  const cases = [
    [{ grant_type: "password", client_id: got.clientId }, 400, "unsupported_grant_type"],
    [{ client_id: got.clientId }, 400, "invalid_request"],
    [{ ...redemption(got), client_id: "" }, 401, "invalid_client"],
    [{ ...redemption(got), client_id: "gone" }, 401, "invalid_client"],
    [{ ...redemption(got), code: "" }, 400, "invalid_request"],
    [{ ...redemption(got), code_verifier: "short" }, 400, "invalid_grant"],
  ] as const;
  for (const [form, status, error] of cases) {
    const answer = await postForm(app, "/token", form);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ error, error_description: expect.any(String) });
  }
  const json = await app.send("POST", "/token", "{}");
  expect(await json.json()).toMatchObject({ error: "invalid_request" });
  const twice = await app.request("/token", {
    method: "POST",
    body: new URLSearchParams([
      ["grant_type", "refresh_token"],
      ["grant_type", "refresh_token"],
    ]),
  });
  expect(await twice.json()).toMatchObject({ error: "invalid_request" });
  expect((await app.request("/token")).status).toBe(405);
});

it("Too many requests to /token are 429 with Retry-After", async () => {
  await forgetLimits();
  const form = { grant_type: "refresh_token", client_id: "gone", refresh_token: "x" };
  const answers = await Promise.all(Array.from({ length: 121 }, () => postForm(app, "/token", form)));
  const late = answers.filter(({ status }) => status === 429);
  expect(late).toHaveLength(1);
  expect(late[0]?.headers.get("retry-after")).toMatch(/^\d+$/);
  await forgetLimits();
});

it("Access that is revoked is dead at once, also for a call that waits", async () => {
  await forgetLimits();
  const { clientId, tokens } = await getAccess(stage, all);
  const client = await connectClient(app, tokens.access_token);
  const waiting = client.call("wait_for_job", { worker: "w", wait_seconds: 50 });
  const first = "select from public.agent_workers where name = 'w'";
  await expect.poll(async () => (await t.sql.query(first)).rowCount).toBe(1);
  const answer = await postForm(app, "/revoke", { token: tokens.refresh_token, client_id: clientId });
  expect(answer.status).toBe(200);
  expect((await listTools(app, tokens.access_token)).status).toBe(401);
  expect(await waiting).toMatchObject({ isError: true, result: { code: 401 } });
  await client.close();
});

it("A token revoked twice, or unknown, is not an error", async () => {
  const { tokens } = await getAccess(stage, all);
  for (const token of [tokens.access_token, tokens.access_token, "blo_unknown"]) {
    expect((await postForm(app, "/revoke", { token })).status).toBe(200);
  }
  expect((await listTools(app, tokens.access_token)).status).toBe(401);
});
