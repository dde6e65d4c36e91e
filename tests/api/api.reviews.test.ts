import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { getAgentJob, reportAgentJob, saveJobDiff } from "~/nouns/agent-jobs/operations.server";
import { archiveProduct, updateProduct } from "~/nouns/products/operations.server";
import { reviewJob } from "~/nouns/reviews/operations.server";
import { startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { waitingReviewsSchema } from "~/wire/reviews/contract";
import { openApp } from "../setup/app";
import { at, bearer, claim, wait } from "../setup/world";

const { t, app } = await openApp({ pages: true });

type File = Partial<{ path: string; old_path: string; status: string; patch: string }> &
  Partial<{ additions: number; deletions: number }>;

/** Five stories with a task each, of which the fourth and fifth wait for the third; three are in review. */
async function scene(files: readonly File[] = [{ path: "src/cart.ts" }]) {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1, 1, 1, 1, 1] });
  const { actor, product, tasks } = world;
  await updateProduct(actor, { product_id: product.id, done_requires: "person" });
  await wait(actor, at(tasks, 3), at(tasks, 2));
  await wait(actor, at(tasks, 4), at(tasks, 2));
  await startSprintRun(actor, { sprint_id: world.sprint.id });
  const jobs = [];
  for (let n = 0; n < 3; n++) {
    const { id: job_id, attempt } = await claim(actor);
    const shas = { base_sha: "a".repeat(40), head_sha: "b".repeat(40) };
    const sent = files.map((file) => ({
      path: "src/cart.ts",
      status: "modified",
      additions: n + 1,
      deletions: 0,
      binary: false,
      patch: "@@ -1 +1 @@\n-a\n+b\n",
      ...file,
    }));
    await saveJobDiff(actor, { job_id, attempt, ...shas, files: sent as never });
    await reportAgentJob(actor, { job_id, attempt, status: "done", verify_result: "ALIGNED", ...shas });
    jobs.push(job_id);
  }
  const session = { cookie: await app.signIn(world.owner) };
  return { ...world, jobs, session, token: await t.createToken(world.owner) };
}

async function read(headers: Record<string, string>, query = "") {
  const response = await app.request(`/api/reviews${query}`, { headers });
  expect(response.status).toBe(200);
  return waitingReviewsSchema.parse(await response.json());
}
const codes = ({ reviews }: z.infer<typeof waitingReviewsSchema>) => reviews.map(({ task }) => task.code);

describe("GET /api/reviews", () => {
  it("The queue of reviews begins with what frees most, then the smaller change, for session and token", async () => {
    const { session, token, product, jobs } = await scene();
    const found = await read(session);
    expect(codes(found)).toEqual(["T-3", "T-1", "T-2"]);
    expect(found.reviews[0]).toMatchObject({
      job_id: jobs[2],
      attempt: 1,
      head_sha: "b".repeat(40),
      product: { id: product.id },
      frees: { tasks: 2, jobs: 2 },
      size: { files: 1, additions: 3, deletions: 0 },
      criteria: { proven: 0, total: 2 },
    });
    expect(await read(bearer(token), `?product_id=${product.id}`)).toEqual(found);
  });

  it("The queue of reviews is read in pages, each row once", async () => {
    const { session } = await scene();
    const first = await read(session, "?limit=2");
    const second = await read(session, `?limit=2&cursor=${first.next_cursor}`);
    expect([...codes(first), ...codes(second)]).toEqual(["T-3", "T-1", "T-2"]);
    expect(second.next_cursor).toBeNull();
    for (const query of ["limit=0", "limit=101", "limit=x", "cursor=2", "cursor="]) {
      const refused = await app.request(`/api/reviews?${query}`, { headers: session });
      expect(refused.status).toBe(422);
    }
  });

  it("A page of reviews leaves out no row when those before it are judged in between", async () => {
    const { session, actor, jobs } = await scene();
    const first = await read(session, "?limit=1");
    await reviewJob(actor, { job_id: at(jobs, 2), verdict: "approve" });
    const second = await read(session, `?limit=1&cursor=${first.next_cursor}`);
    const third = await read(session, `?limit=1&cursor=${second.next_cursor}`);
    expect([first, second, third].flatMap(codes)).toEqual(["T-3", "T-1", "T-2"]);
    expect(third.next_cursor).toBeNull();
  });

  it("The queue of reviews leaves out judged work, a viewer's products and archived products", async () => {
    const { session, actor, jobs, product } = await scene();
    await reviewJob(actor, { job_id: at(jobs, 2), verdict: "approve" });
    expect(codes(await read(session))).toEqual(["T-1", "T-2"]);
    const viewer = await t.createMember(product.id, { viewer: true });
    const headers = await t.bearerOf(viewer);
    expect((await read(headers)).reviews).toEqual([]);
    const named = await app.request(`/api/reviews?product_id=${product.id}`, { headers });
    expect(named.status).toBe(403);
    await archiveProduct(actor, { product_id: product.id });
    expect((await read(session)).reviews).toEqual([]);
  });
});

describe("the marks of a change", () => {
  const marksOf = async (...files: File[]) => {
    const { session } = await scene(files);
    return at((await read(session)).reviews, 1).marks;
  };
  it.each<[string, string[], File[]]>([
    ["code without a test", ["no_test_changed", "outside_plan"], [{ path: "src/cart.ts" }]],
    ["a test beside it", ["outside_plan"], [{ path: "src/cart.ts" }, { path: "tests/cart.ts" }]],
    ["a migration", ["migration"], [{ path: "db/migrations/1.up" }]],
    ["a dependency", ["dependencies"], [{ path: "web/package.json" }]],
    ["CI", ["ci"], [{ path: ".github/workflows/ci.yml" }]],
    ["sign-in", ["secrets_or_auth"], [{ path: "src/oauth/token.ts" }]],
    ["a key in the text", ["secrets_or_auth"], [{ patch: `@@ -1 +1 @@\n-a\n+k = "AKIA${"A".repeat(16)}"\n` }]],
    ["a test file deleted", ["deleted_tests"], [{ path: "src/a.test.ts", status: "deleted" }]],
    ["a case deleted", ["deleted_tests"], [{ path: "src/a.test.ts", patch: '@@ -1 +1 @@\n-it("x", f);\n+x\n' }]],
    ["401 lines", ["large"], [{ additions: 400, deletions: 1 }]],
  ])("The marks of a change tell a reviewer of %s", async (_, marks, files) => {
    expect(await marksOf(...files)).toEqual(expect.arrayContaining(marks));
  });

  it("The marks of a change name the files that they are about, at most four", async () => {
    const { session } = await scene([
      ...["src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts", "src/e.ts"].map((path) => ({ path })),
      { path: "db/migrations/1.up" },
    ]);
    const { mark_paths } = at((await read(session)).reviews, 1);
    expect(mark_paths).toEqual({
      migration: ["db/migrations/1.up"],
      outside_plan: ["src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts"],
    });
    const page = await (await app.request("/inbox?show=reviews", { headers: session })).text();
    expect(page).toMatch(/these files\. .*src\/a\.ts, src\/b\.ts, src\/c\.ts and others/);
  });

  it("A folder new to agents is marked once they know others, and no more after one has worked in it", async () => {
    const files = [{ path: "old/a.ts" }, { path: "new/b.ts", status: "added" }];
    const { session, actor, product, jobs, tasks } = await scene(files);
    expect(at((await read(session)).reviews, 0).marks).not.toContain("first_time");
    await t.sql.query(
      `insert into past_jobs (id, product_id, task_id, kind, status, finished_at, created_at)
       select gen_random_uuid(), $1, $2, 'TASK_IMPLEMENTATION', 'DONE', now(), now() from generate_series(1, 10)`,
      [product.id, at(tasks, 0).id],
    );
    const again = async (path: string) => {
      const job_id = at(jobs, 0);
      const shas = { base_sha: "a".repeat(40), head_sha: "c".repeat(40) };
      const sent = { ...at(files, 1), additions: 1, deletions: 0, binary: false } as const;
      await saveJobDiff(actor, { job_id, attempt: 1, ...shas, files: [{ ...sent, path, status: "modified" }] });
      return (await read(session)).reviews.find((review) => review.job_id === job_id);
    };
    expect((await again("old/deep/x.ts"))?.mark_paths.first_time).toEqual(["old/deep/x.ts"]);
    await t.sql.query(
      "insert into touched_paths (product_id, path, job_id, attempt) values ($1, 'old/deep/y.ts', gen_random_uuid(), 1)",
      [product.id],
    );
    expect((await again("old/deep/x.ts"))?.marks).not.toContain("first_time");
  });

  it.each<[string, string | null, string]>([
    ["Hello, e.g. Ada, i.e. by name, in Node.js at example.com/login.", null, "src/a.ts"],
    ["Test it in tests/cart.test.ts, as README.md and package.json say.", null, "src/a.ts"],
    ["GET /api/orders/ and/or client/server", null, "src/a.ts"],
    ["Change the folder `src/orders/`.", null, "src/orders/deep/list.ts"],
    ["Change `src/orders/**/*.ts`", null, "app/src/orders/deep/list.ts"],
    ["Change [the cart](src/cart.ts).", null, "src/cart.ts"],
    ["In ./src/cart.ts:12-40 and @/features/shop: rows", null, "src/cart.ts app/features/shop/a.ts"],
    ["Change src/cart.ts and its TaskList.", null, "src/cart.ts src/TaskList.tsx"],
    ["Change data.ts", "src/a.ts", "src/a.ts"],
    ["**Change src/cart.ts.**", "src/a.ts", "src/a.ts src/cart.ts"],
    ["Change the folder src/orders/", "src/a.ts", "src/a.ts src/orders/b.ts"],
  ])("The mark for work outside the plan knows which file a plan names: %s", async (plan, outside, paths) => {
    const files = JSON.stringify(paths.split(" ").map((path) => ({ path })));
    const rows = await t.query`select private.outside_plan(${plan}, ${files}) as found`;
    expect(rows).toEqual([{ found: outside === null ? null : [outside] }]);
  });

  const hex = "9f86d081884c7d659a2feaa0c55ad015";
  const [sha, uuid] = [`${hex}a3bf4f1b`, "550e8400-e29b-41d4-a716-446655440000"];
  it.each<[string, boolean]>([
    [`"key": "${hex}"`, true],
    ["api_key = 'k3y1d00fz81mn4pq'", true],
    ["const stripeApiKey = `k3y1d00fz81mn4pq`;", true],
    [`AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI2K7MDENG3bPxRfiCYzz`, true],
    [`access-token: ${sha}`, true],
    ['"password" => "c0rrecthorse8battery4"', true],
    [`clientSecret := "${hex}"`, true],
    [`"token": "${uuid}"`, false],
    [`"integrity": "sha512-${"Ab3+".repeat(20)}=="`, false],
    [`checksum = "${hex}${hex}"`, false],
    [`  resolved "https://registry.example/x/-/x-1.0.0.tgz#${sha}"`, false],
    [`"content-hash": "${hex}"`, false],
    [`commit: ${sha}`, false],
    [`{file = "x.whl", hash = "sha256:${hex}${hex}"}`, false],
    [`cacheKey: "${hex}"`, false],
    [`cache_key = "${hex}"`, false],
    [`"id": "${uuid}"`, false],
    ['key: "welcome_message_title_2024"', false],
    ["const token = await createToken(user1, session2, third3);", false],
    ["api_key = os.environ['SERVICE_API_KEY_V2_2024']", false],
    ["apiKey: process.env.SERVICE_API_KEY_V2_2024_,", false],
    ['password: "correct horse battery"', false],
    [`x1y2z3 h1:${"Ab3+".repeat(10)}=`, false],
  ])("Keys added by a change are found by their names and values: %s", async (line, isKey) => {
    const found = async (patch: string) => {
      const files = JSON.stringify([{ path: "a", patch }]);
      const { rows } = await t.sql.query("select private.adding_keys($1) as paths", [files]);
      return rows;
    };
    expect(await found(`@@ -1 +1 @@\n-x\n+${line}\n`)).toEqual([{ paths: isKey ? ["a"] : null }]);
    expect(await found(`@@ -1 +1 @@\n-${line}\n+x\n`)).toEqual([{ paths: null }]);
  });

  const cases = (patch: string, path = "src/a.test.ts") => ({ path, patch, status: "modified" });
  it.each<[string, boolean, File[]]>([
    ["another case in its place", true, [cases('-it("x", f);\n+it("y", f);')]],
    ["another body", false, [cases('-it("x", f);\n+it.only("x", async () => {')]],
    ["a case that moved", false, [cases("-  test('x', f);"), cases("+test('x', f);", "test/b.ts")]],
    ["the same word in code that is no test", true, [cases("-it(`x`)"), cases("+it(`x`)", "a.ts")]],
    ["a file that goes on under another name", false, [{ ...cases(""), old_path: "tests/a.ts" }]],
    ["a file that is gone without its text", true, [{ ...cases(""), status: "deleted" }]],
    [
      "a file that is gone while its cases are elsewhere",
      false,
      [{ ...cases('-it(\n-  "x",'), status: "deleted" }, cases('+it(\n+  "x",', "tests/b.ts")],
    ],
    ["context below an empty line", false, [cases('-\n it("x", f);')]],
    ["Python", true, [cases("-async def test_x():\n+def test_y():", "tests/test_a.py")]],
    ["Go", true, [cases("-func TestX(t *testing.T) {\n+func TestY(t", "a_test.go")]],
    ["Rust", true, [cases("-#[tokio::test]\n-async fn x() {\n+#[test]\n+fn y()", "tests/a.rs")]],
    ["Java", true, [cases("-@Test\n-public void x() {\n+@Test\n+void y() {", "test/A.java")]],
    ["Java, whose case is the same", false, [cases("-@Test\n-void x() {\n+@Test\n+void x() {")]],
  ])("Test cases deleted by a change are known by their names: %s", async (_, isDeleted, files) => {
    const rows = await t.query`select private.deletes_tests(${JSON.stringify(files)}) as found`;
    expect(rows).toEqual([{ found: isDeleted }]);
  });

  it("A change of 400 lines is not marked as large, nor the plan's own file as outside the plan", async () => {
    const marks = await marksOf({ path: "src/part-1-1.ts", additions: 399, deletions: 1 });
    expect(marks).not.toContain("large");
    expect(marks).not.toContain("outside_plan");
  });

  it("The patterns for marks that a worker read on the main branch only add to the others", async () => {
    const { session, token, jobs } = await scene();
    const job_id = at(jobs, 0);
    const change = { status: "modified", additions: 1, deletions: 0, binary: false };
    const paths = ["build/it.sh", "db/migrations/1.up"];
    const marksWith = async (review_marks: object) => {
      const sent = await app.send(
        "PUT",
        `/api/jobs/${job_id}/diff`,
        {
          attempt: 1,
          base_sha: "a".repeat(40),
          head_sha: "c".repeat(40),
          review_marks,
          files: paths.map((path) => ({ ...change, path })),
        },
        bearer(token),
      );
      const found = await read(session);
      const marks = found.reviews.find((review) => review.job_id === job_id)?.marks;
      return { status: sent.status, marks };
    };
    const added = await marksWith({ ci: ["build/**"], migration: [] });
    expect(added.status).toBe(204);
    expect(added.marks).toEqual(expect.arrayContaining(["migration", "ci"]));
    expect((await marksWith({})).marks).not.toContain("ci");
    expect((await marksWith({ large: ["**"] })).status).toBe(422);
  });

  it("A change that takes long to judge gets its marks, and is never refused", async () => {
    const { session, token, jobs } = await scene();
    const job_id = at(jobs, 0);
    const sent = async (files: readonly File[], review_marks = {}) => {
      const rest = { status: "modified", additions: 1, deletions: 0, binary: false };
      const shas = { attempt: 1, base_sha: "a".repeat(40), head_sha: "c".repeat(40) };
      const body = { ...shas, review_marks, files: files.map((file) => ({ ...rest, ...file })) };
      const { status } = await app.send("PUT", `/api/jobs/${job_id}/diff`, body, bearer(token));
      const marks = (await read(session)).reviews.find((one) => one.job_id === job_id)?.marks;
      return { status, marks };
    };
    const lines = ["key='aaaaaaaaaaaaaaa1'", "token=", "token=".repeat(300)];
    for (const line of lines) {
      const patch = `+${line}\n`.repeat(250_000 / (line.length + 2));
      const files = Array.from({ length: 8 }, (_, n) => ({ path: `fixture-${n}.txt`, patch }));
      expect(await sent(files)).toMatchObject({ status: 204 });
    }
    const files = Array.from({ length: 2_000 }, (_, n) => ({ path: `${"a/".repeat(297)}${n}` }));
    const migration = Array.from({ length: 50 }, (_, n) => `${"**/a/".repeat(39)}x${n}`);
    const judged = await sent(files, { migration, ci: migration });
    expect(judged).toMatchObject({ status: 204, marks: expect.arrayContaining(["migration"]) });
  }, 60_000);

  it("The marks of a change follow the product's own patterns", async () => {
    const { session, actor, product, jobs } = await scene();
    const review_marks = { migration: ["src/**/*.ts"] };
    await updateProduct(actor, { product_id: product.id, review_marks });
    await reviewJob(actor, { job_id: at(jobs, 0), verdict: "request_changes", summary: "Again" });
    const { id: job_id, attempt } = await claim(actor);
    const shas = { base_sha: "a".repeat(40), head_sha: "c".repeat(40) };
    const file = { path: "src/cart.ts", status: "modified", additions: 1, deletions: 0 } as const;
    await saveJobDiff(actor, { job_id, attempt, ...shas, files: [{ ...file, binary: false }] });
    await reportAgentJob(actor, { job_id, attempt, status: "done", verify_result: "ALIGNED", ...shas });
    const again = (await read(session)).reviews.find((review) => review.job_id === job_id);
    expect(again?.marks).toContain("migration");
    expect(again?.marks).not.toContain("first_time");
  });
});

describe("a pattern of paths", () => {
  it.each([
    ["src/**/*.ts", ["src/a.ts", "src/a/b/c.ts"], ["src/a.tsx", "lib/src/a.ts"]],
    ["db/**", ["db/a", "db/a/b/c.sql"], ["adb/a", "db"]],
    ["*.lock", ["yarn.lock"], ["a/yarn.lock", "yarnxlock"]],
    ["a+(b).[c]", ["a+(b).[c]"], ["aa+(b).c"]],
    ["x|y", ["x|y"], ["x", "y"]],
  ])("The path pattern %s fits what it says, and nothing else", async (pattern, fitting, others) => {
    const rows = await t.query<{ path: string }>`select p as path
      from unnest(${[...fitting, ...others]}::text[]) p
      where p ~ private.patterns_regex(jsonb_build_array('none', ${pattern}::text))`;
    expect(rows.map(({ path }) => path)).toEqual(fitting);
  });
});

describe("the times of a job", () => {
  it("A job is first seen when a session opens its changes, and keeps the time of its first verdict", async () => {
    const { session, token, actor, jobs } = await scene();
    const job_id = at(jobs, 0);
    const times = async () => {
      const { first_seen_at, judged_at } = await getAgentJob(actor, { job_id });
      return { first_seen_at, judged_at };
    };
    await app.request(`/api/jobs/${job_id}/diff`, { headers: bearer(token) });
    await app.request(`/jobs/${job_id}`, { headers: session });
    const page = `/jobs/${job_id}/changes`;
    await app.request(page, { headers: session, method: "HEAD" });
    await app.request(page, { headers: { ...session, "sec-purpose": "prefetch;prerender" } });
    expect(await times()).toEqual({ first_seen_at: null, judged_at: null });
    await app.request(page, { headers: session });
    const { first_seen_at } = await times();
    expect(first_seen_at).not.toBeNull();
    await app.request(page, { headers: session });
    await reviewJob(actor, { job_id, verdict: "approve" });
    const { judged_at } = await times();
    expect(judged_at).not.toBeNull();
    await reviewJob(actor, { job_id, verdict: "approve" });
    expect(await times()).toEqual({ first_seen_at, judged_at });
  });

  it("A sprint's pages, Insights and /metrics tell how long work waited for its review", async () => {
    const { session, product, sprint, jobs } = await scene();
    const sprintPage = `/products/${product.id}/sprints/${sprint.id}`;
    const pages = [sprintPage, `${sprintPage}/review`, `/insights?product_id=${product.id}`];
    const told = async () => {
      const texts = [];
      for (const page of pages) {
        const html = await (await app.request(page, { headers: session })).text();
        const terms = html.replaceAll("<!-- -->", "").matchAll(/>(Done to [a-z ]+)<.*?<dd[^>]*>(.*?)<\/dd>/gs);
        texts.push(Object.fromEntries([...terms].map(([, term, text]) => [term, text])));
      }
      return texts;
    };
    expect(await told()).toEqual([{}, {}, {}]);
    for (const [place, hours] of [1, 2, 9].entries()) {
      await t.query`update job_attempts set ended_at = ended_at - make_interval(hours => ${hours})
        where job_id = ${at(jobs, place)}`;
    }
    const before = await counts();
    for (const job of jobs) await app.request(`/jobs/${job}/changes`, { headers: session });
    const headers = { ...session, "content-type": "application/json", origin: app.origin };
    for (const verdict of ["request_changes", "approve"]) {
      const body = JSON.stringify({ verdict, summary: "As it is" });
      await app.request(`/api/jobs/${jobs[0]}/review`, { method: "POST", headers, body });
    }
    const wait = "median 2 h 00 min, 90\u00a0% within 7 h 36 min";
    const all = { "Done to first look": wait, "Done to verdict": expect.stringMatching(/^median 1 h 00 min,/) };
    expect(await told()).toEqual([all, all, all]);
    const after = await counts();
    expect(after.map((count, place) => count - (before[place] ?? 0))).toEqual([3, 2, 1, 1]);
  });
});

/** How many first looks /metrics has, those within two hours and a bit, and the same of verdicts. */
async function counts() {
  const text = await (await app.request("/metrics")).text();
  const count = (name: string) => Number(new RegExp(`^backloom_review_${name} (\\S+)$`, "m").exec(text)?.[1] ?? 0);
  return ["first_look", "verdict"].flatMap((kind) => [
    count(`${kind}_seconds_count`),
    count(`${kind}_seconds_bucket\\{le="14400"\\}`),
  ]);
}

describe("the queue of reviews on its pages", () => {
  it("The inbox lists reviews in the order of the queue with reasons, and lets no one approve there", async () => {
    const { session } = await scene([{ path: "db/migrations/1.sql" }]);
    const page = await (await app.request("/inbox?show=reviews", { headers: session })).text();
    const places = ["T-3", "T-1", "T-2"].map((code) => page.indexOf(`Review of ${code}"`));
    expect(places.toSorted((one, other) => one - other)).toEqual(places);
    expect(places).not.toContain(-1);
    expect(page).toContain("Approving frees 2 tasks");
    expect(page).toContain("Data moves: look for indexes");
    expect(page).not.toMatch(/name="verdict"/);
  });

  it("Each review leads to the one behind it in the queue, and the last to the first", async () => {
    const { session, jobs } = await scene();
    const nextOf = async (job: string) => {
      const page = await (await app.request(`/jobs/${job}/changes`, { headers: session })).text();
      return /"next":"([^"]+)"/.exec(page)?.[1];
    };
    const order = [at(jobs, 2), at(jobs, 0), at(jobs, 1)];
    expect(await Promise.all(order.map(nextOf))).toEqual([order[1], order[2], order[0]]);
  });

  it("An approval leads to the next review, and the last one back to the inbox", async () => {
    const { session, jobs } = await scene();
    const approve = async (job: string) => {
      const body = new URLSearchParams({ intent: "review", verdict: "approve_and_next" });
      const init = { method: "POST", headers: session, body, redirect: "manual" } as const;
      const answer = await app.request(`/jobs/${job}/changes`, init);
      return [answer.status, answer.headers.get("location")];
    };
    expect(await approve(at(jobs, 2))).toEqual([303, `/jobs/${jobs[0]}/changes`]);
    expect(await approve(at(jobs, 0))).toEqual([303, `/jobs/${jobs[1]}/changes`]);
    expect(await approve(at(jobs, 1))).toEqual([303, "/inbox?show=reviews"]);
  });
});
