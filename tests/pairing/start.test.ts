import { expect, it } from "vitest";
import { pairingCheckCode } from "~/nouns/pairings/pairing-code";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { setCookieOf, sha256, startPairing } from "./pairing-requests";

const t = await createTestDatabase();
const app = await startTestApp(t, { variables: { TRUST_PROXY: "loopback" } });
const secureApp = await startTestApp(t, { variables: { APP_ORIGIN: "https://backlog.example.org" } });

/** Behind the trusted proxy every test is another client. */
function from(address: string): Record<string, string> {
  return { "x-forwarded-for": address };
}

it("Starting a pairing returns id, secret, deadline and QR address, with the secret only in its fragment", async () => {
  const response = await app.request("/api/auth/pair/start", { method: "POST", headers: from("192.0.2.1") });
  expect(response.status).toBe(200);
  expect(response.headers.get("cache-control")).toBe("no-store");
  const body = await response.json();
  expect(Object.keys(body).sort()).toEqual(["expiresAt", "mobileSecret", "pairingId", "qrUrl"]);
  expect(body.mobileSecret).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(body.qrUrl).toBe(`${app.origin}/m/pair#id=${body.pairingId}&s=${body.mobileSecret}`);
  expect(new URL(body.qrUrl).search).toBe("");
  const left = Date.parse(body.expiresAt) - Date.now();
  expect(left).toBeGreaterThan(290_000);
  expect(left).toBeLessThanOrEqual(301_000);
});

it("P16: The cookie app_pair has its attributes to the letter, and Secure exactly for an https origin", async () => {
  const { response } = await startPairing(app, from("192.0.2.2"));
  expect(setCookieOf(response, "app_pair")).toMatch(
    /^app_pair=[A-Za-z0-9_-]{43}; Max-Age=300; Path=\/api\/auth\/pair; HttpOnly; SameSite=Lax$/,
  );
  const secure = await secureApp.request("/api/auth/pair/start", {
    method: "POST",
    headers: { host: "backlog.example.org" },
  });
  expect(setCookieOf(secure, "app_pair")).toMatch(/; SameSite=Lax; Secure$/);
  expect((await secure.json()).qrUrl).toMatch(/^https:\/\/backlog\.example\.org\/m\/pair#/);
});

it("A pending pairing is stored with both secrets as SHA-256 only", async () => {
  const desktop = await startPairing(app, { ...from("192.0.2.3"), "user-agent": "Firefox" });
  const rows = await t.query`select * from public.login_pairings where id = ${desktop.id}`;
  const token = desktop.cookie.slice("app_pair=".length);
  expect(rows[0]).toMatchObject({
    status: "PENDING",
    user_id: null,
    approved_at: null,
    consumed_at: null,
    desktop_ua: "Firefox",
    desktop_ip: "192.0.2.3",
    mobile_secret_hash: sha256(desktop.secret),
    desktop_token_hash: sha256(token),
    check_code: pairingCheckCode(desktop.id),
  });
  expect(rows[0].expires_at - rows[0].created_at).toBe(300_000);
  expect(token).not.toBe(desktop.secret);
});

it("A desktop's user agent is cut to 255 characters, and may be missing", async () => {
  const long = await startPairing(app, { ...from("192.0.2.4"), "user-agent": "é".repeat(400) });
  const none = await startPairing(app, { ...from("192.0.2.5"), "user-agent": "" });
  const rows = await t.query`select char_length(desktop_ua) as length from public.login_pairings
      where id = any(${[long.id, none.id]}) order by 1 desc`;
  expect(rows[0].length).toBe(255);
});

it("A desktop's IPv6 address is stored whole", async () => {
  const address = "2001:db8:1111:2222:3333:4444:5555:6666";
  const { id } = await startPairing(app, from(address));
  const rows = await t.query`select desktop_ip from public.login_pairings where id = ${id}`;
  expect(rows[0].desktop_ip).toBe(address);
});

it("D9: The 11th pairing started by one address in a minute gets 429, IPv6 counted by its /64", async () => {
  for (const addresses of [
    Array.from({ length: 11 }, () => "192.0.2.20"),
    Array.from({ length: 11 }, (_, index) => `2001:db8:0:1::${index + 1}`),
  ]) {
    const statuses: number[] = [];
    for (const address of addresses) {
      const path = "/api/auth/pair/start";
      const answer = await app.request(path, { method: "POST", headers: from(address) });
      statuses.push(answer.status);
      if (answer.status !== 429) continue;
      expect(await answer.json()).toMatchObject({ code: 429 });
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
  }
});

it("D9: without a trusted proxy X-Forwarded-For moves no limit", async () => {
  const statuses: number[] = [];
  for (let index = 0; index < 12; index += 1) {
    const answer = await secureApp.request("/api/auth/pair/start", {
      method: "POST",
      headers: from(`198.51.100.${index}`),
    });
    statuses.push(answer.status);
  }
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(2);
});

it("P19: Old pairings are forgotten, and a start is refused when many wait", { tags: "thorough" }, async () => {
  await t.query`
      insert into public.login_pairings (mobile_secret_hash, desktop_token_hash, check_code, expires_at, created_at)
      select sha256(convert_to('m' || n, 'UTF8')), sha256(convert_to('d' || n, 'UTF8')), '000 000',
             now() - interval '2 days', now() - interval '2 days' from generate_series(1, 50) n`;
  await startPairing(app, from("192.0.2.30"));
  const old = "select count(*)::int as n from public.login_pairings where created_at < now() - interval '1 day'";
  expect((await t.sql.query(old)).rows[0].n).toBe(0);

  await t.query`
      insert into public.login_pairings (mobile_secret_hash, desktop_token_hash, check_code, expires_at)
      select sha256(convert_to('x' || n, 'UTF8')), sha256(convert_to('y' || n, 'UTF8')), '000 000',
             now() + interval '5 minutes' from generate_series(1, 10000) n`;
  const answer = await app.request("/api/auth/pair/start", { method: "POST", headers: from("192.0.2.31") });
  expect(answer.status).toBe(429);
});
