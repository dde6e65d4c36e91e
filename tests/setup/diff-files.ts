import { spawnSync } from "node:child_process";

/** Where some change begins and ends. */
export const shas = { base_sha: "a".repeat(40), head_sha: "b".repeat(40) };

/** A file that a change touched, as workers send it in a diff. */
export const changedFile = <Rest extends object>(path: string, rest: Rest) => {
  return { path, status: "modified" as const, additions: 1, deletions: 1, binary: false, ...rest };
};

/** A file that a change added, with its lines. */
export const addedFile = (path: string, ...lines: string[]) => ({
  path,
  status: "added" as const,
  additions: lines.length,
  deletions: 0,
  binary: false,
  patch: `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join("")}`,
});

/** A binary file that a change added, as git writes it. */
export const addedPicture = (path: string, content: Buffer) => {
  const words = ["diff", "--no-index", "--binary", "--", "/dev/null", "-"];
  const { stdout } = spawnSync("git", words, { input: content, encoding: "utf8" });
  const patch = stdout.replace("a/- b/-", `a/${path} b/${path}`);
  return { path, status: "added" as const, additions: 0, deletions: 0, binary: true, patch };
};
