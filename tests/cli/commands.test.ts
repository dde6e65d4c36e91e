import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { authenticate } from "~/nouns/accounts/operations.server";
import { getAgentContext, getProduct } from "~/nouns/products/operations.server";
import { preflightSprintRun } from "~/nouns/sprint-runs/operations.server";
import { describeFirstStart, prepareFirstStart } from "~/server/first-start.server";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { bearer } from "../setup/world";
import { commandLine } from "./command-line";

const t = await createTestDatabase();
const admin = commandLine(t);
const password = "correct horse battery";

function user(username: string): string[] {
  return ["--username", username, "--email", `${username}@example.com`, "--password", password];
}

it("user create makes a developer, an administrator or a demo account", async () => {
  for (const [name, ...flags] of [["ada"], ["root", "--role", "ADMIN"], ["guest", "--demo"]]) {
    const { id } = await admin.json("user", "create", ...user(String(name)), ...flags);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
  }
  const rows = await t.query`select username, role, is_demo from users order by 1`;
  expect(rows).toEqual([
    { username: "ada", role: "DEVELOPER", is_demo: false },
    { username: "guest", role: "DEVELOPER", is_demo: true },
    { username: "root", role: "ADMIN", is_demo: false },
  ]);
});

it("user create refuses wrong options and taken names, in a sentence", async () => {
  expect(await admin.refusal("user", "create", ...user("ada"))).toMatchObject({ code: 422 });
  expect(await admin.refusal("user", "create", ...user("x"))).toMatchObject({ code: 422 });
  const missing = await admin.run("user", "create", "--username", "bob");
  expect(missing).toMatchObject({ exitCode: 2 });
  expect(missing.output).toContain("--email is missing");
  expect(missing.output).toContain("Usage: npm run --silent admin -- user create");
  expect(await admin.run("user", "create", "--nonsense")).toMatchObject({ exitCode: 2 });
  const { output } = await admin.run("user", "create", ...user("bob"), "--role", "boss");
  expect(output).toContain("--role: must be one of ");
  expect((await admin.run("import", "beads")).output).toContain("<path> is missing");
});

it("token create makes tokens that work, also for demo accounts, without a limit per hour", async () => {
  const app = await startTestApp(t);
  for (let round = 0; round < 12; round += 1) {
    const { token } = await admin.json("token", "create", "--user", "guest");
    if (round > 0) continue;
    const answer = await app.request("/api/products", { headers: bearer(String(token)) });
    expect(answer.status).toBe(200);
  }
  const dated = ["--label", "ci", "--expires-days", "3"];
  await admin.json("token", "create", "--user", "ada@example.com", ...dated);
  const rows = await t.query`select expires_at between now() + '2 days'
      and now() + '4 days' as soon from api_tokens where label = 'ci'`;
  expect(rows).toEqual([{ soon: true }]);
  expect(await admin.refusal("token", "create", "--user", "no one")).toMatchObject({ code: 404 });
});

it("user reset-password signs out and shows a generated password once", async () => {
  const { id, password: generated } = await admin.json("user", "reset-password", "--username", "ada");
  const { data } = await t.database
    .publicClient()
    .auth.signInWithPassword({ email: "ada@example.com", password: String(generated) });
  expect(data.user?.id).toBe(id);
  const rows = await t.query`select must_reset_password from users where id = ${id}`;
  expect(rows).toEqual([{ must_reset_password: true }]);
  const chosen = ["--username", "ada", "--password", password];
  expect(await admin.json("user", "reset-password", ...chosen)).toEqual({ id });
  expect(await admin.refusal("user", "reset-password")).toMatchObject({ code: 422 });
});

describe("passwords", () => {
  const chosen = "typed where no one looks";
  const typed = commandLine(t, chosen);
  const signIn = async (email: string) =>
    (await t.database.publicClient().auth.signInWithPassword({ email, password: chosen })).data.user?.id;

  it("A password is read from standard input, so that no list of processes shows it", async () => {
    const eve = ["--username", "eve", "--email", "eve@example.com"];
    const { id } = await typed.json("user", "create", ...eve, "--password", "-");
    expect(await signIn("eve@example.com")).toBe(id);
    const reset = ["user", "reset-password", "--username", "ada", "--password", "-"];
    const answer = await typed.json(...reset);
    expect(Object.keys(answer)).toEqual(["id"]);
    expect(await signIn("ada@example.com")).toBe(answer.id);
  });

  it("A password from standard input has to be a good one too", async () => {
    const fay = ["--username", "fay", "--email", "fay@example.com", "--password", "-"];
    expect(await admin.refusal("user", "create", ...fay)).toMatchObject({
      error: expect.stringContaining("--password: Use at least"),
    });
  });

  it("The database's password is in no list of processes while the Supabase CLI runs", {
    tags: "thorough",
  }, async () => {
    const { password } = new URL(t.urlFor("postgres"));
    const seen = await whileListing(() => admin.run("doctor"));
    expect(seen.some((line) => /supabase.*db advisors/.test(line))).toBe(true);
    expect(seen.filter((line) => line.includes(password))).toEqual([]);
  });
});

/** All command lines of this machine that were there while something ran. */
async function whileListing(run: () => Promise<unknown>): Promise<string[]> {
  const seen = new Set<string>();
  const running = run();
  let isRunning = true;
  void running.finally(() => {
    isRunning = false;
  });
  while (isRunning) {
    const { stdout } = await promisify(execFile)("ps", ["-Ao", "args"], { maxBuffer: 1 << 26 });
    for (const line of stdout.split("\n")) seen.add(line);
  }
  await running;
  return [...seen];
}

it("product create and member add give access", async () => {
  const named = ["--owner", "ada", "--name", "Tools", "--code", "TOOLS"];
  const { id } = await admin.json("product", "create", ...named, "--pr-strategy", "STORY", "--auto-pr");
  const rows = await t.query`select auto_pr, pr_strategy from products where id = ${id}`;
  expect(rows).toEqual([{ auto_pr: true, pr_strategy: "STORY" }]);
  expect(await admin.refusal("product", "create", ...named)).toMatchObject({ code: 422 });
  const member = await admin.json("member", "add", "--product", "TOOLS", "--user", "guest");
  expect(member).toMatchObject({ product_id: id });
  await admin.json("member", "add", "--product", String(id), "--user", "guest");
  const viewer = ["--product", "TOOLS", "--user", "onlooker", "--role"];
  await t.createUser({ username: "onlooker" });
  expect(await admin.refusal("member", "add", ...viewer, "owner")).toMatchObject({ code: 422 });
  const { user_id } = await admin.json("member", "add", ...viewer, "viewer");
  expect((await getProduct(t.actorOf({ id: String(user_id) }), { product_id: String(id) })).role).toBe("VIEWER");
  const context = await getAgentContext(t.actorOf({ id: String(member.user_id) }), { product_id: String(id) });
  expect(context.product.code).toBe("TOOLS");
});

it("member add asks for the owner when two products have one code", async () => {
  await admin.json("product", "create", "--owner", "root", "--name", "Tools too", "--code", "TOOLS");
  const wish = ["member", "add", "--user", "guest", "--product"];
  expect(await admin.refusal(...wish, "TOOLS")).toMatchObject({ code: 409 });
  expect(await admin.json(...wish, "root/TOOLS")).toMatchObject({ user_id: expect.any(String) });
  expect(await admin.refusal(...wish, "NONE")).toMatchObject({ code: 404 });
});

it("The command line lists its commands, explains one, and names one that it does not know", async () => {
  const overview = await admin.run();
  expect(overview.exitCode).toBe(0);
  for (const name of ["user create", "import backlog-md", "export", "doctor"]) {
    expect(overview.output).toContain(name);
  }
  expect((await admin.run("doctor", "--help")).output).toContain("npm run --silent admin -- doctor");
  expect((await admin.run("token", "create", "--help")).output).toContain(
    "token create --user <user> [--label <label>] [--expires-days <expires-days>]",
  );
  expect(await admin.run("fly")).toMatchObject({ exitCode: 2 });
  expect(await admin.refusal("fly")).toMatchObject({ code: 404 });
});

it("doctor says what to do when something is wrong, and exits with 1", async () => {
  const broken = await createTestDatabase({ realtime: true });
  await broken.sql.query("create table public.planted (id int); grant select on public.planted to anon");
  await broken.sql.query("update private.applied_rules set hash = repeat('0', 64)");
  const { output, exitCode } = await commandLine(broken).run("doctor");
  expect(exitCode).toBe(1);
  expect(output).toMatch(/^FAIL +advisors +.*findings/m);
  expect(output).toMatch(/^FAIL +migrated +.*npm run admin -- migrate/m);
  expect(output).toMatch(/^ok +token/m);
  const { rows } = await broken.sql.query("select count(*)::int as n from auth.users");
  expect(rows).toEqual([{ n: 0 }]);
});

it("The first start makes an administrator, a token, a demo account and a sample that can run, once", async () => {
  const fresh = await createTestDatabase();
  const first = await prepareFirstStart(fresh.database);
  if (first === null) throw new Error("someone was there already");
  const lines = describeFirstStart(first, "http://localhost:3000").join("\n");
  expect(lines).toContain(first.administrator.password);
  expect(lines).toContain("http://localhost:3000/start");
  expect(lines).toContain(`curl -H "Authorization: Bearer ${first.token}"`);

  const app = await startTestApp(fresh);
  const answer = await app.request(`/api/products/${first.product.id}/agent-context`, { headers: bearer(first.token) });
  expect(await answer.json()).toMatchObject({
    active_sprint: { status: "ACTIVE" },
    next_story: { tasks: [{ implementation_plan: /\S/ }, {}].map(() => expect.anything()) },
  });
  const rows = await fresh.query`select u.id, u.role, u.is_demo, u.active_product_id,
      s.id as sprint_id from users u, sprints s order by u.username`;
  expect(rows).toMatchObject([
    { role: "ADMIN", is_demo: false, active_product_id: first.product.id },
    { role: "DEVELOPER", is_demo: true },
  ]);
  const ready = await preflightSprintRun(fresh.actorOf(rows[0]), { sprint_id: rows[0].sprint_id });
  expect(ready).toMatchObject({ ready: true, blockers: [], jobs_total: 2 });
  expect((await authenticate(fresh.actorOf(rows[1]))).is_demo).toBe(true);
  expect(await prepareFirstStart(fresh.database)).toBeNull();
});
