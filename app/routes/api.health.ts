import { healthQuery, healthSchema } from "~/contract/health";
import type { Database } from "~/db/database.server";
import { apiRoute } from "~/http/api-route.server";
import { openEndpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";

/** Liveness probe (specification: GET /api/health): always 200, database trouble is told in the body. */
export const loader = apiRoute({
  GET: openEndpoint({
    name: "getHealth",
    summary: "Liveness; with db=1 the state of the database too",
    auth: "none",
    query: healthQuery,
    answer: healthSchema,
    async handle({ query, context: { services } }) {
      const health = { status: "ok", version: services.version, time: new Date().toISOString() };
      if (query.db !== "1") return json(health);
      return json({ ...health, database: await pingDatabase(services.database) });
    },
  }),
});
export const action = loader;

type State = "ok" | "down";

const deadline = 900;
const goodFor = 1_000;
const pings = new WeakMap<Database, { at: number; state: Promise<State> }>();

/** Whether the database answers, within its own deadline; asked at most once a second. */
function pingDatabase(database: Database): Promise<State> {
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
