import { describe, expect, it } from "vitest";
import { openApp, startTestApp } from "../setup/app";
import { expectRefusal } from "../setup/endpoint-checks";
import { bearer } from "../setup/world";

const { t, app } = await openApp();
const paths = ["/api/cron/expire-questions", "/api/cron/cleanup-agent-artifacts"];
const post = (path: string, headers: Record<string, string> = bearer(app.cronSecret)) =>
  app.request(path, { method: "POST", headers });

describe.each(paths)("POST %s", (path) => {
  it("A scheduled endpoint answers 401 to everything but its secret", async () => {
    const user = await t.createUser();
    const demo = await t.createUser({ demo: true });
    const attempts: Record<string, string>[] = [
      {},
      bearer(""),
      bearer("undefined"),
      bearer(app.cronSecret.slice(1)),
      bearer(`${app.cronSecret}x`),
      bearer(app.cronSecret.toUpperCase()),
      await t.bearerOf(user),
      await t.bearerOf(demo),
      { cookie: await app.signIn(user) },
      { authorization: app.cronSecret },
    ];
    for (const headers of attempts) await expectRefusal(await post(path, headers), 401);
    await expectRefusal(await app.request(`${path}?secret=${app.cronSecret}`, { method: "POST" }), 401);
  });

  it("A scheduled endpoint answers 401 to everyone when no secret is set", async () => {
    const closed = await startTestApp(t, { env: { cronSecret: undefined } });
    for (const value of ["", "undefined", "null", app.cronSecret]) {
      const headers = bearer(value);
      await expectRefusal(await closed.request(path, { method: "POST", headers }), 401);
    }
  });

  it.each(["abc!defgh", "päss wörd: 100 %", "a@b:c, d=e;f", "秘密秘密秘密秘密"])(
    "A scheduled endpoint takes the secret %s, and no other",
    async (cronSecret) => {
      const other = await startTestApp(t, { variables: { CRON_SECRET: ` ${cronSecret} ` } });
      const inBytes = Buffer.from(cronSecret, "utf8").toString("latin1");
      const send = (secret: string) => other.request(path, { method: "POST", headers: bearer(secret) });
      expect((await send(inBytes)).status).toBe(200);
      await expectRefusal(await send(inBytes.slice(1)), 401);
      await expectRefusal(await send(`${inBytes}!`), 401);
    },
  );

  it("A scheduled endpoint answers 20 parallel runs", async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => post(path)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe("what the schedule does", () => {
  const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

  it("Pending pairings that are past their time are cancelled by the schedule, and counted", async () => {
    await t.query`
      insert into login_pairings (mobile_secret_hash, desktop_token_hash, check_code, desktop_ua, expires_at)
      select sha256(('m' || n)::bytea), sha256(('d' || n)::bytea), '000 000', 'test',
             now() + make_interval(mins => n) from generate_series(-2, 2) n`;
    const answer = await (await post("/api/cron/expire-questions")).json();
    expect(answer).toEqual({ expired_questions: 0, expired_pairings: 3, ran_at: timestamp });
    const again = await (await post("/api/cron/expire-questions")).json();
    expect(again.expired_pairings).toBe(0);
  });

  it("The cleanup of agent artifacts reports how many jobs it deleted", async () => {
    const answer = await (await post("/api/cron/cleanup-agent-artifacts")).json();
    expect(answer).toEqual({ deleted: 0, ran_at: timestamp });
  });
});
