import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openAlteredService } from "./altered-service";
import { openStage, startRun } from "./fixture";
import { flags } from "./flags";
import { startWorker } from "./worker-process";

const { t, app, ada, token, home, repo, git } = await openStage();

async function work(code: string, bent: object) {
  await startRun(t, ada, { code });
  const url = await openAlteredService(Number(new URL(app.origin).port), {
    changeAnswer: (tool, answer) =>
      tool === "wait_for_job" && answer.job !== null ? { ...answer, job: { ...Object(answer.job), ...bent } } : answer,
  });
  const exec = `touch ${join(home, `${code}-ran`)}`;
  const worker = startWorker(
    flags({ url, "work-dir": join(home, code), name: "worker", once: true, repo, product: code, exec }),
    { BACKLOOM_TOKEN: token },
  );
  return { status: await worker.ended, output: worker.output() };
}

it.each([
  ["UP", { id: "../../../../victim" }],
  ["NULL", { id: "" }],
  ["NUMBER", { attempt: 0 }],
  ["PART", { attempt: 1.5 }],
  ["EARLIER", { earlier_jobs: ["*"] }],
])("%s: A service that was taken over gets no path of its own choice", async (code, bent) => {
  const victim = join(home, "victim-1");
  mkdirSync(victim, { recursive: true });
  writeFileSync(join(victim, "letter"), "kept");
  const { status, output } = await work(code, bent);
  expect(status).toBe(1);
  expect(output).toContain("The service speaks another version");
  expect(output).not.toContain("    at ");
  expect(readFileSync(join(victim, "letter"), "utf8")).toBe("kept");
  expect(existsSync(join(home, `${code}-ran`))).toBe(false);
});

it.each([
  ["MAIN", "main"],
  ["CLIMBS", "backloom/../main"],
  ["LOCK", "backloom/x.lock"],
  ["SPACE", "backloom/x y"],
  ["REF", "backloom/x:main"],
])("%s: A service that was taken over gets no branch outside of backloom/", async (code, branch) => {
  const before = git("for-each-ref");
  const { output } = await work(code, { branch });
  expect(output).toContain("none of Backloom's");
  expect(git("for-each-ref")).toBe(before);
  expect(existsSync(join(home, `${code}-ran`))).toBe(false);
});

it("A service that was taken over gets no option of git in place of a commit", async () => {
  const head_sha = "--output=/tmp/x";
  const base_refs = [{ task_id: "x", task_code: "T-9", branch: "b", head_sha }];
  const { status, output } = await work("COMMIT", {
    head_sha,
    base_sha: "--all",
    base_refs: base_refs.map((ref) => ({ ...ref, task_id: "00000000-0000-4000-8000-000000000000" })),
  });
  expect(status, output).toBe(0);
  expect(output).not.toContain(head_sha);
});
