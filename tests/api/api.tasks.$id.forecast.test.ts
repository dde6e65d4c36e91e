import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { appendJobOutput, reportAgentJob, saveJobDiff } from "~/nouns/agent-jobs/operations.server";
import { getForecastQuality } from "~/nouns/forecasts/operations.server";
import { createLabel } from "~/nouns/labels/operations.server";
import { deleteProduct, updateProduct } from "~/nouns/products/operations.server";
import { sweep as sweepAll } from "~/nouns/schedules/operations.server";
import { editTask } from "~/nouns/tasks/operations.server";
import { taskForecastSchema } from "~/wire/forecasts/contract";
import { openApp } from "../setup/app";
import { at, bearer, claim } from "../setup/world";

const { t, app } = await openApp();

const sha = (n: number) => n.toString(16).padStart(40, "0");
const change = (n: number, title: string, ...paths: string[]) => {
  return { sha: sha(n + 1), at: new Date(Date.UTC(2026, 0, 1) - n * 3_600_000).toISOString(), title, paths };
};
/** Twelve changes: six about the login form, six about other things. */
const history = [
  ...[0, 1, 2, 3, 4, 5].map((n) =>
    change(n, `Say more in login errors ${n}`, "app/login/form.tsx", `app/login/part-${n}.ts`),
  ),
  ...[6, 7, 8, 9, 10, 11].map((n) => change(n, `Export invoices faster ${n}`, "app/invoices/export.ts")),
];
const body = (changes: unknown[] = history, head = sha(0xabc), repository = "git@example.com:team/shop.git") => ({
  repository,
  head_sha: head,
  changes,
});

/** A product with two tasks, the first one running, and what its worker sends. */
async function scene(changes: unknown[] = history) {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1, 1] });
  const { actor, product, owner } = world;
  await updateProduct(actor, { product_id: product.id, repo_url: "https://example.com/team/shop" });
  const [first, second] = [at(world.tasks, 0).id, at(world.tasks, 1).id];
  const token = await t.createToken(owner);
  const path = `/api/products/${product.id}/change-index`;
  const put = (given: unknown) => app.send("PUT", path, given, bearer(token));
  const read = async (id = first) => {
    const answer = await app.request(`/api/tasks/${id}/forecast`, { headers: bearer(token) });
    expect(answer.status, await answer.clone().text()).toBe(200);
    return taskForecastSchema.parse(await answer.json());
  };
  const write = (title: string, description = "", task_id = first) => editTask(actor, { task_id, title, description });
  const start = async () => {
    await world.start();
    const job = await claim(actor);
    await sweep();
    return job;
  };
  if (changes.length > 0) expect((await put(body(changes))).status).toBe(204);
  await write("Show login errors");
  return { world, actor, product, token, path, put, read, write, start, first, second };
}

const finish = (actor: Parameters<typeof reportAgentJob>[0], job: { id: string; attempt: number }) => {
  const attempt = { job_id: job.id, attempt: job.attempt, head_sha: sha(0x222) };
  return reportAgentJob(actor, { ...attempt, status: "done", verify_result: "ALIGNED" });
};
const sweep = () => sweepAll(t.database);
const files = (...names: string[]) =>
  names.map((path) => ({ path, status: "modified" as const, additions: 1, deletions: 0, binary: false }));

it("An index sent plain or packed is one for the https and ssh forms of an address", async () => {
  const { path, token, product, read } = await scene();
  const again = body(history, sha(0xdef), "https://example.com/Team/shop/");
  const packed = await app.request(path, {
    method: "PUT",
    headers: { ...bearer(token), "content-type": "application/json", "content-encoding": "gzip" },
    body: new Uint8Array(gzipSync(JSON.stringify(again))),
  });
  expect(packed.status).toBe(204);
  const kept = await t.query`select repository, head_sha from change_indexes where product_id = ${product.id}`;
  expect(kept).toEqual([{ repository: "example.com/team/shop", head_sha: sha(0xdef) }]);
  expect(await read()).toMatchObject({ main_sha: sha(0xdef), known_changes: 12 });
});

it("Another repository, too many files, a switched off index, a stranger and a packed flood are refused", async () => {
  const { actor, product, put, path, token } = await scene();
  const many = Array.from({ length: 501 }, (_, n) =>
    change(n, "All", ...Array.from({ length: 40 }, (_, m) => `${n}/${m}`)),
  );
  expect((await put(body(many, sha(1)))).status).toBe(422);
  expect((await put(body(history, sha(1), "https://example.com/else/where"))).status).toBe(422);
  const flood = await app.request(path, {
    method: "PUT",
    headers: { ...bearer(token), "content-type": "application/json", "content-encoding": "gzip" },
    body: new Uint8Array(gzipSync(Buffer.alloc(9_000_000, " "))),
  });
  expect(flood.status).toBe(413);
  const broken = await app.send("PUT", path, "{}", { ...bearer(token), "content-encoding": "gzip" });
  expect(broken.status).toBe(400);
  const visitor = await t.createToken(await t.createUser());
  expect((await app.send("PUT", path, body(), bearer(visitor))).status).toBe(403);
  await updateProduct(actor, { product_id: product.id, change_index: false });
  expect((await put(body())).status).toBe(409);
});

it("A product with two repositories has an index for each", async () => {
  const { actor, put, read, write, second } = await scene();
  await editTask(actor, { task_id: second, repo_url: "https://example.com/team/print" });
  const prints = history.map((one, n) => ({ ...one, title: `Show login errors ${n}`, paths: ["src/print.go"] }));
  expect((await put(body(prints, sha(0xbcd), "ssh://git@example.com/team/print.git"))).status).toBe(204);
  await write("Show login errors", "", second);
  expect((await read(second)).touches.map(({ path }) => path)).toEqual(["src/print.go"]);
  expect(at((await read()).touches, 0).path).toBe("app/login/form.tsx");
});

it("Switching the index off or deleting the product deletes what was sent, and what was forecast", async () => {
  const { actor, product, read, put } = await scene();
  const left = async () =>
    (
      await t.query`select (select count(*) from change_indexes where product_id = ${product.id})
        + (select count(*) from forecasts f join tasks x on x.id = f.task_id where x.product_id = ${product.id}) as n`
    )[0]?.n;
  await read();
  await t.query`select private.keep_forecast(x.id) from tasks x where x.product_id = ${product.id}`;
  expect(Number(await left())).toBe(3);
  await updateProduct(actor, { product_id: product.id, change_index: false });
  expect(Number(await left())).toBe(0);
  expect(await read()).toMatchObject({ known_changes: 0, touches: [], meets: [], main_sha: null });
  await updateProduct(actor, { product_id: product.id, change_index: true });
  expect((await put(body())).status).toBe(204);
  await deleteProduct(actor, { product_id: product.id, code: product.code });
  expect(
    await t.query`select count(*)::int as n from known_changes c where not exists (select from change_indexes x where x.id = c.index_id)`,
  ).toEqual([{ n: 0 }]);
  expect(Number(await left())).toBe(0);
});

it("A file is told with how many similar changes touched it, and one that the text names comes first", async () => {
  const { read, write } = await scene();
  const { touches, known_changes, estimate, ceiling } = await read();
  expect(at(touches, 0)).toEqual({ path: "app/login/form.tsx", is_folder: false, in: 6, of: 6, why: "similar" });
  expect([known_changes, estimate.too_few, ceiling]).toEqual([12, true, { amount: 5, currency: "USD" }]);
  await write("Show login errors", "The sum is made in invoices/export.ts.");
  const named = await read();
  const touch = { path: "app/invoices/export.ts", is_folder: false, in: null, of: null, why: "named" };
  expect(at(named.touches, 0)).toEqual(touch);
});

it("Below a support of three only the folder is told", async () => {
  const { read } = await scene();
  const { touches } = await read();
  expect(touches.filter(({ path }) => path.startsWith("app/login/part-"))).toEqual([]);
  const few = await scene([
    ...[0, 1, 2, 3].map((n) => change(n, `Say more in login errors ${n}`, `app/login/part-${n}.ts`)),
    ...history.slice(6),
  ]);
  const told = (await few.read()).touches;
  expect(told).toContainEqual({ path: "app/login/", is_folder: true, in: 4, of: 4, why: "similar" });
  expect(told.filter(({ path }) => path.includes("part-"))).toEqual([]);
});

it("Nothing is told below eight known changes", async () => {
  const { read } = await scene(history.slice(0, 7));
  expect(await read()).toMatchObject({ known_changes: 7, main_sha: null, touches: [], meets: [] });
});

it("A sweep over many files does not outweigh changes of a few", async () => {
  const wide = Array.from({ length: 40 }, (_, n) => `other/file-${n}.ts`);
  const sweeps = [20, 21, 22].map((n) => change(n, "Say more in login errors everywhere", ...wide));
  const { read } = await scene([...sweeps, ...history]);
  expect(at((await read()).touches, 0).path).toBe("app/login/form.tsx");
});

it("A package that the task names goes before another one with the same files, and a label of that name changes nothing", async () => {
  const both = (n: number, name: string) =>
    change(n, `${name}: show totals ${n}`, `packages/${name}/src/totals.ts`, `packages/${name}/test/totals.ts`);
  const packages = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => both(n, n % 2 === 0 ? "billing" : "shop"));
  const { read, write, actor, product, first } = await scene(packages);
  const named = async () => (await read()).touches.map(({ path }) => path.split("/")[1]);
  await write("Show totals in the shop");
  expect((await named()).slice(0, 2)).toEqual(["shop", "shop"]);
  await write("Show totals of billing");
  expect((await named()).slice(0, 2)).toEqual(["billing", "billing"]);
  const before = await read();
  await createLabel(actor, { product_id: product.id, name: "packages/shop" });
  await editTask(actor, { task_id: first, labels: ["packages/shop"] });
  expect(await read()).toEqual(before);
});

it("A running task that probably touches the same file is met, also by what it has changed so far", async () => {
  const { read, write, start, actor, second } = await scene();
  await write("Make login errors shorter", "", second);
  const job = await start();
  // People get it, the agent does not.
  expect(JSON.stringify(job)).not.toContain("form.tsx");
  const other = job.task_id === second ? undefined : second;
  const { meets } = await read(other);
  expect(meets).toMatchObject([{ job_id: job.id, task: { id: job.task_id }, paths: ["app/login/form.tsx"] }]);
  await write("Export invoices of a year", "", other);
  expect((await read(other)).meets).toEqual([]);
  const diff = { base_sha: sha(1), head_sha: sha(2), files: files("app/invoices/export.ts") };
  await saveJobDiff(actor, { job_id: job.id, attempt: job.attempt, ...diff });
  expect((await read(other)).meets).toMatchObject([{ paths: ["app/invoices/export.ts"] }]);
});

it("The first file that an agent edits brings in what changes together with it", async () => {
  const pairs = [20, 21, 22].map((n) => change(n, `Print receipt ${n}`, "app/print/page.ts", "app/print/paper.ts"));
  const { read, write, start, actor, first, second } = await scene([...history, ...pairs]);
  const job = await start();
  const other = job.task_id === second ? first : second;
  await write("Print receipts", "", other);
  expect((await read(other)).meets).toEqual([]);
  const entry = { seq: 1, at: new Date().toISOString(), kind: "edit" as const, path: "app/print/page.ts", text: "" };
  await appendJobOutput(actor, { job_id: job.id, attempt: job.attempt, entries: [entry] });
  expect((await read(other)).meets).toMatchObject([{ paths: ["app/print/page.ts", "app/print/paper.ts"] }]);
});

it("What a task touched is compared with what was known when it was claimed, and then known with double weight", async () => {
  const { read, put, start, actor, first, product, world } = await scene();
  const squashes = [
    change(33, `${at(world.stories, 0).code}: Anything`, "app/login/new.ts"),
    change(34, "Show login errors (#7)", "app/login/form.tsx"),
  ];
  const job = await start();
  expect(job.task_id).toBe(first);
  // A head that came later, with the work itself in it, changes nothing.
  await put(body([change(0, "Show login errors", "app/login/secret.ts"), ...history.slice(1)], sha(0xeee)));
  const { main_sha, result } = await read();
  expect([main_sha, result]).toEqual([sha(0xabc), undefined]);
  const diff = { base_sha: sha(1), head_sha: sha(2), files: files("app/login/form.tsx", "app/login/new.ts") };
  await saveJobDiff(actor, { job_id: job.id, attempt: job.attempt, ...diff });
  await finish(actor, job);
  expect((await read()).result).toEqual({ named: 1, changed: 2, hit: 1 });
  await sweep();
  const joined = await t.query`select c.paths from known_changes c where c.task_id = ${first}`;
  expect(joined).toEqual([{ paths: ["app/login/form.tsx", "app/login/new.ts"] }]);
  // Its commit, or what a person squashed, counts once; a revert and another work of that name are changes of their own.
  const others = [
    change(30, "Show login errors", "app/else.ts"),
    change(31, 'Revert "Show login errors (#7)"', "app/login/form.tsx"),
  ];
  const same = [{ ...change(32, "x", "app/login/form.tsx"), sha: sha(0x222) }, ...squashes];
  await put(body([...others, ...same, ...history], sha(0xfff)));
  const known = await t.query`select c.title from known_changes c join change_indexes x on x.id = c.index_id
      where x.product_id = ${product.id} and c.task_id is null and c.title not like '%errors _' and c.title not like 'Export%'`;
  expect(known.map(({ title }) => title)).toEqual(others.map(({ title }) => title));
  expect((await read()).result).toEqual({ named: 1, changed: 2, hit: 1 });
});

it("A task that is tried again counts once, by what was known first, and one that names its file is not counted", async () => {
  const { actor, product, put, write, start, first, second } = await scene();
  await write("Export app/invoices/export.ts", "", second);
  const work = async (job: Awaited<ReturnType<typeof start>>) => {
    const diff = { base_sha: sha(1), head_sha: sha(2), files: files("app/login/form.tsx") };
    await saveJobDiff(actor, { job_id: job.id, attempt: job.attempt, ...diff });
  };
  const job = await start();
  expect(job.task_id).toBe(first);
  await work(job);
  await put(body(history, sha(0xeee)));
  await t.query`update agent_jobs set lease_until = now() - interval '1 hour' where id = ${job.id}`;
  await sweep();
  for (const n of [1, 2]) {
    const again = await claim(actor, `worker-${n}`);
    await sweep();
    await work(again);
    await finish(actor, again);
  }
  await sweep();
  const kept = await t.query`select main_sha from forecasts where task_id = ${first}`;
  expect(kept).toEqual([{ main_sha: sha(0xabc) }]);
  const { methods } = await getForecastQuality(actor, { product_id: product.id });
  expect(methods).toMatchObject([{ method: "mixed", tasks: 1, hit_5: 1 }, { tasks: 1 }, { tasks: 1 }]);
});

describe("avoid_overlap", () => {
  /** Three login tasks before one about invoices, each of a story of its own. */
  async function queue(avoid_overlap: boolean) {
    const world = await t.seedSprint({ strategy: "STORY", stories: Array(12).fill(1) });
    const { actor, product, owner, tasks } = world;
    await updateProduct(actor, { product_id: product.id, repo_url: "https://example.com/team/shop", avoid_overlap });
    const path = `/api/products/${product.id}/change-index`;
    await app.send("PUT", path, body(), bearer(await t.createToken(owner)));
    const titles = tasks.map((_, n) => (n >= 1 && n % 2 === 0 ? `Export invoices ${n}` : `Show login errors ${n}`));
    for (const [n, { id }] of tasks.entries()) await editTask(actor, { task_id: id, title: titles[n] });
    // A claim makes forecasts for a part of a second only: what it chooses must not depend on how busy the machine is.
    if (avoid_overlap) for (const { id } of tasks) await t.sql.query("select private.keep_forecast($1)", [id]);
    await world.start();
    const next = async () => {
      const job = await claim(actor, `worker-${Math.random()}`);
      return { ...job, title: titles[tasks.findIndex(({ id }) => id === job.task_id)] };
    };
    return { actor, next, product };
  }

  it("Among equals a claim prefers what meets no running work, and without the setting the order decides and no forecast is made", async () => {
    const plain = await queue(false);
    expect([(await plain.next()).title, (await plain.next()).title]).toEqual([
      "Show login errors 0",
      "Show login errors 1",
    ]);
    expect(
      await t.query`select from forecasts f join tasks x on x.id = f.task_id where x.product_id = ${plain.product.id}`,
    ).toEqual([]);
    const { next } = await queue(true);
    expect([(await next()).title, (await next()).title]).toEqual(["Show login errors 0", "Export invoices 2"]);
  });

  it("Nothing is passed over more than eight times", async () => {
    const { next, actor, product } = await queue(true);
    await next();
    await t.query`update forecasts f set passed_over = 7 from tasks x
      where x.id = f.task_id and x.product_id = ${product.id} and x.title = 'Show login errors 1'`;
    const second = await next();
    expect(second.title).toBe("Export invoices 2");
    await finish(actor, second);
    expect((await next()).title).toBe("Show login errors 1");
  });

  it("Tasks of a lower priority wait no matter what they meet", async () => {
    const { next, product } = await queue(true);
    await t.query`update tasks set priority = 4 where product_id = ${product.id} and title like 'Export%'`;
    await next();
    expect((await next()).title).toMatch(/^Show/);
  });
});
