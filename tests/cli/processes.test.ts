import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import { connectDatabase } from "~/db/database.server";
import { callAs } from "~/db/rpc.server";
import { startEmbeddedSupabase } from "../../supabase/embedded/start";

const root = fileURLToPath(new URL("../..", import.meta.url));
const program = join(root, "node_modules/.cache/backloom-tests", `admin-${process.pid}.mjs`);
await build({
  absWorkingDir: root,
  entryPoints: ["app/cli/admin.ts"],
  outfile: program,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  packages: "external",
  alias: { "~": "./app" },
  logLevel: "silent",
});
const dataDir = mkdtempSync(join(tmpdir(), "backloom-admin-"));
afterAll(() => {
  rmSync(dataDir, { recursive: true, force: true });
  rmSync(program, { force: true });
});

/** Answers one line on standard input. */
async function adminTold(line: string, ...words: string[]): Promise<string> {
  const running = promisify(execFile)(process.execPath, [program, ...words, "--json"], {
    cwd: root,
    env: { ...process.env, DATA_DIR: dataDir },
  });
  running.child.stdin?.end(`${line}\n`);
  return (await running).stdout;
}

const answerSchema = z.record(z.string(), z.unknown());

/** One command as its own process, as `npm run --silent admin` starts it. */
async function admin(...words: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...words, "--json"], {
    cwd: root,
    env: { ...process.env, DATA_DIR: dataDir },
  });
  return answerSchema.parse(JSON.parse(stdout));
}

const ada = ["--username", "ada", "--email", "ada@example.com", "--password", "correct horse battery"];

it("An admin command without a server starts the embedded stack, migrates it, and stops it again", {
  tags: "thorough",
}, async () => {
  expect(await admin("user", "create", ...ada)).toEqual({ id: expect.any(String) });
  expect(existsSync(join(dataDir, "secrets.json"))).toBe(true);
  const reset = ["user", "reset-password", "--username", "ada", "--password", "-"];
  const told = await adminTold("another horse battery", ...reset);
  expect(JSON.parse(told)).toEqual({ id: expect.any(String) });
  const { checks } = await admin("doctor");
  const names = "environment reachable migrated schedules counters advisors registration token realtime".split(" ");
  expect(checks).toEqual(names.map((name) => ({ name, ok: true, message: expect.any(String) })));
});

it("An admin command works next to a running server and leaves it running", { tags: "thorough" }, async () => {
  const running = await startEmbeddedSupabase({ dataDir });
  const database = connectDatabase(running);
  try {
    const { token } = await admin("token", "create", "--user", "ada");
    const named = ["--owner", "ada", "--name", "Beside", "--code", "BESIDE"];
    const { id } = await admin("product", "create", ...named);
    const token_hash = createHash("sha256").update(String(token)).digest("hex");
    const products = z.array(z.looseObject({ id: z.string() }));
    const actor = { database, credential: { token_hash } };
    expect(await callAs(actor, "list_products", {}, products)).toMatchObject([{ id }]);
    const [first, second] = await Promise.all([
      admin("export", "--product", "BESIDE"),
      admin("member", "add", "--product", "BESIDE", "--user", "ada"),
    ]);
    expect(first).toMatchObject({ format: "backloom-export" });
    expect(second).toMatchObject({ product_id: id });
    await database.call("ping", {});
  } finally {
    await database.close();
    await running.stop();
  }
});

it("An admin command says what is wrong with the environment without starting anything", async () => {
  const wrong = promisify(execFile)(process.execPath, [program, "doctor"], {
    cwd: root,
    env: { ...process.env, DATA_DIR: join(dataDir, "none"), SUPABASE_URL: "nonsense" },
  });
  await expect(wrong).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining("SUPABASE_URL must be an http or https address"),
  });
  expect(existsSync(join(dataDir, "none"))).toBe(false);
});

it("A refused admin command prints to standard error, where no script takes it for output", async () => {
  const refused = promisify(execFile)(process.execPath, [program, "fly"], { cwd: root });
  const stderr = expect.stringContaining('There is no command "fly"');
  await expect(refused).rejects.toMatchObject({ code: 2, stdout: "", stderr });
});
