import { expect, it } from "vitest";
import { openApp } from "../setup/app";
import { openStream } from "../streams/stream-reader";
import { setCookieOf, startPairing } from "./pairing-requests";

const { t, app } = await openApp({ realtime: true, pages: ["m.pair", "_auth.login", "_auth"] });
const user = await t.createUser();

/** Every row of every table of the service and of its events, as text. */
async function dump(): Promise<string> {
  const tables = await t.query`select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname in ('public', 'realtime')`;
  const texts = await Promise.all(tables.map(({ name }) => t.sql.query(`select r::text as row from ${name} r`)));
  return texts.flatMap(({ rows }) => rows.map(({ row }) => String(row))).join("\n");
}

it("P2 and D10: A full pairing leaves neither secret in a URL, log, header, answer, page or row", async () => {
  const texts: string[] = [];
  const collect = async (response: Response) => {
    texts.push(JSON.stringify([...response.headers]), await response.clone().text());
    return response;
  };
  const login = await app.submit("/login", { identifier: user.username, password: user.password });
  const phoneCookie = setCookieOf(login, "session")?.split(";")[0] ?? "";

  const desktop = await startPairing(app, { "user-agent": "Firefox" });
  const token = desktop.cookie.slice("app_pair=".length);
  const stream = await openStream(`${app.origin}/api/auth/pair/stream/${desktop.id}`, { cookie: desktop.cookie });
  await collect(await app.request("/m/pair", { headers: { cookie: phoneCookie } }));
  for (const [intent, secret] of [
    ["show", "A".repeat(43)],
    ["show", desktop.secret],
    ["approve", desktop.secret],
    ["approve", desktop.secret],
  ] as const) {
    const body = new URLSearchParams({ intent, pairing_id: desktop.id, secret });
    const headers = { cookie: phoneCookie, origin: app.origin };
    await collect(await app.request("/m/pair", { method: "POST", headers, body }));
  }
  await stream.nextWhere(({ data }) => data.status === "approved");
  const claimed = await app.send("POST", "/api/auth/pair/claim", { pairingId: desktop.id }, { cookie: desktop.cookie });
  expect(claimed.status).toBe(200);
  await collect(claimed);
  await stream.ended;
  texts.push(JSON.stringify(stream.messages), app.logLines.join("\n"), await dump());

  const all = texts.join("\n");
  for (const secret of [desktop.secret, token, user.password]) {
    expect(all.includes(secret)).toBe(false);
    expect(all.includes(Buffer.from(secret).toString("hex"))).toBe(false);
  }
  expect(desktop.response.headers.get("location")).toBeNull();
});

it("P2 and P17: the phone page sends no referrer, is framed by no one, and strips the fragment first", async () => {
  const page = await app.request("/m/pair");
  expect(page.headers.get("referrer-policy")).toBe("no-referrer");
  expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  const html = await page.text();
  const strip = html.indexOf("history.replaceState(history.state");
  expect(strip).toBeGreaterThan(0);
  expect(strip).toBeLessThan(html.indexOf('rel="modulepreload"'));
  expect(html).not.toContain("window.location.hash");
});

it("P18: visiting changes nothing: GET on start and claim is 405, the phone page only shows itself", async () => {
  await t.query`truncate public.rate_limit_counters`;
  const desktop = await startPairing(app);
  for (const path of ["/api/auth/pair/start", "/api/auth/pair/claim"]) {
    const answer = await app.request(path, { headers: { cookie: desktop.cookie } });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("POST, OPTIONS");
  }
  await app.request(`/m/pair?intent=approve&pairing_id=${desktop.id}&secret=${desktop.secret}`);
  const rows = await t.query`select status from public.login_pairings where id = ${desktop.id}`;
  expect(rows).toEqual([{ status: "PENDING" }]);
});
