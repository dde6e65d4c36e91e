import { expect, it } from "vitest";
import { createAccount, register } from "~/nouns/accounts/create-account.server";
import { logIn } from "~/nouns/accounts/log-in.server";
import { resetPassword } from "~/nouns/accounts/passwords.server";
import { createTestDatabase } from "../setup/database";

const t = await createTestDatabase();
const browser = { userAgent: "Firefox", address: "192.0.2.1", previousSessionId: null };
const password = "a long enough secret";

it("A registered user can sign in with username or email address in any case", async () => {
  const ada = { username: "Ada", email: "ada@example.com", password };
  await register(t.database, ada, {
    settings: await t.database.authSettings(),
    invitationCode: undefined,
    client: t.database.signInClient("192.0.2.1"),
    appOrigin: "http://localhost",
  });
  for (const identifier of ["Ada", "ada", "ADA@example.com"]) {
    const session = await logIn(t.database, { identifier, password }, browser);
    expect(session).toMatchObject({ is_demo: false, must_reset_password: false });
  }
});

it("An operator can create an account with a demo flag, and reset its password", async () => {
  const admin = { username: "root", email: "root@example.com", password, role: "ADMIN", is_demo: true } as const;
  const { id } = await createAccount(t.database, admin);
  expect(await logIn(t.database, { identifier: "root", password }, browser)).toMatchObject({
    user_id: id,
    is_demo: true,
  });
  await resetPassword(t.database, { identifier: "root", password: "another long secret" });
  await expect(logIn(t.database, { identifier: "root", password }, browser)).rejects.toThrow(/wrong/);
  expect(await logIn(t.database, { identifier: "root", password: "another long secret" }, browser)).toMatchObject({
    must_reset_password: true,
  });
});
