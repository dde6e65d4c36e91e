import { describe, expect, it } from "vitest";
import { createIdea } from "~/nouns/ideas/operations.server";
import { createSprint } from "~/nouns/sprints/operations.server";
import { appendStoryLog } from "~/nouns/stories/operations.server";
import { dataApi, tokenOf } from "../../setup/data-api";
import { createTestDatabase } from "../../setup/database";
import { snapshotTables } from "../../setup/table-snapshot";

/** The same walls as the Data API shows them to supabase-js with the real JWT of a user. */

const t = await createTestDatabase();
const world = await t.seedWorld(1);
const product_id = world.product.id;
const member = await t.createUser();
const demo = await t.createUser({ demo: true });
const stranger = await t.createUser();
const refused = "42501";
for (const user of [member, demo]) await t.addMember(product_id, user);
await createSprint(world.actor, { product_id });
await createIdea(world.actor, { product_id, title: "Idea" });
await appendStoryLog(world.actor, { story_id: world.story.id, type: "IMPLEMENTATION_PLAN", content: "Plan" });

describe("the Data API with a real JWT", () => {
  const tables = ["products", "pbis", "stories", "tasks", "sprints", "story_logs", "ideas"] as const;

  it.each(tables)("The Data API shows %s to the product's members only, ideas to their user", async (table) => {
    const count = async (caller: Parameters<typeof dataApi>[1]) => {
      const api = await dataApi(t, caller);
      const { data, error } = await api
        .from(table)
        .select("id")
        .eq(table === "products" ? "id" : "product_id", product_id);
      return error ? error.code : data.length;
    };
    const seen = table === "ideas" ? 0 : 1;
    expect([await count(world.owner), await count(member), await count(demo), await count(stranger)]).toEqual([
      1,
      seen,
      seen,
      0,
    ]);
    expect(await count(null)).toBe(refused);
  });

  it("A9: A demo account with a real JWT writes nothing straight to a table", async () => {
    const before = await snapshotTables(t);
    const headers = {
      apikey: t.supabase.publishableKey,
      authorization: `Bearer ${await tokenOf(t, demo)}`,
      "content-type": "application/json",
    };
    const all = await t.query<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public'`;
    for (const { name } of all) {
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

  it("A member's direct writes keep the rules for codes, order, product, and cascade", async () => {
    const api = await dataApi(t, member);
    const { data } = await api.from("tasks").insert({ story_id: world.story.id, title: "Direct" }).select().single();
    expect(data).toMatchObject({ code: "T-2", sort_order: 2, product_id, status: "TO_DO" });
    await api.from("tasks").update({ status: "FAILED" }).eq("title", "Direct");
    const { data: story } = await api.from("stories").select("status").eq("id", world.story.id).single();
    expect(story).toEqual({ status: "FAILED" });
    await api.from("tasks").delete().eq("title", "Direct");
    const taken = await api.from("tasks").insert({ story_id: world.story.id, title: "x", code: "T-1" });
    expect(taken.error?.code).toBe("PT422");
  });
});

const admin = await t.createUser({ role: "ADMIN" });

async function functionsOf(schema: string): Promise<string[]> {
  const rows = await t.query<{ name: string }>`select distinct proname as name from pg_proc
    where pronamespace = ${schema}::regnamespace order by 1`;
  return rows.map(({ name }) => name);
}

const operations = await functionsOf("operations");
const helpers = await functionsOf("private");

it.each(["operations", "private"])("The Data API has no schema %s, not even for the service", async (schema) => {
  for (const caller of [admin, "service"] as const) {
    const api = await dataApi(t, caller);
    for (const name of ["get_profile", "sweep", "emit"]) {
      const { data, error } = await api.schema(schema).rpc(name);
      expect([data, error?.code]).toEqual([null, "PGRST106"]);
    }
  }
});

it("No operation and no helper can be called by its name at the Data API", async () => {
  const api = await dataApi(t, admin);
  for (const name of [...operations, ...helpers]) {
    const { data, error, status } = await api.rpc(name);
    expect([name, data, error?.code, status]).toEqual([name, null, "PGRST202", 404]);
  }
});

it("The doors of the Data API are the service's alone", async () => {
  expect(await functionsOf("public")).toEqual(["authenticate", "call_as", "call_service"]);
  const p_credential = { user_id: admin.id };
  for (const caller of [admin, null]) {
    const api = await dataApi(t, caller);
    for (const [door, values] of [
      ["authenticate", { p_credential }],
      ["call_as", { p_credential, p_function: "get_profile" }],
      ["call_service", { p_function: "sweep" }],
    ] as const) {
      const { data, error } = await api.rpc(door, values);
      expect([data, error?.code]).toEqual([null, "42501"]);
    }
  }
});

it("The doors lead to no helper", async () => {
  const own = helpers.filter((name) => !operations.includes(name));
  expect(own).toEqual(helpers);
  for (const name of helpers) {
    const refusal = { status: 404, message: `There is no operation ${name}.` };
    const asUser = t.database.callAs({ user_id: admin.id }, name, {});
    await expect(asUser, name).rejects.toMatchObject(refusal);
    await expect(t.database.call(name, {}), name).rejects.toMatchObject(refusal);
  }
});

it("Each operation is open to users or to the service, and none to both", async () => {
  const rows = await t.query<{ name: string; user: boolean; service: boolean }>`
      select proname as name, has_function_privilege('authenticated', oid, 'execute') as user,
       has_function_privilege('service_role', oid, 'execute') as service
      from pg_proc where pronamespace = 'operations'::regnamespace`;
  expect(rows.filter(({ user, service }) => user === service)).toEqual([]);
  for (const { name, user } of rows) {
    const call = user ? t.database.call(name, {}) : t.database.callAs({ user_id: admin.id }, name, {});
    await expect(call, name).rejects.toMatchObject({ status: 404 });
  }
});
