import { expect, it } from "vitest";
import { showDiff } from "~/components/diff/show-diff.server";
import type { DiffFile, JobDiff } from "~/contract/job-diff";

const file = (path: string, line: string): DiffFile => ({
  ...{ path, status: "added", additions: 1, deletions: 0, binary: false },
  patch: `diff --git a/${path} b/${path}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${line}\n`,
});
const diff = (attempt: number, ...files: DiffFile[]): JobDiff => ({
  ...{ job_id: "", attempt, base_sha: "a", head_sha: "b", additions: 0, deletions: 0 },
  ...{ created_at: "", attempts: [], files },
});

it("a round shows the files that are not as they were, under their own numbers", async () => {
  const before = diff(1, file("a", "one"), file("b", "two"));
  const now = diff(2, file("a", "one"), file("b", "better"), file("c", "new"));
  const paths = (files: readonly { path: string; index: number }[]) =>
    files.map(({ path, index }) => [path, index]);
  expect(paths(await showDiff(now, null, before))).toEqual([
    ["b", 1],
    ["c", 2],
  ]);
  expect(await showDiff(now, null)).toHaveLength(3);
});
