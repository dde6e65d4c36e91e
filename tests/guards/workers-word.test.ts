import { expect, it } from "vitest";
import { createTestDatabase } from "../setup/database";

const t = await createTestDatabase();

type Source = { name: string; text: string };

/** Operations of the catalog with everything that they call, trigger functions apart. */
async function readOperations(): Promise<{ own: Source[]; whole: Source[] }> {
  const { rows } = await t.sql.query<Source>(`
    select n.nspname || '.' || p.proname as name, string_agg(p.prosrc, E'\\n') as text
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('operations', 'private', 'public') and p.prolang <> (select oid from pg_language where lanname = 'c')
    group by 1`);
  const texts = new Map(rows.map(({ name, text }) => [name, text]));
  const withCalls = (name: string, seen = new Set<string>()): string => {
    const text = texts.get(name);
    if (text === undefined || seen.has(name)) return "";
    seen.add(name);
    const called = [...text.matchAll(/\b(?:private|operations)\.\w+(?=\s*\()/g)];
    return [text, ...called.map(([call]) => withCalls(call, seen))].join("\n");
  };
  const own = rows.filter(({ name }) => name.startsWith("operations."));
  return { own, whole: own.map(({ name }) => ({ name, text: withCalls(name) })) };
}

/** What only a look at the Git host or at the main branch can tell, and what is done there. */
const words = [
  /(?:insert into|update|delete from) public\.(?:pulls|pull_reactions|landings|issue_notes|upkeeps)\b/,
  /private\.set_merged\(/,
  /bring_item\(\w+, 'forge'/,
  /->> '(?:trusted|edited)'/,
  /'ci', null, p_job/,
];

/** They follow what people marked as merged, or took back, and hear no worker. */
const peoples = ["operations.undo_change", "operations.update_product"];

async function readTakers() {
  const { own, whole } = await readOperations();
  const takers = whole.filter(({ name, text }) => !peoples.includes(name) && words.some((word) => word.test(text)));
  const deaf = takers.filter(
    ({ name }) => !own.find((one) => one.name === name)?.text.includes("private.hear_worker("),
  );
  return { takers: takers.map(({ name }) => name).sort(), deaf: deaf.map(({ name }) => name) };
}

it("Every operation that takes a worker's word about the Git host passes private.hear_worker", async () => {
  const { takers, deaf } = await readTakers();
  expect(deaf).toEqual([]);
  expect(takers).toEqual(
    `next_issue_note next_landing next_upkeep observe_issues observe_pulls report_issue_note report_landing
      report_merged report_upkeep`
      .split(/\s+/)
      .map((name) => `operations.${name}`),
  );
});

it("An operation that takes a worker's word without asking is found, also through a function it calls", async () => {
  await t.query`
      create function operations.planted(p_id uuid) returns void language plpgsql set search_path = '' as
      $$ begin perform private.note_merged(p_id, 'main'); end; $$`;
  const { deaf } = await readTakers();
  await t.query`drop function operations.planted`;
  expect(deaf).toEqual(["operations.planted"]);
});
