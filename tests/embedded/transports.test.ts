import { describe, expect, it } from "vitest";
import { createTestDatabase } from "../setup/database";

describe("direct", async () => {
  const t = await createTestDatabase();
  it("calls", async () => {
    console.log(await t.database.call("ping", {}));
    const { data, error } = await t.database.publicClient().auth.signUp({
      email: "a@example.com",
      password: "long enough password",
      options: { data: { username: "ada" } },
    });
    console.log(JSON.stringify(data).slice(0, 200), error);
    console.log((await t.sql.query("select id, username from public.users")).rows);
    await expect(
      t.database.call("call_as", {
        p_credential: { user_id: "00000000-0000-4000-8000-000000000000" },
        p_function: "nope",
      }),
    ).rejects.toThrow("x");
  });
  it("http", async () => {
    const t = await createTestDatabase({ transport: "http" });
    console.log(await t.database.call("ping", {}));
    await expect(
      t.database.call("call_as", {
        p_credential: { user_id: "00000000-0000-4000-8000-000000000000" },
        p_function: "nope",
      }),
    ).rejects.toThrow("x");
  });
});
