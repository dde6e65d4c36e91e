import type pg from "pg";
import type { Database } from "~/db/database.server";
import { indexLimits, type KnownChange } from "~/wire/forecasts/contract";
import { gitPaths } from "../../worker/git/git";
import { saysSomething } from "../../worker/git/known-changes";
import { createQueueWorld } from "../jobs/world";
import { percentile } from "../streams/statistics";

/** Changes between two heads that a product hears of: so old is what is known of a busy repository. */
const step = 8;

type Guess = { changed: string[]; guessed: string[]; support: number };

interface Row {
  ranked: string[];
  recent: string[];
  by_words: string[];
  support: number;
  named: boolean;
  milliseconds: number;
}

/** Forecasts the newest changes from what came before them, by title alone, as the product does. */
export async function measure(
  sql: pg.Pool,
  database: Database,
  { folder, changes, count }: { folder: string; changes: readonly KnownChange[]; count: number },
): Promise<void> {
  const { productIds } = await createQueueWorld(sql, database, 1, 1);
  const index = await openIndex(sql, productIds[0] ?? "");
  const methods: Record<string, Guess[]> = { "the mix": [], "newest files": [], "words in the path": [] };
  const named: Guess[] = [];
  const together: Guess[] = [];
  const times: number[] = [];
  for (let start = Math.max(8, changes.length - count); start < changes.length; start += step) {
    const before = changes.slice(Math.max(0, start - indexLimits.changes), start);
    const there = new Set(await gitPaths(folder, "ls-tree", "-r", "--name-only", before.at(-1)?.sha ?? "HEAD"));
    await index.know(before.flatMap((change) => saysSomething(change, (path) => there.has(path))));
    for (const { title, paths } of changes.slice(start, start + step)) {
      const row = await index.ask(title);
      // Once its first file is known, what is said of the others.
      const [first = "", ...changed] = paths;
      if (changed.length > 0) together.push({ changed, guessed: await index.with(first), support: 0 });
      times.push(row.milliseconds);
      const guess = (guessed: string[]) => ({ changed: paths, guessed, support: row.support });
      // Who names its files is known without a history.
      if (row.named) {
        named.push(guess(row.ranked));
        continue;
      }
      methods["the mix"]?.push(guess(row.ranked));
      methods["newest files"]?.push(guess(row.recent));
      methods["words in the path"]?.push(guess(row.by_words));
    }
  }
  for (const [name, guesses] of Object.entries(methods)) print(name, guesses);
  if (named.length > 0) print("named in the title", named);
  const mixed = methods["the mix"] ?? [];
  const supports = [["1-2", 1, 2] as const, ["3-5", 3, 5] as const, ["6 or more", 6, 20] as const];
  for (const [name, low, high] of supports) {
    const between = mixed.filter(({ support }) => support >= low && support <= high);
    print(`support ${name}`, between);
  }
  print("with its first file", together);
  const said = together.filter(({ guessed }) => guessed.length > 0);
  print("  where one is named", said);
  const at = (share: number) => percentile(times, share).toFixed(1);
  console.log(`  one forecast: ${at(0.5)} ms, ${at(0.95)} ms at 95 %`);
}

function print(name: string, guesses: readonly Guess[]): void {
  const share = (of: (guess: Guess) => number) =>
    guesses.length === 0 ? "  - " : (guesses.reduce((sum, one) => sum + of(one), 0) / guesses.length).toFixed(2);
  const hit = (n: number) =>
    share(({ changed, guessed }) => (changed.some((p) => guessed.slice(0, n).includes(p)) ? 1 : 0));
  const recall = share(({ changed, guessed }) => changed.filter((p) => guessed.includes(p)).length / changed.length);
  console.log(
    `  ${name.padEnd(20)} n ${String(guesses.length).padStart(3)}  hit@1 ${hit(1)}  @5 ${hit(5)}  @10 ${hit(10)}  recall@10 ${recall}`,
  );
}

async function openIndex(sql: pg.Pool, productId: string) {
  const made = `insert into public.change_indexes (product_id, repository, head_sha) values ($1, '', 'none') returning id`;
  const id = (await sql.query<{ id: string }>(made, [productId])).rows[0]?.id;
  return {
    /** As `operations.save_change_index` does, newest first. */
    async know(changes: readonly KnownChange[]): Promise<void> {
      await sql.query("delete from public.known_changes where index_id = $1", [id]);
      await sql.query(
        `insert into public.known_changes (index_id, sha, at, place, title, words, paths)
         select $1, c.value ->> 'sha', now(), c.ordinality - 1, left(c.value ->> 'title', 300), private.words_of(c.value ->> 'title'),
           array(select distinct p from jsonb_array_elements_text(c.value -> 'paths') p)
         from jsonb_array_elements($2::jsonb) with ordinality c on conflict do nothing`,
        [id, JSON.stringify([...changes].reverse())],
      );
      await sql.query("select private.note_paths($1)", [id]);
    },
    async with(path: string): Promise<string[]> {
      const { rows } = await sql.query<{ paths: string[] }>("select private.changed_together($1, $2) as paths", [
        id,
        [path],
      ]);
      return rows[0]?.paths ?? [];
    },
    async ask(title: string): Promise<Row> {
      const begun = performance.now();
      const { rows } = await sql.query<Omit<Row, "milliseconds">>(
        `select n.ranked, n.recent, n.by_words, n.support, n.touches @> '[{"why": "named"}]' as named
         from private.likely_paths($1, $2, '{}') n`,
        [id, [title]],
      );
      const [row] = rows;
      if (row === undefined) throw new Error("No forecast was made");
      return { ...row, milliseconds: performance.now() - begun };
    },
  };
}
