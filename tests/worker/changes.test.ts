import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { getAgentJob, getJobDiff } from "~/nouns/agent-jobs/operations.server";
import { pictureIn } from "~/nouns/agent-jobs/patch-pictures";
import { pictures } from "../setup/morning/code";
import { at, bearer } from "../setup/world";
import { gitIn, openStage, startRun } from "./fixture";

const { t, app, ada, actor, token, home, repo, git, serveOnce } = await openStage();

writeFileSync(join(repo, "old name.txt"), "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n");
writeFileSync(join(repo, "gone.txt"), "gone\n");
writeFileSync(join(repo, "link"), "a file\n");
writeFileSync(join(repo, "picture.bin"), Buffer.from([0, 1, 2, 3]));
writeFileSync(join(repo, "[chart].png"), at(pictures, 0));
writeFileSync(join(repo, ".gitattributes"), "made/** linguist-generated\n");
git("add", "--all");
// Only submodules of the main branch stay: a repository that a job makes is committed as files.
git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},lib`);
git("commit", "--quiet", "-m", "Files to change");
git("config", "diff.noprefix", "true");
git("config", "diff.external", "false");

async function work(product: string, exec: string, ...words: string[]) {
  const run = await startRun(t, ada, { code: product });
  const secret = { SECRET_WORD: "open-sesame" };
  const output = await serveOnce(product, ["--exec", exec, ...words], secret);
  const job = await getAgentJob(actor, { job_id: at((await run.read()).jobs, 0).id });
  const diff = await getJobDiff(actor, { job_id: job.id });
  return { job, diff, output };
}

it("The diff of an attempt arrives as git sees it, and git apply makes the same tree of it", async () => {
  const script = [
    'git mv "old name.txt" "neuer Name – größer.txt"',
    'printf "nine\\n" >> "neuer Name – größer.txt"',
    "git rm --quiet gone.txt",
    "printf '\\0\\1\\2\\4' > picture.bin",
    "cp '[chart].png' added.png && head -c 500000 /dev/urandom > large.png",
    "printf more >> '[chart].png'",
    "rm link && ln -s gone.txt link",
    "printf 'a\\nb' > 'tab\there.txt'",
    "echo '{}' > package-lock.json",
    "mkdir made && echo x > made/it.txt",
    "printf '\\303\\050latin\\n' > broken.txt",
    "printf '#!/bin/sh\\n' > run.sh && chmod +x run.sh",
    "git init --quiet lib && git -C lib -c user.name=a -c user.email=a@b commit --quiet --allow-empty -m Lib",
    "git add --all 2>/dev/null",
  ].join(" && ");
  const { job, diff } = await work("TREE", script);
  expect(job.status).toBe("done");
  const files = new Map(diff?.files.map((file) => [file.path, file]));
  const renamed = { status: "renamed", old_path: "old name.txt", additions: 1, deletions: 0 };
  expect(files.get("neuer Name – größer.txt")).toMatchObject(renamed);
  expect(files.get("picture.bin")).toMatchObject({ binary: true, status: "modified" });
  const drawn = (path: string, side: "old" | "new") =>
    Buffer.from(pictureIn(files.get(path)?.patch ?? "", side)?.content ?? "", "base64");
  // Git alone would write of the changed one what was appended.
  expect(drawn("[chart].png", "new")).toEqual(Buffer.concat([at(pictures, 0), Buffer.from("more")]));
  expect([drawn("[chart].png", "old"), drawn("added.png", "new")]).toEqual([at(pictures, 0), at(pictures, 0)]);
  expect(files.get("link")).toMatchObject({ status: "type_changed" });
  expect(files.get("lib")).toMatchObject({ status: "submodule" });
  expect(files.get("lib")).not.toHaveProperty("patch");
  expect(files.get("package-lock.json")?.folded).toBe(true);
  expect(files.get("made/it.txt")?.folded).toBe(true);
  expect(files.get("run.sh")?.folded).toBeUndefined();
  expect(files.get("broken.txt")).toMatchObject({ truncated: true, additions: 1 });
  expect(job).toMatchObject({ additions: diff?.additions, deletions: diff?.deletions });
  expect(diff?.head_sha).toBe(job.head_sha);

  const answer = await app.request(`/api/jobs/${job.id}/diff`, {
    headers: { ...bearer(token), accept: "text/x-diff" },
  });
  const copy = join(home, "copy");
  git("clone", "--quiet", repo, copy);
  const inCopy = gitIn(copy);
  inCopy("checkout", "--quiet", String(diff?.base_sha));
  execFileSync("git", ["apply", "--index", "-"], { cwd: copy, input: await answer.text() });
  const missing = inCopy("diff", "--name-only", "--cached", String(diff?.head_sha));
  expect(missing.split("\n").sort()).toEqual(["broken.txt", "lib"]);
});

it("The diff of an attempt is cut where it is too large, and says so", { tags: "thorough" }, async () => {
  const { diff } = await work(
    "LARGE",
    "seq 1 200000 > a-long.txt; for i in 1 2 3 4 5 6 7 8 9; do seq 1 30000 > b-$i.txt; done; head -c 1048576 /dev/zero | tr '\\0' x > c-line.txt; echo small > d.txt",
  );
  const files = new Map(diff?.files.map((file) => [file.path, file]));
  const long = files.get("a-long.txt");
  expect(long).toMatchObject({ additions: 200_000, truncated: true });
  expect(Buffer.byteLength(long?.patch ?? "")).toBeLessThanOrEqual(262_144);
  expect(long?.patch?.endsWith("\n")).toBe(true);
  expect(files.get("b-1.txt")?.truncated).toBeUndefined();
  expect(files.get("c-line.txt")).toMatchObject({ additions: 1, truncated: true });
  expect(files.get("d.txt")).toMatchObject({ additions: 1 });
});

it("The diff of a failed attempt arrives too, without its secrets", async () => {
  const key = "-----BEGIN PRIVATE KEY-----\\nMIIabc\\n-----END PRIVATE KEY-----\\n";
  const { job, diff } = await work(
    "FAILED",
    `printf 'word=%s\\n' "$SECRET_WORD" > env.txt; printf -- '${key}' > key.pem; exit 3`,
    "--secret",
    "SECRET_WORD",
  );
  expect(job.status).toBe("failed");
  const text = JSON.stringify(diff);
  expect(text).not.toContain("open-sesame");
  expect(text).not.toContain("MIIabc");
  const files = new Map(diff?.files.map((file) => [file.path, file]));
  expect(files.get("env.txt")?.patch).toContain("+word=•••");
  expect(files.get("key.pem")?.patch?.match(/^\+•••$/gm)).toHaveLength(3);
  expect(files.get("env.txt")?.truncated).toBe(true);
});

it("An attempt that changed nothing has no diff", async () => {
  const { job, diff } = await work("EMPTY", "true");
  expect(job.status).toBe("skipped");
  expect([diff, job.additions]).toEqual([null, null]);
});
