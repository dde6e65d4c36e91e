import pg from "pg";
import { expect, it } from "vitest";
import { createIdea } from "~/nouns/ideas/operations.server";
import { createPbi } from "~/nouns/pbis/operations.server";
import { resolveReference, search } from "~/nouns/search/operations.server";
import { createTask } from "~/nouns/tasks/operations.server";
import type { SearchResult } from "~/wire/search/contract";
import { createTestDatabase } from "../../setup/database";
import { at } from "../../setup/world";
import { statusOf } from "../refusal";

const t = await createTestDatabase();

it("No search index leaves new words for later, since the planner would parse all texts again instead", async () => {
  const rows = await t.query`
      select c.relname, c.reloptions from pg_class c join pg_am a on a.oid = c.relam
      where a.amname = 'gin' and c.relnamespace = 'public'::regnamespace`;
  expect(rows.length).toBeGreaterThan(3);
  for (const { relname, reloptions } of rows) expect(reloptions, String(relname)).toContain("fastupdate=off");
});

it("A search that was planned while the tables were small parses no text that came since", async () => {
  const { product, owner, pbi } = await t.seedWorld(0);
  await t.query`analyze`;
  await asUser(owner.id, async (client) => {
    await client.query("set local track_functions = 'all'");
    const find = () => client.query("select private.find_matches('lorem zzzz', null, null, 20, 0)");
    for (let n = 0; n < 6; n++) await find();
    await t.query`insert into public.stories (product_id, pbi_id, title, description)
        select ${product.id}, ${pbi.id}, 'Lorem ' || n, repeat('lorem ipsum ' || n, 1000) from generate_series(1, 60) n`;
    await find();
    const { rows } = await client.query("select * from pg_stat_xact_user_functions where funcname = 'scoped_words'");
    expect(rows).toEqual([]);
  });
});

it("A search finds words from their beginning in titles and descriptions of all kinds", async () => {
  const { actor, product, story } = await t.seedWorld(0);
  const product_id = product.id;
  await createPbi(actor, { product_id, title: "Zebra crossing" });
  await createTask(actor, { story_id: story.id, title: "x", description: "paint the ZEBRAS white" });
  await createIdea(actor, { product_id, title: "zebra farm" });
  const { items } = await search(actor, { query: "zebr" });
  expect(items.map(({ kind }) => kind).sort()).toEqual(["idea", "pbi", "task"]);
  const words = await search(actor, { query: "white zebra" });
  expect(words.items.map(({ kind, excerpt }) => [kind, excerpt])).toEqual([["task", "paint the ZEBRAS white"]]);
  expect((await search(actor, { query: "zebr", kind: "idea", product_id })).items).toHaveLength(1);
});

it("A search finds composed and decomposed letters, on every path that writes titles", async () => {
  const { actor, product, story } = await t.seedWorld(1);
  const composed = "Größe der Bücher";
  const apart = composed.normalize("NFD");
  await createPbi(actor, { product_id: product.id, title: apart });
  await t.query`update stories set title = ${apart} where id = ${story.id}`;
  await t.query`update tasks set title = ${apart} where story_id = ${story.id}`;
  for (const query of ["größe", "BÜCHER", "größe".normalize("NFD")]) {
    const { items } = await search(actor, { query });
    expect(items.map(({ title }) => title)).toEqual([composed, composed, composed]);
  }
});

it("A search finds codes by their beginning, best first", async () => {
  const { actor } = await t.seedWorld(3);
  const { items } = await search(actor, { query: "t-2" });
  expect(at(items, 0)).toMatchObject({ kind: "task", code: "T-2", status: "todo", product_code: "WORLD" });
});

it("A search never shows what the caller does not reach", async () => {
  const { actor, product } = await t.seedWorld(0);
  await createPbi(actor, { product_id: product.id, title: "quagga" });
  const stranger = t.actorOf(await t.createUser());
  expect((await search(stranger, { query: "quagga" })).items).toEqual([]);
  expect(await statusOf(search(stranger, { query: "quagga", product_id: product.id }))).toBe(403);
});

it("A search reads no rows of products that are not the caller's, no matter how many match", async () => {
  const { actor, owner, product } = await t.seedWorld(0);
  const foreign = await t.seedWorld(0);
  const write = (productId: string, count: number) =>
    t.query`insert into public.pbis (product_id, title) select ${productId}, 'quokka ' || n
        from generate_series(1, ${count}) n`;
  await write(foreign.product.id, 300);
  await write(product.id, 2);
  for (const query of ["quok", "quokka 2", "PBI-"]) {
    expect(await pbisRead(owner.id, query)).toBeLessThan(20);
    expect((await search(actor, { query })).items.length).toBeGreaterThan(0);
  }
});

it("A search finds no foreign title that holds the beginning of the caller's product id", async () => {
  const { actor, product } = await t.seedWorld(0);
  const stranger = await t.seedWorld(0);
  const title = `${product.id.slice(0, 13)} numbat`;
  await createPbi(stranger.actor, { product_id: stranger.product.id, title });
  await createPbi(actor, { product_id: product.id, title: "Numbats & CO" });
  const { items } = await search(actor, { query: "numbat co" });
  expect(items.map(({ title: found }) => found)).toEqual(["Numbats & CO"]);
  expect((await search(actor, { query: product.id.slice(0, 8) })).items).toEqual([]);
});

it.each(["", "   ", "'", "\\", "%", "a & | !", "😀", ":*", "--"])("A search for %j does not fail", async (query) => {
  const { actor } = await t.seedWorld(1);
  expect((await search(actor, { query })).next_cursor).toBeNull();
});

it("A search goes through many results page by page", async () => {
  const { actor, product } = await t.seedWorld(0);
  await t.query`insert into pbis (product_id, title) select ${product.id}, 'okapi ' || n from generate_series(1, 25) n`;
  const seen = new Set<string>();
  let cursor: string | null = null;
  do {
    const page: SearchResult = await search(actor, { query: "okapi", limit: 10, ...(cursor ? { cursor } : {}) });
    for (const { id } of page.items) seen.add(id);
    cursor = page.next_cursor;
  } while (cursor);
  expect(seen.size).toBe(25);
});

/** How many PBIs a search takes from their table, no matter who may see them. */
const pbisRead = (userId: string, query: string) =>
  asUser(userId, async (client) => {
    const readSoFar = async () => {
      const { rows } = await client.query(
        "select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables where relid = 'public.pbis'::regclass",
      );
      return Number(rows[0].read);
    };
    const before = await readSoFar();
    await client.query("select private.find_matches($1, null, 'pbi', 20, 0)", [query]);
    return (await readSoFar()) - before;
  });

/** In a session of its own, which may count calls, with the claims of this user; it is rolled back. */
async function asUser<T>(userId: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: t.urlFor("supabase_admin") });
  await client.connect();
  try {
    await client.query("begin");
    await client.query("select set_config('request.jwt.claims', $1, true)", [
      JSON.stringify({ sub: userId, role: "authenticated" }),
    ]);
    return await use(client);
  } finally {
    await client.end();
  }
}

it("A reference is resolved by id or by code, in any case of letters", async () => {
  const { actor, product, story } = await t.seedWorld(0);
  const expected = { id: story.id, kind: "story", code: "ST-001", product_id: product.id };
  expect(await resolveReference(actor, { kind: "story", reference: story.id })).toEqual(expected);
  expect(await resolveReference(actor, { kind: "story", reference: "ST-001" })).toEqual(expected);
  expect(await resolveReference(actor, { kind: "story", reference: "st-001" })).toEqual(expected);
  expect(await statusOf(resolveReference(actor, { kind: "task", reference: story.id }))).toBe(404);
  expect(await statusOf(resolveReference(actor, { kind: "story", reference: "ST-404" }))).toBe(404);
});
