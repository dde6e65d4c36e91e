import { createHash, randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { approvePairing, cancelPairing, claimPairing, newPairingSecret } from "~/nouns/pairings/pair.server";
import { ContractError } from "~/wire/errors";
import { createTestDatabase, transportOfRun } from "../setup/database";

const t = await createTestDatabase();
const users = await Promise.all([t.createUser(), t.createUser()]);
const [phone, otherPhone] = users.map((user) => t.actorOf(user));
const browser = { userAgent: null, address: "192.0.2.1", previousSessionId: null };

/** Over the Data API every claim is some fourteen round trips: fewer rounds say the same there. */
const claimRounds = transportOfRun === "http" ? 20 : 100;
const approvalRaces = 1000;

async function pendingPairing(leftMs = 300_000) {
  const id = randomUUID();
  const secret = newPairingSecret();
  const token = newPairingSecret();
  await t.query`
    insert into public.login_pairings (id, mobile_secret_hash, desktop_token_hash, check_code, expires_at)
    values (${id}, sha256(convert_to(${secret}, 'UTF8')), sha256(convert_to(${token}, 'UTF8')), '000 000',
      clock_timestamp() + make_interval(secs => ${leftMs} / 1000.0))`;
  const tokenHash = createHash("sha256").update(token).digest("hex");
  return { pairing_id: id, secret, tokenHash };
}

async function statusOf(work: Promise<unknown>): Promise<number> {
  try {
    await work;
    return 200;
  } catch (error) {
    if (error instanceof ContractError) return error.status;
    throw error;
  }
}

if (!phone || !otherPhone) throw new Error("Two phones are needed");

describe("P3: 100 concurrent claims of one approved pairing", () => {
  it("Of 100 claims of one pairing at once, one succeeds, 99 get 410 and one is in the audit", async () => {
    for (let round = 0; round < claimRounds; round += 1) {
      const pairing = await pendingPairing();
      await approvePairing(phone, pairing);
      const statuses = await Promise.all(
        Array.from({ length: 100 }, () =>
          statusOf(claimPairing(t.database, pairing.pairing_id, pairing.tokenHash, browser)),
        ),
      );
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(statuses.filter((status) => status === 410)).toHaveLength(99);
      const rows = await t.query`select count(*)::int as n from public.audit_events
        where kind = 'pairing.claimed' and detail ->> 'pairing_id' = ${pairing.pairing_id}`;
      expect(rows[0].n).toBe(1);
    }
  }, 120_000);
});

describe("P5: approve, cancel, expiry and a second approve", () => {
  it("Of approval, second approval, cancel and expiry of a pairing at once, exactly one wins", async () => {
    for (let round = 0; round < approvalRaces; round += 1) {
      const pairing = await pendingPairing();
      const expire = t.sql.query(
        "update public.login_pairings set status = 'CANCELLED' where id = $1 and status = 'PENDING'",
        [pairing.pairing_id],
      );
      const [first, second, cancelled, expired] = await Promise.all([
        statusOf(approvePairing(phone, pairing)),
        statusOf(approvePairing(otherPhone, pairing)),
        statusOf(cancelPairing(phone, pairing)),
        expire.then(({ rowCount }) => (rowCount === 1 ? 200 : 410)),
      ]);
      const outcomes = [first, second, cancelled, expired];
      expect(outcomes.filter((status) => status === 200)).toHaveLength(1);
      expect(outcomes.filter((status) => status === 410)).toHaveLength(3);
      const rows = await t.query`select status, user_id from public.login_pairings where id = ${pairing.pairing_id}`;
      const approvedBy = first === 200 ? users[0]?.id : second === 200 ? users[1]?.id : null;
      const status = approvedBy ? "APPROVED" : "CANCELLED";
      expect(rows).toEqual([{ status, user_id: approvedBy }]);
    }
  }, 120_000);

  it("an approval that waits past the deadline is refused: the clock is read after the wait", async () => {
    const pairing = await pendingPairing(400);
    const blocker = await t.begin();
    await blocker.query("select from public.login_pairings where id = $1 for update", [pairing.pairing_id]);
    const outcome = statusOf(approvePairing(phone, pairing));
    await blocker.query("select pg_sleep(0.5)");
    await blocker.query("commit");
    expect(await outcome).toBe(410);
  });
});
