import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { shownDiffSchema } from "~/wire/agent-jobs/job-diff";
import { openApp } from "../setup/app";
import { addedFile } from "../setup/diff-files";
import { bearer, claim } from "../setup/world";

const { t, app } = await openApp();
const home = mkdtempSync(join(tmpdir(), "backloom-diff-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const patch = (path: string, line = "hello") => addedFile(path, line).patch;
const added = (path: string, rest: Record<string, unknown> = {}) => ({ ...addedFile(path, "hello"), ...rest });
const diff = (...files: unknown[]) => ({ attempt: 1, base_sha: "a".repeat(40), head_sha: "b".repeat(40), files });

async function scene() {
  const { world, job, attempt, report } = await t.holdJob();
  const token = await t.createToken(world.owner);
  const path = `/api/jobs/${job.id}/diff`;
  const put = (body: unknown, headers: Record<string, string> = bearer(token)) => app.send("PUT", path, body, headers);
  const get = (query = "", headers: Record<string, string> = bearer(token)) =>
    app.request(`${path}${query}`, { headers });
  const read = async (query = "") => shownDiffSchema.parse(await (await get(query)).json());
  return { world, job, attempt, report, token, path, put, get, read };
}

it("A diff of an attempt is stored with 204, and replaces the one sent before", async () => {
  const { put, read, world, job } = await scene();
  const first = await put(diff(added("one.txt"), added("two.txt", { additions: 3 })));
  expect([first.status, await first.text()]).toEqual([204, ""]);
  expect(await read()).toMatchObject({ attempt: 1, additions: 4, deletions: 0, attempts: [1] });
  expect((await put(diff(added("one.txt", { folded: true })))).status).toBe(204);
  const { files, additions } = await read();
  expect(additions).toBe(1);
  expect(files).toEqual([added("one.txt", { folded: true })]);
  expect(await getAgentJob(world.actor, { job_id: job.id })).toMatchObject({ additions: 1, deletions: 0 });
});

it("A diff is accepted after its attempt ended, and refused with 409 once the attempt is lost", async () => {
  const { put, read, report, world, job } = await scene();
  await report({ status: "failed", failure_class: "rate_limited" });
  await t.query`update public.agent_jobs set not_before = null`;
  expect((await put(diff(added("one.txt")))).status).toBe(204);
  expect((await claim(world.actor, "worker-2")).id).toBe(job.id);
  const lost = await put(diff(added("late.txt")));
  expect(lost.status).toBe(409);
  expect((await put({ ...diff(added("two.txt")), attempt: 2 })).status).toBe(204);
  expect(await read()).toMatchObject({ attempt: 2, attempts: [1, 2] });
  expect((await read("?attempt=1")).files[0]?.path).toBe("one.txt");
});

it("Only the holder of a job may send its diff", async () => {
  const { put, world } = await scene();
  const body = diff(added("one.txt"));
  expect((await put(body)).status).toBe(204);
  const member = await t.createMember(world.product.id);
  expect((await put(body, await t.bearerOf(member))).status).toBe(409);
});

it("A diff may have 2 MiB of patches, and a larger one is refused", async () => {
  const { put, read } = await scene();
  const line = "x".repeat(262_144 - patch("file-0", "").length);
  const files = (count: number) =>
    Array.from({ length: count }, (_, number) => added(`file-${number}`, { patch: patch(`file-${number}`, line) }));
  expect((await put(diff(...files(8)))).status).toBe(204);
  const { files: shown, rest } = await read();
  expect([shown.length, rest.length]).toEqual([3, 5]);
  expect((await read(`?path=${rest[0]?.path}`)).files[0]?.patch).toContain(line);
  expect((await put(diff(...files(9)))).status).toBe(422);
  const long = added("file-0", { patch: patch("file-0", `${line}y`) });
  expect((await put(diff(long))).status).toBe(422);
  const picture = added("file-0.png", { binary: true, patch: patch("file-0.png", line + line) });
  expect((await put(diff(picture))).status).toBe(204);
  const huge = added("file-0", { patch: "x".repeat(7_000_000) });
  expect((await put(diff(huge))).status).toBe(413);
});

it.each([
  ["an unknown status", diff(added("x", { status: "eaten" }))],
  ["no path", diff(added(""))],
  ["a negative count", diff(added("x", { additions: -1 }))],
  ["a head that is no hash", { ...diff(added("x")), head_sha: "HEAD" }],
  ["a NUL", diff(added("x", { patch: "\0" }))],
  ["no attempt", { ...diff(added("x")), attempt: undefined }],
])("A diff with %s is refused with 422", async (_what, body) => {
  const { put } = await scene();
  expect((await put(body)).status).toBe(422);
});

it("A change of 2,500 files is read, with the patches that fit", async () => {
  const { put, read } = await scene();
  const files = Array.from({ length: 2500 }, (_, at) => addedFile(`src/file-${at}.txt`, "x".repeat(440)));
  expect((await put(diff(...files))).status).toBe(204);
  const { files: shown, rest } = await read();
  expect(shown.length).toBeGreaterThan(1000);
  expect(shown.length + rest.length).toBe(2500);
  expect(shown.every(({ patch }) => patch?.includes("x".repeat(440)))).toBe(true);
});

it("A job without a diff, or without one of the attempt asked for, answers 404", async () => {
  const { get, put } = await scene();
  expect((await get()).status).toBe(404);
  await put(diff(added("one.txt")));
  expect((await get("?attempt=2")).status).toBe(404);
  expect((await get("?attempt=x")).status).toBe(422);
});

it("A diff read as a patch applies with git, without files that are incomplete or touch others", async () => {
  const { put, get, token } = await scene();
  const smuggled = `${patch("six.txt")}--- a/other\n+++ b/other\n@@ -0,0 +1 @@\n+x\n`;
  await put(
    diff(
      added("one.txt"),
      added("größe \u202e.txt", { patch: patch("größe \u202e.txt") }),
      added("three.txt", { truncated: true }),
      added("four.bin", { patch: undefined, binary: true }),
      added("five.txt", { patch: patch("/etc/passwd") }),
      added("six.txt", { patch: smuggled }),
      added("lib", { status: "submodule", patch: undefined }),
    ),
  );
  const answer = await get("", { ...bearer(token), accept: "text/x-diff" });
  expect(answer.headers.get("content-type")).toBe("text/x-diff; charset=utf-8");
  const text = await answer.text();
  for (const name of ["three.txt", "four.bin", "five.txt", "six.txt", "lib"]) {
    expect(text).toMatch(new RegExp(`^# ${name}: `, "m"));
  }
  execFileSync("git", ["init", "--quiet", home]);
  writeFileSync(join(home, "all.patch"), text);
  execFileSync("git", ["apply", "all.patch"], { cwd: home });
  expect(readFileSync(join(home, "one.txt"), "utf8")).toBe("hello\n");
  expect(readFileSync(join(home, "größe \u202e.txt"), "utf8")).toBe("hello\n");
  expect(() => readFileSync(join(home, "six.txt"))).toThrow();
});

/** Two attempts with a diff each. */
async function secondAttempt() {
  const made = await scene();
  await made.put(diff(added("one.txt")));
  await made.report({ status: "failed", failure_class: "rate_limited" });
  await t.query`update public.agent_jobs set not_before = null`;
  await claim(made.world.actor, "worker-2");
  await made.put({ ...diff(added("two.txt")), attempt: 2 });
  return made;
}

it("The newest diff of a job is kept, and earlier ones for two weeks", async () => {
  const { read } = await secondAttempt();
  await t.query`update public.job_diffs set created_at = now() - interval '15 days'`;
  await t.query`select private.remove_stale_rows()`;
  expect((await read()).attempts).toEqual([2]);
});

it("When a product is out of room for diffs, earlier attempts go first, then the lines of jobs", async () => {
  const { world, read } = await secondAttempt();
  const rows = await t.query`select max(bytes) as bytes from public.job_diffs where product_id = ${world.product.id}`;
  const room = "select private.make_room_for_diffs($1, $2)";
  await t.sql.query(room, [world.product.id, rows[0].bytes]);
  expect(await read()).toMatchObject({ attempts: [2], files: [added("two.txt")] });
  await t.sql.query(room, [world.product.id, 10]);
  const [file] = (await read()).files;
  expect(file).toMatchObject({ path: "two.txt", truncated: true });
  expect(file).not.toHaveProperty("patch");
});
