import { expect, it } from "vitest";
import { isForUsers, openEveryEndpoint, unknownId } from "../api/every-endpoint";
import { startTestApp } from "../setup/app";
import { routesFromSources } from "../setup/route-build";
import { busyMilliseconds, healthBeside } from "../setup/thread-work";

// Every endpoint and page that reads what others wrote, when that is as large as it may be: three requests of one account at once,
// and next to them the health and the board of another account. Times are the work of this thread, against work of a known size.

const { t, operations, credentialFor, pathFor, owner } = await openEveryEndpoint();
const app = await startTestApp(t, { pages: true });
const { routes } = await routesFromSources({ pages: true });

/** What the thread needs now to write and read two megabytes of JSON: the measure of all times here. */
function workOfJson(): number {
  const rows = Array.from({ length: 2_000 }, (_, n) => ({ id: n, text: "a text of some words ".repeat(45) }));
  const before = busyMilliseconds();
  JSON.parse(JSON.stringify(rows));
  return Math.max(2, busyMilliseconds() - before);
}

/** Every text that may be long is as long as its column allows: as Markdown that is laborious. */
async function fillTexts(): Promise<string[]> {
  const checks = await t.query<{ table: string; rule: string }>`
    select conrelid::regclass::text as table, pg_get_constraintdef(oid) as rule from pg_constraint
    where contype = 'c' and connamespace = 'public'::regnamespace`;
  const columns = checks.flatMap(({ table, rule }) =>
    [...rule.matchAll(/char_length\((\w+)\) <= (\d+)/g)].map(([, name = "", most = ""]) => ({
      table,
      name,
      most: Number(most),
    })),
  );
  const done: string[] = [];
  for (const { table, name, most } of columns.filter((each) => each.most >= 1_000)) {
    const text = "*a_ `x` [y](z) > 1. ~~b~~ <i> ".repeat(most / 30);
    const client = await t.sql.connect();
    try {
      await client.query(`begin; alter table ${table} disable trigger user`);
      const { rowCount } = await client.query(`update ${table} set ${name} = $1 where ${name} <> ''`, [text]);
      await client.query(`alter table ${table} enable trigger user; commit`);
      if (rowCount) done.push(`${table}.${name}`);
    } catch {
      // Its form is checked, not only its length.
      await client.query("rollback");
    } finally {
      client.release();
    }
  }
  return done;
}

/** Every diff has two megabytes: files of thousands of hunks, and lines that look like keys. */
async function fillDiffs(): Promise<void> {
  const hunks = Array.from(
    { length: 7_000 },
    (_, n) => `@@ -${n * 9 + 1} +${n * 9 + 1} @@\n-key='a${n}'\n+token=\n`,
  ).join("");
  const rest = { status: "modified", additions: 1, deletions: 1, binary: false, patch: hunks };
  const files = JSON.stringify(Array.from({ length: 8 }, (_, n) => ({ path: `file-${n}.ts`, ...rest })));
  await t.query`update public.job_diffs set files = ${files}::jsonb, bytes = ${files.length}`;
}

const idOf = (noun: string) => pathFor(`/api/${noun}/{id}`).split("/").at(-1) ?? "";
const own: Record<string, string> = {
  ":productId": idOf("products"),
  ":sprintId": idOf("sprints"),
  ":storyId": idOf("stories"),
  ":taskId": idOf("tasks"),
  ":jobId": idOf("jobs"),
};
type Route = (typeof routes)[string];
const pathOf = (route: Route | undefined): string => {
  if (!route) return "";
  const parts = (route.path ?? "").split("/").filter((part) => part !== "");
  return (
    pathOf(routes[route.parentId ?? ""]) +
    parts.map((part) => `/${own[part] ?? part.replace(/^:.*/, unknownId)}`).join("")
  );
};
const session = { cookie: await app.signIn(owner), origin: app.origin };
const reads = [
  ...operations
    .filter(({ method, operation }) => method === "GET" && isForUsers(operation))
    .filter(({ operation }) => !("text/event-stream" in (operation.responses["200"]?.content ?? {})))
    .map(({ path, operation }) => ({
      path: pathFor(path),
      headers: { ...credentialFor(operation), ...("cookie" in credentialFor(operation) ? session : {}) },
    })),
  ...Object.values(routes)
    .filter(({ id, module }) => module.loader !== undefined && /^routes\/_app/.test(id))
    .map((route) => ({ path: pathOf(route), headers: session })),
].filter(
  ({ path }, at, all) => path !== "" && !path.includes("*") && all.findIndex((each) => each.path === path) === at,
);

type Read = (typeof reads)[number];

const { product, sprint, owner: other } = await t.seedSprint({ strategy: "STORY", stories: [3] });
const others = { cookie: await app.signIn(other) };

/** The work of the thread until another account has its board. */
async function boardTakes(): Promise<number> {
  const before = busyMilliseconds();
  const answer = await app.request(`/products/${product.id}/sprints/${sprint.id}`, { headers: others });
  await answer.text();
  expect(answer.status).toBe(200);
  return busyMilliseconds() - before;
}

async function ask({ path, headers }: Read): Promise<Response> {
  const [first, ...rest] = await Promise.all([1, 2, 3].map(() => app.request(path, { headers, redirect: "manual" })));
  await Promise.all(rest.map((answer) => answer.arrayBuffer()));
  return first ?? new Response(null, { status: 500 });
}

async function measure(read: Read) {
  const asked = ask(read);
  const board = boardTakes();
  const { longest, status } = await healthBeside(app, asked);
  return { longest, status, board: await board };
}

// As the world is, and then with all in it as large as it may be.
const small = new Map<string, Awaited<ReturnType<typeof measure>>>();
for (const read of reads) small.set(read.path, await measure(read));
const filled = await fillTexts();
await fillDiffs();

it("Texts at their limits are in more than 14 columns, and more than 80 reads are tried", () => {
  expect(filled.length, filled.join()).toBeGreaterThan(14);
  expect(reads.length).toBeGreaterThan(80);
  expect([...small.values()].filter(({ status }) => status === 200).length).toBeGreaterThan(70);
});

it.each(reads)("$path is answered, and holds up neither the health nor another's board", async (read) => {
  const before = small.get(read.path) ?? { longest: 0, board: 0 };
  const slow: string[] = [];
  // Slow three times: once may be the machine.
  for (let round = 0; round < 3 && slow.length === round; round++) {
    const { longest, status, board } = await measure(read);
    const unit = workOfJson();
    // What held others up took seconds; a page of long texts takes a fifth of one.
    const isHeld = longest < 10 * before.longest + 50 * unit && board < 10 * before.board + 50 * unit;
    if (status >= 500 || !isHeld) {
      slow.push(`${status}: health ${longest} (${before.longest}), board ${board} (${before.board}), unit ${unit}`);
    }
  }
  expect(slow.length, slow.join("\n")).toBeLessThan(3);
});
