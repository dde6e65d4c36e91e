import { describe, expect, it } from "vitest";
import { dataApi } from "../../setup/data-api";
import { createTestDatabase } from "../../setup/database";

const t = await createTestDatabase();
const admin = await t.createUser({ role: "ADMIN" });

async function functionsOf(schema: string): Promise<string[]> {
  const rows = await t.query<{ name: string }>`select distinct proname as name from pg_proc
    where pronamespace = ${schema}::regnamespace order by 1`;
  return rows.map(({ name }) => name);
}

const operations = await functionsOf("operations");
const helpers = await functionsOf("private");

describe("straight at the Data API, with the JWT of an administrator or the secret key", () => {
  it.each(["operations", "private"])("schema %s is not there", async (schema) => {
    for (const caller of [admin, "service"] as const) {
      const api = await dataApi(t, caller);
      for (const name of ["get_profile", "sweep", "emit"]) {
        const { data, error } = await api.schema(schema).rpc(name);
        expect([data, error?.code]).toEqual([null, "PGRST106"]);
      }
    }
  });

  it("no operation and no helper can be called by its name", async () => {
    const api = await dataApi(t, admin);
    for (const name of [...operations, ...helpers]) {
      const { data, error, status } = await api.rpc(name);
      expect([name, data, error?.code, status]).toEqual([name, null, "PGRST202", 404]);
    }
  });

  it("the doors are the service's alone", async () => {
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
});

describe("the doors", () => {
  it("have no helper behind them", async () => {
    const own = helpers.filter((name) => !operations.includes(name));
    expect(own).toEqual(helpers);
    for (const name of helpers) {
      const refusal = { status: 404, message: `There is no operation ${name}.` };
      const asUser = t.database.callAs({ user_id: admin.id }, name, {});
      await expect(asUser, name).rejects.toMatchObject(refusal);
      await expect(t.database.call(name, {}), name).rejects.toMatchObject(refusal);
    }
  });

  it("let users call what is theirs and the service what is its own, and no one both", async () => {
    const rows = await t.query<{ name: string; user: boolean; service: boolean }>`
      select proname as name, has_function_privilege('authenticated', oid, 'execute') as user,
       has_function_privilege('service_role', oid, 'execute') as service
      from pg_proc where pronamespace = 'operations'::regnamespace`;
    expect(rows.filter(({ user, service }) => user === service)).toEqual([]);
    for (const { name, user } of rows) {
      const call = user
        ? t.database.call(name, {})
        : t.database.callAs({ user_id: admin.id }, name, {});
      await expect(call, name).rejects.toMatchObject({ status: 404 });
    }
  });
});
