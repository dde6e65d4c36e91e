import { randomUUID } from "node:crypto";
import { expect, it, vi } from "vitest";
import { ownDataDir } from "../embedded/own-stack";
import { killService, openOwnDatabase, startService } from "./own-service";

const dataDir = await ownDataDir();
let service = await startService(dataDir);
const store = await openOwnDatabase(dataDir);

it("A request whose service died before the answer gets that answer when sent again, with one row", async () => {
  const owner = await store.createUser();
  const { story } = await store.seedBacklog(owner);
  const token = await store.createToken(owner);
  const key = randomUUID();
  const content = "Written before the end";
  const send = () =>
    fetch(`${service.origin}/api/stories/${story.id}/log`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify({ type: "IMPLEMENTATION_PLAN", content }),
    });
  const entries = async () =>
    await store.query<{ id: string }>`select id from public.story_logs where content = ${content}`;

  // The write takes long enough for the service to be stopped in the middle; Postgres ends it alone.
  await store.query`
    create function public.take_time() returns trigger language plpgsql as 'begin perform pg_sleep(2); return new; end';
    create trigger take_time after insert on public.story_logs for each row execute function public.take_time()`;
  const lost = send().catch(() => null);
  await vi.waitFor(async () => {
    const { rowCount } = await store.sql.query("select from pg_stat_activity where wait_event = 'PgSleep'");
    expect(rowCount).toBe(1);
  }, 120_000);
  service.process.kill("SIGSTOP");
  await vi.waitFor(async () => expect(await entries()).toHaveLength(1), 60_000);
  await store.query`drop trigger take_time on public.story_logs; drop function public.take_time()`;
  await killService(service);
  expect(await lost).toBeNull();

  service = await startService(dataDir);
  const again = await send();
  expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
  expect((await entries()).map(({ id }) => id)).toEqual([(await again.json()).id]);
});
