import { randomUUID } from "node:crypto";
import { beforeEach, expect, it } from "vitest";
import { cancelPairing } from "~/nouns/pairings/pair.server";
import { openApp } from "../setup/app";
import { openStream, type StreamReader } from "../streams/stream-reader";
import { approve, claim, startPairing, type WaitingDesktop } from "./pairing-requests";

const { t, app } = await openApp({ realtime: true });
const user = await t.createUser();
const phone = t.actorOf(user);

beforeEach(async () => {
  await t.query`truncate public.rate_limit_counters`;
});

function connect(desktop: Pick<WaitingDesktop, "id" | "cookie">) {
  const url = `${app.origin}/api/auth/pair/stream/${desktop.id}`;
  return openStream(url, desktop.cookie === "" ? {} : { cookie: desktop.cookie });
}

/** What happens next. That the pairing was made may be told after the state, which has it already. */
function nextUpdate(stream: StreamReader) {
  return stream.nextWhere(({ event, data }) => event === "message" && data.op === "U");
}

it("A pairing's stream sends its state once, then every change, and ends with consumed", async () => {
  const desktop = await startPairing(app);
  const stream = await connect(desktop);
  expect(stream.status).toBe(200);
  expect(stream.response.headers.get("content-type")).toContain("text/event-stream");
  expect(await stream.next()).toMatchObject({ event: "state", data: { pairing_id: desktop.id, status: "pending" } });
  await approve(phone, desktop);
  const approved = await nextUpdate(stream);
  expect(approved.data).toEqual({ op: "U", pairing_id: desktop.id, status: "approved" });
  await claim(app, desktop);
  expect((await nextUpdate(stream)).data).toEqual({ op: "U", pairing_id: desktop.id, status: "consumed" });
  expect(await stream.ended).toBe("clean");
  expect(stream.messages.filter(({ event }) => event === "state")).toHaveLength(1);
});

it("A pairing's stream sends a decline and ends", async () => {
  const desktop = await startPairing(app);
  const stream = await connect(desktop);
  await stream.nextNamed("state");
  await cancelPairing(phone, { pairing_id: desktop.id, secret: desktop.secret });
  expect((await nextUpdate(stream)).data).toMatchObject({ status: "cancelled" });
  expect(await stream.ended).toBe("clean");
});

it("A pairing's stream sends the expiry that the schedule writes down", async () => {
  const desktop = await startPairing(app);
  const stream = await connect(desktop);
  await stream.nextNamed("state");
  await t.query`update public.login_pairings set status = 'CANCELLED' where id = ${desktop.id}`;
  expect((await nextUpdate(stream)).data).toEqual({ op: "U", pairing_id: desktop.id, status: "cancelled" });
  await stream.ended;
});

it("A pairing's stream is 401 without its cookie, 404 for an unknown pairing and 410 for an expired one", async () => {
  const desktop = await startPairing(app);
  const other = await startPairing(app);
  const expired = await startPairing(app);
  await t.query`update public.login_pairings set expires_at = clock_timestamp() where id = ${expired.id}`;
  const cases: [number, Pick<WaitingDesktop, "id" | "cookie">][] = [
    [401, { id: desktop.id, cookie: "" }],
    [401, { id: randomUUID(), cookie: "" }],
    [401, { id: desktop.id, cookie: other.cookie }],
    [401, { id: desktop.id, cookie: "app_pair=x" }],
    [404, { id: randomUUID(), cookie: desktop.cookie }],
    [404, { id: "nonsense", cookie: desktop.cookie }],
    [410, expired],
  ];
  for (const [status, attempt] of cases) {
    const stream = await connect(attempt);
    expect(stream.status).toBe(status);
    expect(stream.response.headers.get("content-type")).toContain("application/json");
    stream.close();
  }
});

it("A stream of a consumed pairing sends its state and ends", async () => {
  const desktop = await startPairing(app);
  await approve(phone, desktop);
  await claim(app, desktop);
  const stream = await connect(desktop);
  expect(await stream.next()).toMatchObject({ event: "state", data: { status: "consumed" } });
  expect(await stream.ended).toBe("clean");
});

it("A connecting stream sees an approval 100 times of 100", { tags: "thorough", timeout: 200_000 }, async () => {
  for (let round = 0; round < 100; round += 1) {
    if (round % 10 === 0) await t.sql.query("truncate public.rate_limit_counters");
    const desktop = await startPairing(app);
    const [stream] = await Promise.all([connect(desktop), approve(phone, desktop)]);
    const seen = await stream.nextWhere(({ data }) => data.status === "approved");
    expect(seen.data.pairing_id).toBe(desktop.id);
    stream.close();
    await stream.ended;
  }
});

it("P8: an approval between two connections is in the next state", async () => {
  const desktop = await startPairing(app);
  const first = await connect(desktop);
  await first.nextNamed("state");
  first.close();
  await first.ended;
  await approve(phone, desktop);
  const second = await connect(desktop);
  expect(await second.next()).toMatchObject({ event: "state", data: { status: "approved" } });
});

it("P7: an approval in the last seconds gives a deadline beyond the cookie's, and the claim works at once", async () => {
  const desktop = await startPairing(app);
  await t.query`update public.login_pairings set created_at = now() - interval '295 s',
      expires_at = now() + interval '5 s' where id = ${desktop.id}`;
  const stream = await connect(desktop);
  await approve(phone, desktop);
  await stream.nextWhere(({ data }) => data.status === "approved");
  expect((await claim(app, desktop)).status).toBe(200);
  await stream.ended;
});
