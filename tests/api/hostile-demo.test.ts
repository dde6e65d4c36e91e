import { expect, it } from "vitest";
import { openBacklog } from "../setup/app";
import { tokenOf } from "../setup/data-api";
import { snapshotTables } from "../setup/table-snapshot";

const { t, app, owner, backlog } = await openBacklog({ pages: true });
const demo = await t.createMember(backlog.product.id, { demo: true });
const cookie = await app.signIn(demo);

const tables = await t.query<{ name: string }>`select tablename as name from pg_tables
  where schemaname = 'public' order by 1`;

it("A demo account with a real JWT writes nothing straight to a table", async () => {
  const before = await snapshotTables(t);
  const headers = {
    apikey: t.supabase.publishableKey,
    authorization: `Bearer ${await tokenOf(t, demo)}`,
    "content-type": "application/json",
  };
  for (const { name } of tables) {
    const rest = `${t.supabase.supabaseUrl}/rest/v1/${name}`;
    const visible = await t.supabase.fetch(`${rest}?limit=1`, { headers });
    const [row = {}] = visible.ok ? await visible.json() : [];
    const write = (method: string, query: string, body?: unknown) =>
      t.supabase.fetch(`${rest}${query}`, { method, headers, body: JSON.stringify(body) });
    await write("POST", "", row);
    await write("PATCH", "?created_at=gt.2000-01-01", { created_at: "2020-01-01" });
    await write("DELETE", "?created_at=gt.2000-01-01");
  }
  expect(await snapshotTables(t)).toEqual(before);
});

it("A demo account writes nothing through the forms of the pages", async () => {
  const before = await snapshotTables(t);
  const { product, story, task, sprint, pbi } = backlog;
  const forms: [string, Record<string, string>][] = [
    ["/products/new", { code: "DEMO", name: "Demo" }],
    [`/products/${product.id}/backlog`, { intent: "create-pbi", title: "x" }],
    [`/products/${product.id}/settings`, { intent: "archive", name: "x" }],
    [`/products/${product.id}/members`, { intent: "add", identifier: owner.username }],
    [`/products/${product.id}/sprints`, { intent: "create", sprint_goal: "x" }],
    [`/products/${product.id}/sprints/${sprint.id}`, { intent: "complete" }],
    [`/stories/${story.id}`, { intent: "delete", title: "x", pbi_id: pbi.id }],
    [`/tasks/${task.id}`, { intent: "delete", status: "done" }],
    ["/ideas", { intent: "create", title: "x", product_id: product.id }],
    ["/active-product", { product_id: product.id }],
    ["/settings/tokens", { intent: "create", label: "x" }],
    ["/settings", { username: "other", min_quota_pct: "50" }],
  ];
  for (const [path, fields] of forms) {
    const body = new URLSearchParams(fields);
    const response = await app.request(path, { method: "POST", headers: { cookie }, body });
    expect(`${path} ${response.status < 500}`).toBe(`${path} true`);
  }
  expect(await snapshotTables(t)).toEqual(before);
});
