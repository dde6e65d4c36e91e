import { expect, it } from "vitest";
import { z } from "zod";
import { createProduct } from "~/nouns/products/operations.server";
import { connectClient } from "../mcp/clients";
import { openApp } from "../setup/app";
import { bearer } from "../setup/world";

const { t, app } = await openApp({ pages: ["_app", "_app.settings", "_app.settings.tokens"] });
const ada = await t.createUser({ username: "ada" });
const actor = t.actorOf(ada);
const shop = await createProduct(actor, { code: "SHOP", name: "Shop" });
const other = await createProduct(actor, { code: "OTHER", name: "Other" });
const foreign = await createProduct(t.actorOf(await t.createUser()), { code: "F", name: "Foreign" });
const headers = { cookie: await app.signIn(ada), origin: app.origin };

const send = (fields: readonly [string, string][]) =>
  app.request("/settings/tokens", {
    method: "POST",
    headers,
    body: new URLSearchParams([["intent", "create"], ["label", "limited"], ...fields]),
  });

async function makeToken(fields: readonly [string, string][]): Promise<string> {
  const text = await (await send(fields)).text();
  const [token = ""] = /blm_[A-Za-z0-9_-]{43}/.exec(text) ?? [];
  return token;
}

const get = (token: string, path: string) => app.request(path, { headers: bearer(token) });
const post = (token: string, path: string, body: object) => app.send("POST", path, body, bearer(token));
const codesOf = async (token: string) =>
  z
    .array(z.object({ code: z.string() }))
    .parse(await (await get(token, "/api/products")).json())
    .map(({ code }) => code);

it("An API token without a limit does what its user does", async () => {
  const token = await makeToken([]);
  expect(await codesOf(token)).toEqual(["SHOP", "OTHER"]);
  expect((await post(token, `/api/products/${other.id}/labels`, { name: "a" })).status).toBe(201);
  const rows = await t.query`select scopes, product_ids from public.api_tokens`;
  expect(rows).toEqual([{ scopes: null, product_ids: null }]);
});

it("A token limited to a product reaches that one alone, over REST and MCP", async () => {
  const token = await makeToken([["product", shop.id]]);
  expect(await codesOf(token)).toEqual(["SHOP"]);
  expect((await get(token, `/api/products/${shop.id}/agent-context`)).status).toBe(200);
  const refused = await get(token, `/api/products/${other.id}/agent-context`);
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ error: expect.stringContaining("limited") });
  const client = await connectClient(app, token);
  expect((await client.call("list_products")).text).not.toContain("OTHER");
  await client.close();
});

it("A token limited to reading changes nothing, over REST and MCP", async () => {
  const token = await makeToken([["scope", "read"]]);
  expect(await codesOf(token)).toEqual(["SHOP", "OTHER"]);
  const refused = await post(token, `/api/products/${shop.id}/labels`, { name: "b" });
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ scope: "plan", code: 403 });
  const client = await connectClient(app, token);
  expect((await client.listTools()).map(({ name }) => name)).not.toContain("create_story");
  expect((await client.call("search", { query: "x" })).text).toContain("items");
  await client.close();
  const planner = await makeToken([
    ["scope", "read"],
    ["scope", "plan"],
  ]);
  expect((await post(planner, `/api/products/${shop.id}/labels`, { name: "b" })).status).toBe(201);
  expect(await (await post(planner, "/api/jobs/take", { task: "T-1" })).json()).toMatchObject({
    scope: "work",
    code: 403,
  });
});

it("A token limited to work does all that a worker does besides jobs", async () => {
  const token = await makeToken([["scope", "work"]]);
  const worker = { worker: "w", project: "a/b" };
  for (const part of ["landings", "upkeeps", "issue-notes"]) {
    expect((await post(token, `/api/products/${shop.id}/${part}`, worker)).status).toBe(200);
    const own = { lease: other.id, state: "put_off", digest: "" };
    const reported = await app.send("PUT", `/api/${part}/${shop.id}`, own, bearer(token));
    expect(reported.status).toBe(404);
  }
  const form = new FormData();
  form.set("product_id", shop.id);
  form.set("file", new File(["Seen"], "seen.txt"));
  const request = { method: "POST", headers: bearer(token), body: form };
  expect((await app.request("/api/files", request)).status).toBe(201);
  expect((await post(token, `/api/products/${shop.id}/labels`, { name: "c" })).status).toBe(403);
  expect((await post(token, "/api/jobs/take", { task: "T-1" })).status).toBe(404);
});

it("A token can be limited only to products of its user, and its limits are on the page", async () => {
  expect((await send([["product", foreign.id]])).status).toBe(422);
  expect((await send([["scope", "admin"]])).status).toBe(422);
  const page = await (await app.request("/settings/tokens", { headers })).text();
  expect(page).toContain("read, plan");
  expect(page).toContain("SHOP");
});
