import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { type JobDiff, jobDiffSchema } from "~/wire/agent-jobs/job-diff";
import { bearer } from "../setup/world";
import { connectBoth, createProduct, idOf, ok, openStage, startRun } from "./stage";

const stage = await openStage();
const { app, token } = stage;
const home = mkdtempSync(join(tmpdir(), "backloom-send-diff-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const person = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
const git = (...words: string[]) =>
  execFileSync("git", ["-C", home, ...person, ...words], {
    encoding: "utf8",
    env: { ...process.env, HOME: home, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" },
  });
const write = (name: string, content: string | Buffer) => writeFileSync(join(home, name), content);

/** Two commits that differ in every way that git knows; git is as it comes. */
function changeEverything(): { base_sha: string; head_sha: string } {
  git("init", "-q");
  const long = Array.from({ length: 30 }, (_, line) => `line ${line}\n`).join("");
  for (const name of ["changed.txt", "gone.txt", "kind.txt"]) write(name, long);
  write("with space.txt", `${long}to be moved\n`);
  write("run.sh", "echo\n");
  write("picture.png", Buffer.from([0, 1, 2, 3]));
  git("add", "-A");
  git("commit", "-qm", "base");
  const base_sha = git("rev-parse", "HEAD").trim();
  write("changed.txt", long.replace("line 3\n", "line three\nand more\n"));
  rmSync(join(home, "gone.txt"));
  renameSync(join(home, "with space.txt"), join(home, "größe und „mehr“.txt"));
  write('a "quoted"\tname.txt', "new\n");
  write("empty.txt", "");
  write("package-lock.json", "{}\n");
  write("picture.png", Buffer.from([0, 9, 9, 9, 9]));
  chmodSync(join(home, "run.sh"), 0o755);
  rmSync(join(home, "kind.txt"));
  symlinkSync("changed.txt", join(home, "kind.txt"));
  git("add", "-A");
  const submodule = `160000,${base_sha},part`;
  git("update-index", "--add", "--cacheinfo", submodule);
  git("commit", "-qm", "head");
  return { base_sha, head_sha: git("rev-parse", "HEAD").trim() };
}

async function hold(code: string) {
  const { worker } = await connectBoth(stage);
  await createProduct(stage, code);
  const { agent } = await connectBoth(stage);
  await startRun(agent, code);
  const { job } = ok(await worker.call("wait_for_job", { worker: "one", product_id: code }));
  const job_id = idOf(job);
  const report = (values: Record<string, unknown>) =>
    worker.call("update_job_status", { job_id, attempt: 1, status: "running", ...values });
  const read = (accept = "application/json") =>
    app.request(`/api/jobs/${job_id}/diff`, { headers: { ...bearer(token), accept } });
  const diff = async (): Promise<JobDiff> => jobDiffSchema.parse(await (await read()).json());
  return { job_id, report, read, diff, worker };
}

it("An agent sends what it changed as git prints it, and people get back what git apply takes", async () => {
  const { report, read, diff } = await hold("SENDS");
  const range = changeEverything();
  ok(await report({ ...range, diff: git("diff", "--binary", range.base_sha, range.head_sha) }));
  const { files, attempt, ...sums } = await diff();
  expect({ attempt, ...sums }).toMatchObject({ attempt: 1, ...range });
  const named = Object.fromEntries(files.map(({ path, status }) => [path, status]));
  expect(named).toEqual({
    "changed.txt": "modified",
    "gone.txt": "deleted",
    "größe und „mehr“.txt": "renamed",
    'a "quoted"\tname.txt': "added",
    "empty.txt": "added",
    "package-lock.json": "added",
    "picture.png": "modified",
    "run.sh": "modified",
    "kind.txt": "type_changed",
    part: "submodule",
  });
  const find = (path: string) => files.find((file) => file.path === path);
  expect(find("changed.txt")).toMatchObject({ additions: 2, deletions: 1, binary: false });
  expect(find("größe und „mehr“.txt")).toMatchObject({ old_path: "with space.txt" });
  expect(find("package-lock.json")).toMatchObject({ folded: true });
  expect(find("picture.png")).toMatchObject({ binary: true });
  expect(find("part")).not.toHaveProperty("patch");

  const patch = await (await read("text/x-diff")).text();
  expect(patch.match(/^# .*/gm)).toEqual([`# ${range.base_sha}..${range.head_sha}`, "# part: a submodule, not shown"]);
  git("checkout", "-q", range.base_sha);
  write("sent.diff", patch);
  git("apply", "--index", "sent.diff");
  git("update-index", "--add", "--cacheinfo", `160000,${range.base_sha},part`);
  expect(git("write-tree").trim()).toBe(git("rev-parse", `${range.head_sha}^{tree}`).trim());
});

it("An agent can send its diff with its last report; what is not a diff is refused before anything ends", async () => {
  const { report, read, diff, worker, job_id } = await hold("LAST");
  const range = { base_sha: "a".repeat(40), head_sha: "b".repeat(40) };
  const patch =
    "diff --git a/one.txt b/one.txt\nnew file mode 100644\n--- /dev/null\n+++ b/one.txt\n@@ -0,0 +1 @@\n+one\n";
  const refused: [Record<string, unknown>, string][] = [
    [{ diff: patch }, "base_sha and head_sha"],
    [{ ...range, diff: "I changed one.txt" }, "git diff prints"],
    [{ ...range, diff: "diff --git one.txt one.txt\n" }, "a/… and b/…"],
    [{ ...range, head_sha: "no commit", diff: patch }, "commit's hash"],
    [{ ...range, diff: `${patch}${"+".repeat(262_144)}` }, "262144"],
  ];
  for (const [values, words] of refused) {
    const answer = await report({ status: "done", ...values });
    expect(answer, words).toMatchObject({ isError: true, result: { code: 422 } });
    expect(JSON.stringify(answer.result)).toContain(words);
  }
  expect((await read()).status).toBe(404);

  const verdict = { job_id, attempt: 1, verify_result: "aligned", changed_files: ["one.txt"] };
  ok(await worker.call("verify_task_against_plan", verdict));
  const done = { ...range, status: "done", diff: patch };
  expect(ok(await report(done))).toMatchObject({ status: "done", additions: 1, deletions: 0 });
  ok(await report(done));
  expect(await diff()).toMatchObject({ files: [{ path: "one.txt", status: "added", patch }] });
});

it("A diff for an attempt that is lost is refused and adds nothing", async () => {
  const { job_id, worker, read } = await hold("STRAY");
  const late = { job_id, attempt: 2, status: "running", base_sha: "a".repeat(40), head_sha: "b".repeat(40), diff: "" };
  const answer = await worker.call("update_job_status", late);
  expect(answer).toMatchObject({ isError: true, result: { code: 409 } });
  expect((await read()).status).toBe(404);
});
