import type { Database } from "~/db/database.server";

type State = "ok" | "down";

const deadline = 900;
const goodFor = 1_000;
const pings = new WeakMap<Database, { at: number; state: Promise<State> }>();

/** Whether the database answers, within its own deadline; asked at most once a second. */
export function pingDatabase(database: Database): Promise<State> {
  const last = pings.get(database);
  if (last && performance.now() - last.at < goodFor) return last.state;
  const state = ping(database);
  pings.set(database, { at: performance.now(), state });
  return state;
}

async function ping(database: Database): Promise<State> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<State>((resolve) => {
    timer = setTimeout(() => resolve("down"), deadline);
  });
  const answer = database.call("ping", {}).then(
    (): State => "ok",
    (): State => "down",
  );
  const state = await Promise.race([answer, late]);
  clearTimeout(timer);
  return state;
}
