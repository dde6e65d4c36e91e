import type { Actor } from "~/db/rpc.server";
import { saveChangeIndex } from "~/nouns/forecasts/operations.server";
import type { KnownChange } from "~/wire/forecasts/contract";
import type { Store } from "../world";
import { type ProductCode, parts, products } from "./backlogs";
import { reviewedStories } from "./changes";

/** Where a product has what it keeps of a thing: in the order of `parts`. */
const filesOf: Record<ProductCode, (thing: string) => string[]> = {
  SHOP: (x) => [`src/${x}s/${x}.ts`, `src/${x}s/page.tsx`, `tests/${x}.test.ts`, `src/${x}s/routes.ts`],
  ROUTE: (x) => [`internal/${x}s/store.go`, `web/${x}s.html`, `internal/${x}s/store_test.go`, `internal/http/${x}s.go`],
  NOTES: (x) => [`src/notes/${x}.py`, `src/notes/pages/${x}.py`, `tests/test_${x}.py`, `src/notes/api/${x}.py`],
};
const topics = {
  CSV: "export/csv",
  spreadsheet: "import/spreadsheet",
  link: "links",
  keyboard: "keys",
  print: "print",
};
const payments = [
  "Charge a card at the payment service",
  "Refund a payment to its card",
  "Say why the payment service refused a card",
  "Keep a failed payment for support",
  "Pay again with the card when the service was down",
];

function pathsOf(code: ProductCode, title: string): string[] {
  const things = products.find((product) => product.code === code)?.things ?? [];
  const thing = [...things].sort((a, b) => b.length - a.length).find((one) => title.includes(one)) ?? "";
  const files = filesOf[code](thing);
  const place = parts.findIndex((part) => title.startsWith(part));
  const [store = "", , test = ""] = files;
  const [folder] = /^\w+\//.exec(store) ?? [""];
  const shared = Object.entries(topics).flatMap(([word, path]) =>
    title.includes(word) ? [`${folder}${path}${/\.\w+$/.exec(store)}`] : [],
  );
  return [...new Set([files[place] ?? "", place % 2 === 0 ? test : store, ...shared])];
}

/** What the night's work builds on, a year ago. */
function earlier(code: ProductCode, at: string): KnownChange[] {
  const begun = reviewedStories
    .filter(({ product, before }) => product === code && Object.keys(before).length <= 40)
    .map(({ before, title }) => ({ title: `Begin: ${title}`, paths: Object.keys(before) }));
  const paid = payments.map((title) => ({ title, paths: ["src/payments/card.ts", "src/payments/service.ts"] }));
  return [...(code === "SHOP" ? paid : []), ...begun].map((change, n) => ({ ...change, at, sha: `${n}`.repeat(40) }));
}

/** As a worker sends it: main's changes are those of the year's tasks. The newest sixty were forecast from what came before them. */
export async function knowMain(t: Store, actor: Actor, code: ProductCode, product_id: string): Promise<void> {
  const { rows } = await t.sql.query<{ task_id: string; job_id: string; head_sha: string; at: Date; title: string }>(
    `select j.task_id, j.id as job_id, j.head_sha, j.finished_at as at, t.title from public.agent_jobs j
     join public.tasks t on t.id = j.task_id where j.product_id = $1 and j.status = 'DONE' order by j.finished_at desc`,
    [product_id],
  );
  const done = rows.map((row) => ({ ...row, at: row.at.toISOString(), paths: pathsOf(code, row.title) }));
  const changes = [
    ...done.map(({ head_sha, at, title, paths }): KnownChange => ({ sha: head_sha, at, title, paths })),
    ...earlier(code, done.at(-1)?.at ?? ""),
  ];
  const repository = `https://git.example.com/team/${code.toLowerCase()}.git`;
  const save = (from: number) =>
    saveChangeIndex(actor, {
      product_id,
      repository,
      head_sha: changes[from]?.sha ?? "",
      changes: changes.slice(from),
    });
  await save(60);
  const newest = done.slice(0, 60);
  for (const { task_id, at } of newest) await t.sql.query("select private.keep_forecast($1, $2)", [task_id, at]);
  await t.sql.query(
    `insert into public.job_diffs (job_id, attempt, product_id, base_sha, head_sha, additions, deletions, bytes, created_at, files)
     select j.id, j.attempt, j.product_id, j.base_sha, j.head_sha, j.additions, j.deletions, 0, j.finished_at,
       (select jsonb_agg(jsonb_build_object('path', p, 'status', 'modified', 'additions', 1, 'deletions', 0, 'binary', false)) from jsonb_array_elements_text(x.paths) p)
     from jsonb_to_recordset($1::jsonb) x (job_id uuid, paths jsonb) join public.agent_jobs j on j.id = x.job_id`,
    [JSON.stringify(newest)],
  );
  await save(0);
  await t.sql.query(
    `update public.forecasts f set settled_at = f.claimed_at, changed = private.changed_paths(j.id)
     from public.agent_jobs j where j.task_id = f.task_id and j.product_id = $1`,
    [product_id],
  );
}
