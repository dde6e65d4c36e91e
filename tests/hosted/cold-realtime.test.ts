import { expect, it, vi } from "vitest";
import { checkSession } from "~/cli/doctor/check-session.server";
import { createTestDatabase } from "../setup/database";

let begin = () => {};
const begins = new Promise<void>((resolve) => {
  begin = resolve;
});
const t = await createTestDatabase({ realtime: { begins } });

it("doctor waits for a Realtime that follows the database only after someone has joined", async () => {
  const checks = checkSession(t.database);
  const lost = async () => {
    const rows = await t.query`select count(*)::int as sent from realtime.messages`;
    expect(rows[0].sent).toBeGreaterThan(0);
  };
  // The first probe went out before anyone followed, so it never arrives.
  await vi.waitFor(lost, { timeout: 30_000 });
  begin();
  expect(await checks).toMatchObject([
    { name: "token", ok: true },
    { name: "realtime", ok: true, message: "joined a private topic and saw an event" },
  ]);
});
