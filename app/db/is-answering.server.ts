import type { Database } from "./database.server";

/** A database that takes longer than this (ms) counts as down. */
const deadline = 900;
const goodFor = 1_000;
const pings = new WeakMap<Database, { at: number; answer: Promise<boolean> }>();

/** Whether the database answers within the deadline. Pings at most once a second. */
export function isAnswering(database: Database): Promise<boolean> {
  const last = pings.get(database);
  if (last && performance.now() - last.at < goodFor) return last.answer;
  const answer = ping(database);
  pings.set(database, { at: performance.now(), answer });
  return answer;
}

async function ping(database: Database): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), deadline);
  });
  const answer = database.call("ping", {}).then(
    () => true,
    () => false,
  );
  const isThere = await Promise.race([answer, late]);
  clearTimeout(timer);
  return isThere;
}
