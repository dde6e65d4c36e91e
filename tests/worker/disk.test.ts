import { expect, it } from "vitest";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { at } from "../setup/world";
import { openStage, startRun } from "./fixture";

const { t, ada, git, serve } = await openStage();

it("ends a job that fills the disk, says so, and keeps its work without what fills it", async () => {
  const run = await startRun(t, ada, { code: "DISK" });
  const fill = "head -c 4000000 /dev/urandom > large.bin; echo work > work.txt; sleep 600";
  const worker = serve("DISK", ["--exec", fill, "--disk", "0.002", "--once"]);
  await worker.ended;
  const { id } = at((await run.read()).jobs, 0);
  const job = await getAgentJob(t.actorOf(ada), { job_id: id });
  expect(job.failure_reason, worker.output()).toMatch(
    /^The worktree grew by \d MB, more than the 2 MB that --disk/,
  );
  expect(git("ls-tree", "--name-only", `backloom/kept/${id}-1`).split("\n")).toContain("work.txt");
  expect(git("ls-tree", "--name-only", `backloom/kept/${id}-1`)).not.toContain("large.bin");
});
