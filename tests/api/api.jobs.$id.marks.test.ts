import { describe, expect, it } from "vitest";
import { z } from "zod";
import { callAs } from "~/db/rpc.server";
import { reportAgentJob, saveJobDiff } from "~/nouns/agent-jobs/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { reviewJob } from "~/nouns/reviews/operations.server";
import { markWords, reviewMarks } from "~/wire/reviews/marks";
import { openApp } from "../setup/app";
import { at, bearer, claim } from "../setup/world";
import { type File, waitingReviews } from "./waiting-reviews";

const stage = await openApp({ pages: true });
const { t, app } = stage;
const { scene, read } = waitingReviews(stage);

// In parts, so that no one's scanner takes it for one that opens something.
const madeUpKey = ["AKIA", "3XQ7LMVD", "2PZT6RWY"].join("");

describe("the marks of a change", () => {
  const marksOf = async (...files: File[]) => {
    const { session } = await scene(files);
    return at((await read(session)).reviews, 1).marks;
  };
  it("The marks of a job are read with their weight, the dangerous first, and the queue names them", async () => {
    const { session, token, jobs } = await scene([
      { path: "src/cart.ts" },
      { path: "config.ts", patch: `@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n+key = "${madeUpKey}"\n` },
    ]);
    const answer = await app.request(`/api/jobs/${jobs[1]}/marks`, { headers: bearer(token) });
    expect(await answer.json()).toEqual({
      marks: [
        { mark: "secret", weight: "red", path: "config.ts", hunk: 1 },
        { mark: "unproven", weight: "amber", path: null, hunk: null },
        { mark: "no_test_changed", weight: "gray", path: null, hunk: null },
        { mark: "outside_plan", weight: "gray", path: "config.ts", hunk: null },
        { mark: "outside_plan", weight: "gray", path: "src/cart.ts", hunk: null },
      ],
    });
    const { marks } = at((await read(session)).reviews, 1);
    expect(marks).toEqual(["secret", "unproven", "no_test_changed", "outside_plan"]);
  });

  it("Each mark has one weight, in the service and on its pages", async () => {
    const rows =
      await t.query`select m as mark, private.mark_weight(m) as weight, private.mark_place(m) as place from unnest(${reviewMarks}::text[]) m`;
    expect(rows).toEqual(reviewMarks.map((mark, n) => ({ mark, weight: markWords[mark].weight, place: n + 1 })));
  });

  it("Work that its agent reports in part is marked, as is what differs from the plan", async () => {
    const { session, jobs } = await scene();
    const marks = async (result: string) => {
      await t.query`update agent_jobs set verify_result = ${result}::verify_result where id = ${at(jobs, 0)}`;
      return (await read(session)).reviews.find(({ job_id }) => job_id === jobs[0])?.marks;
    };
    expect(await marks("PARTIAL")).toContain("unsure");
    expect(await marks("DIVERGENT")).toContain("unsure");
    expect(await marks("ALIGNED")).not.toContain("unsure");
  });

  it("A process of 0.4.0 gets the marks of the queue in its own words", async () => {
    const { actor } = await scene([
      { path: "src/login.ts" },
      { path: "src/key.ts", patch: `@@ -1 +1 @@\n+key = "${madeUpKey}"\n` },
    ]);
    const former = z.object({ reviews: z.array(z.object({ marks: z.array(z.string()), mark_paths: z.unknown() })) });
    const { reviews } = await callAs(actor, "list_reviews", {}, former);
    expect(reviews).toHaveLength(3);
    expect(at(reviews, 0).marks).toEqual(["no_test_changed", "outside_plan", "secrets_or_auth"]);
  });

  it("The marks of a change name the files that they are about, at most four", async () => {
    const { session } = await scene([
      ...["src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts", "src/e.ts"].map((path) => ({ path })),
      { path: "db/migrations/1.up" },
    ]);
    const { mark_paths } = at((await read(session)).reviews, 1);
    expect(mark_paths).toEqual({
      migration: ["db/migrations/1.up"],
      outside_plan: ["db/migrations/1.up", "src/a.ts", "src/b.ts", "src/c.ts"],
    });
    const page = await (await app.request("/inbox?show=reviews", { headers: session })).text();
    expect(page).toMatch(/these files\. .*1\.up, src\/a\.ts, src\/b\.ts and others/);
  });

  it("A folder new to agents is marked once they know others, and no more after one has worked in it", async () => {
    const files = [{ path: "old/a.ts" }, { path: "new/b.ts", status: "added" }];
    const { session, actor, product, jobs, tasks } = await scene(files);
    expect(at((await read(session)).reviews, 0).marks).not.toContain("first_time");
    await t.query`insert into past_jobs (id, product_id, task_id, kind, status, finished_at, created_at)
       select gen_random_uuid(), ${product.id}, ${at(tasks, 0).id}, 'TASK_IMPLEMENTATION', 'DONE', now(), now()
         from generate_series(1, 10)`;
    const again = async (path: string) => {
      const job_id = at(jobs, 0);
      const shas = { base_sha: "a".repeat(40), head_sha: "c".repeat(40) };
      const sent = { ...at(files, 1), additions: 1, deletions: 0, binary: false } as const;
      await saveJobDiff(actor, { job_id, attempt: 1, ...shas, files: [{ ...sent, path, status: "modified" }] });
      return (await read(session)).reviews.find((review) => review.job_id === job_id);
    };
    expect((await again("old/deep/x.ts"))?.mark_paths.first_time).toEqual(["old/deep/x.ts"]);
    await t.query`insert into touched_paths (product_id, path, job_id, attempt)
      values (${product.id}, 'old/deep/y.ts', gen_random_uuid(), 1)`;
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
    ["const key = 'AKIAIOSFODNN7EXAMPLE';", false],
    [`k = "${madeUpKey}"`, true],
    [`Authorization: Bearer ${"sk-"}${"x".repeat(24)}`, false],
    ["  token: •••", true],
    ['<input type="password" placeholder="••••••••">', false],
    ["DATABASE_URL=postgres://shop:kq83hdk2lw9z@db.shop.io/shop", true],
    ["DATABASE_URL=postgres://shop:$PASSWORD_OF_2024@db.shop.io/shop", false],
    ["API_KEY=your-api-key-0123-goes-here", false],
    ['const token = "test-token-1a2b3c4d5e";', false],
    [`x1y2z3 h1:${"Ab3+".repeat(10)}=`, false],
  ])("Keys added by a change are found by their names and values: %s", async (line, isKey) => {
    const found = (patch: string) => {
      const files = JSON.stringify([{ path: "a", patch }]);
      return t.query`select path, hunk from private.adding_keys(${files})`;
    };
    const before = "@@ -1 +1 @@\n-x\n+y\n";
    expect(await found(`${before}@@ -9 +9 @@\n-x\n+${line}\n`)).toEqual(isKey ? [{ path: "a", hunk: 1 }] : []);
    expect(await found(`@@ -1 +1 @@\n-${line}\n+x\n`)).toEqual([]);
  });

  /** A file with its changed lines; a line without a sign is one that stays. */
  const file = (path: string, ...lines: string[]): File => ({
    path,
    status: "modified",
    additions: lines.filter((line) => line.startsWith("+")).length,
    deletions: lines.filter((line) => line.startsWith("-")).length,
    patch: `@@ -1 +1 @@\n${lines.map((line) => (/^[-+@]/.test(line) ? line : ` ${line}`)).join("\n")}\n`,
  });
  const inTest = (...lines: string[]) => file("a.test.ts", ...lines);
  const code = (path: string) => file(path, "-old", "+new");
  const go = (name: string) => [
    `-func ${name}(t *testing.T) {`,
    "-\tstore := openStore(t)",
    "-\tif store == nil {",
    '-\t\tt.Fatal("no store")',
    "-}",
  ];
  const shown = [
    'expect(shown("2026-02-03")).toBe("3 Feb");',
    'expect(shown("2026-02-03", "de")).toBe("3. Feb");',
  ] as const;

  it.each<[says: string, marks: string, ...File[]]>([
    ["code without a test", "no_test_changed", code("src/cart.ts")],
    ["code with its test", "", code("src/cart.ts"), code("tests/cart.ts")],
    ["a test within Rust", "", file("src/cart.rs", "+#[test]", "+fn adds() {}")],
    ["settings and style", "", code("vite.config.ts"), code("src/app.css"), code("Makefile"), code("config/shop.json")],
    ["CI alone", "ci", code(".github/workflows/ci.yml")],
    [
      "CI with a script and its test",
      "ci",
      code(".github/workflows/ci.yml"),
      code("ci/run.py"),
      code("tests/test_run.py"),
    ],
    ["documents of CI", "", code("docs/.github/workflows.md")],
    ["a migration", "migration", code("db/migrations/1.up")],
    ["a migration in code has no test of its own", "migration", code("db/migrate/2026_carts.rb")],
    ["a table in SQL", "migration", file("db/schema.sql", "+create table carts (id uuid);")],
    ["a query in SQL", "", file("src/report.sql", "+select * from carts;")],
    ["a document on migrations", "", code("docs/migration/from-1.md"), code("docs/migrations/run.py")],
    ["a page on migrations", "no_test_changed", code("app/migrations/list.tsx")],
    ["data of a test in SQL", "", file("tests/data.sql", "+create table carts (id uuid);")],
    ["a package", "dependencies", file("web/package.json", '-    "zod": "4.1.0",', '+    "zod": "^4.2.0",')],
    ["a package in one line", "dependencies", file("package.json", '+  "peerDependencies": { "react": ">=18" },')],
    [
      "a script",
      "",
      file("package.json", '+    "test": "vitest run",', '-  "version": "1.2.0",', '+  "version": "1.3.0",'),
    ],
    ["an engine", "", file("package.json", '-    "node": ">=20"', '+    "node": ">=22"')],
    ["a lock file", "dependencies", code("pnpm-lock.yaml")],
    [
      "packages without their lines",
      "dependencies",
      { path: "package.json", status: "modified", additions: 1, deletions: 0 },
    ],
    ["a package of Python", "dependencies", file("pyproject.toml", '+  "httpx>=0.28",')],
    [
      "a setting of Python",
      "",
      file("pyproject.toml", "-line-length = 88", "+line-length = 100", '+select = ["E501"]', '+version = "1.2.0"'),
    ],
    ["a package of Go", "dependencies", file("go.mod", "+\tgithub.com/jackc/pgx/v5 v5.7.2")],
    ["the version of Go", "", file("go.mod", "-go 1.24", "+go 1.25")],
    ...`src/oauth/client.go lib/SignIn.swift src/authMiddleware.php src/reset-password.rb src/tokens/issue.go
      .env.production`
      .split(/\s+/)
      .map((path): [string, string, ...File[]] => [`sign-in in ${path}`, "auth", code(path), code("tests/a.test.ts")]),
    ...`src/author.ts src/tokenizer.ts SECURITY.md src/design/tokens.ts src/obsession.ts locales/de/login.json
      tests/auth.test.ts src/login.css .env.example`
      .split(/\s+/)
      .map((path): [string, string, ...File[]] => [`no sign-in in ${path}`, "", code(path), code("tests/a.test.ts")]),
    ...["npm test || true", "continue-on-error: true", "allow_failure: true", "npx vitest --passWithNoTests"].map(
      (line): [string, string, File] => [line, "weakened_tests", file("scripts/check.sh", `+${line}`)],
    ),
    ["a failing clean-up", "", file("scripts/check.sh", "+rm -r build || true", "+echo tests done; exit 0 # || true")],
    ["a command that moved", "", file("scripts/check.sh", "-npm test || true", "+  npm test || true")],
    ["another command", "weakened_tests", file("scripts/check.sh", "-npm run lint || true", "+npm test || true")],
    ...["rejectUnauthorized: false", "verify=False", "InsecureSkipVerify: true", "curl -sk $URL"].map(
      (line): [string, string, ...File[]] => [line, "auth", file("src/a.py", `+  ${line}`), code("tests/a.test.ts")],
    ),
    ["a test that takes any certificate", "", file("tests/a.test.ts", "+rejectUnauthorized: false")],
    ["401 lines", "large", { ...code("tests/a.ts"), additions: 401 }],
    ["400 lines", "", { ...code("tests/a.ts"), additions: 399 }],
    ["a long generated file", "dependencies", { ...code("yarn.lock"), additions: 4000, folded: true }],

    ["a case that is gone", "deleted_tests", inTest('-it("adds", () => {', "-  expect(sum(1, 2)).toBe(3);", "-});")],
    ["a case of one line that is gone", "deleted_tests", inTest('-it("x", f);', '+it("y", f);')],
    [
      "another case in its place",
      "deleted_tests",
      file(
        "a_test.go",
        ...go("TestGives"),
        "+func TestWaits(t *testing.T) {",
        "+\tif wait(2) != 2*wait(1) {",
        '+\t\tt.Fatalf("waits %s", wait(2))',
        "+}",
      ),
    ],
    [
      "one of two cases that are alike",
      "deleted_tests",
      file("a_test.go", ...go("TestGives"), ...go("TestTakes").map((line) => line.slice(1))),
    ],
    [
      "a case with another name",
      "",
      inTest('-it("adds", () => {', '+it("adds up", () => {', "expect(sum(1, 2)).toBe(3);", "});"),
    ],
    [
      "a case with another name and more to say",
      "",
      inTest(
        '-it("shows a date", () => {',
        `-  ${shown[0]}`,
        '+it("shows a date in each language", () => {',
        `+  ${shown[0].replace('")', '", "en")')}`,
        `+  ${shown[1]}`,
        "});",
      ),
    ],
    [
      "a case with another name and another sum",
      "",
      inTest(
        '-it("adds up", () => {',
        "-  expect(total([{ price: 1200, count: 2 }])).toBe(2400);",
        '+it("adds up with shipping", () => {',
        "+  expect(total([{ price: 1200, count: 2 }])).toBe(2890);",
        "});",
      ),
    ],
    ["a case that moved", "", inTest("-  test('x', f);"), file("test/b.ts", "+test('x', f);")],
    ["a case that moved to what is no test", "deleted_tests", inTest("-it(`x`, f)"), file("a.ts", "+it(`x`, f)")],
    [
      "cases of a table under another name",
      "",
      inTest('-])("adds %s", (a, b) => {', '+])("adds %s and more", (a, b) => {', "expect(sum(a, 1)).toBe(b);"),
    ],
    [
      "a file that moved",
      "",
      { path: "b.test.ts", old_path: "a.test.ts", status: "renamed", additions: 0, deletions: 0 },
    ],
    [
      "a file that is gone without its lines",
      "deleted_tests",
      { path: "a.test.ts", status: "deleted", additions: 0, deletions: 9 },
    ],
    ["data of tests that is gone", "", { ...file("tests/data/a.json", "-{}"), status: "deleted" }],
    ["a helper of tests that is gone", "", { ...file("tests/setup/a.ts", "-export const a = 1;"), status: "deleted" }],
    [
      "a name on the line below",
      "",
      { ...inTest("-it(", '-  "x",'), status: "deleted" },
      file("tests/b.ts", "+it(", '+  "x",'),
    ],
    ["a case of Python", "deleted_tests", file("tests/test_a.py", "-async def test_x():", "+def test_y():")],
    [
      "a case of Rust",
      "deleted_tests",
      file("tests/a.rs", "-#[tokio::test]", "-async fn x() {", "+#[test]", "+fn y() {"),
    ],
    ["a case of Java", "deleted_tests", file("test/A.java", "-@Test", "-public void x() {", "+@Test", "+void y() {")],
    ["a case of Java that stays", "", file("test/A.java", "-@Test", "-void x() {", "+@Test", "+public void x() {")],

    [
      "a looser matcher",
      "weakened_tests",
      inTest(
        'it("finds", () => {',
        '-  expect(found).toEqual({ id: "1" });',
        "+  expect(found).toBeTruthy();",
        "+});",
        '+it("counts", () => {',
        "+  expect(count()).toBe(3);",
      ),
    ],
    [
      "a part for the whole",
      "weakened_tests",
      inTest("-  expect(list()).toEqual([1, 2]);", "+  expect(list()).toContain(1);"),
    ],
    ["another value", "", inTest("-  expect(sum()).toBe(2400);", "+  expect(sum()).toBe(2890);")],
    ["a stricter matcher", "", inTest("-  expect(found).toBeTruthy();", '+  expect(found).toEqual({ id: "1" });')],
    [
      "fewer assertions",
      "weakened_tests",
      inTest('it("finds", () => {', "  expect(found.id).toBe(1);", '-  expect(found.name).toBe("Ada");'),
    ],
    [
      "one assertion for many",
      "",
      inTest(
        "-  expect(found.id).toBe(1);",
        '-  expect(found.name).toBe("Ada");',
        '+  expect(found).toEqual({ id: 1, name: "Ada" });',
      ),
    ],
    [
      "assertions that moved to a case of their own",
      "",
      inTest(
        'it("finds", () => {',
        '-  expect(found.name).toBe("Ada");',
        "});",
        '+it("has its name", () => {',
        '+  expect(found.name).toBe("Ada");',
      ),
    ],
    [
      "an assertion in more lines",
      "",
      inTest("-  expect(sum(1, 2)).toBe(3);", "+  expect(", "+    sum(1, 2),", "+  ).toBe(3);"),
    ],
    ["a case that is skipped", "weakened_tests", inTest('-it("adds", () => {', '+it.skip("adds", () => {')],
    ["the only case that runs", "weakened_tests", inTest('-it("adds", () => {', '+it.only("adds", () => {')],
    ["a case that runs again", "", inTest('-it.skip("adds", () => {', '+it("adds", () => {')],
    ["a case that is only planned", "", inTest('+it.todo("adds");')],
    ["a skipped case of Python", "weakened_tests", file("tests/test_a.py", "+@pytest.mark.skip", "def test_x():")],
    ["a skipped case of Go", "weakened_tests", file("a_test.go", "func TestX(t *testing.T) {", '+\tt.Skip("flaky")')],
    [
      "less of Python",
      "weakened_tests",
      file("tests/test_a.py", "def test_x():", "-    assert total() == 3", "+    assert total()"),
    ],
    [
      "less of Go",
      "weakened_tests",
      file("a_test.go", "func TestX(t *testing.T) {", "-\tif n != 3 {", '-\t\tt.Fatalf("got %d", n)', "-\t}"),
    ],
    [
      "a case that goes on under another name and says less",
      "weakened_tests",
      inTest(
        '-it("adds", () => {',
        '+it("adds up", () => {',
        "const made = sum(1, 2);",
        "const more = sum(made, 2);",
        "-  expect(more).toBe(5);",
        "+  expect(more).toBeDefined();",
      ),
    ],
    ["a word of tests in code", "", file("src/a.css", "-expect(a).toBe(1)", "+x")],
  ])("The marks of a change tell what is so, and nothing else: %s", async (_, marks, ...files) => {
    const rows = await t.query<{ mark: string }>`
      select mark from private.review_marks(null::public.agent_jobs, ${JSON.stringify(files)}::jsonb, '{}') order by mark`;
    expect(rows.map(({ mark }) => mark).join()).toBe(marks);
  });

  it("A mark leads to the hunk that it is about", async () => {
    const files = [
      {
        path: "tests/a.ts",
        status: "modified",
        additions: 1,
        deletions: 1,
        patch: "@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-expect(a).toBe(1);\n+expect(a).toBeTruthy();\n",
      },
      { path: "src/login.ts", status: "modified", additions: 1, deletions: 1, patch: "@@ -1 +1 @@\n-a\n+b\n" },
    ];
    const rows = await t.query`
      select mark, entries from private.review_marks(null::public.agent_jobs, ${JSON.stringify(files)}::jsonb, '{}') order by mark`;
    expect(rows).toEqual([
      { mark: "auth", entries: [{ path: "src/login.ts", hunk: null }] },
      { mark: "weakened_tests", entries: [{ path: "tests/a.ts", hunk: 1 }] },
    ]);
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
    for (const line of ["key='aaaaaaaaaaaaaaa1'", "token=", "token=".repeat(300)]) {
      const patch = `+${line}\n`.repeat(250_000 / (line.length + 2));
      const files = Array.from({ length: 8 }, (_, n) => ({ path: `fixture-${n}.txt`, patch }));
      expect(await sent(files)).toMatchObject({ status: 204 });
    }
    const passes = `@@ -1 +1 @@\n${"+test || true\n".repeat(17_000)}`;
    const switched = ["1.sh", "2.sh", "3.sh"].map((path) => ({ path, patch: passes }));
    expect((await sent(switched)).marks).toContain("weakened_tests");
    const hunk = (n: number) => `@@ -${n} +${n} @@\n-it("x${n}", f);\n+it("y${n}", f);\n`;
    const patch = Array.from({ length: 2_000 }, (_, n) => hunk(n)).join("");
    expect((await sent([{ path: "a.test.ts", patch }])).marks).toContain("deleted_tests");
    const files = Array.from({ length: 500 }, (_, n) => ({ path: `${"a/".repeat(297)}${n}` }));
    const migration = Array.from({ length: 50 }, (_, n) => `${"**/a/".repeat(39)}x${n}`);
    expect((await sent(files, { migration, ci: migration })).marks).toContain("migration");
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
