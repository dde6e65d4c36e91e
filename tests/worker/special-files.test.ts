import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openStage, startRun } from "./fixture";

const { t, ada, home, git, serveOnce } = await openStage();

it.each([
  ["ATTR", "mkfifo .gitattributes", /Removed: .*\.gitattributes/],
  ["DEEP", "mkdir -p a/b; echo y > a/b/y; mkfifo a/b/.gitignore", /Removed: .*a\/b\/\.gitignore/],
  ["HIDDEN", "mkdir d; echo y > d/y; git add d; mkfifo d/.gitattributes; chmod 311 d", /Removed: .*d\/\.gitattributes/],
  ["LINK", `mkfifo ${home}/pipe; ln -s ${home}/pipe .gitmodules`, /Removed: .*\.gitmodules/],
  ["INDEX", 'own=$(git rev-parse --git-dir); rm -f "$own/index"; mkfifo "$own/index"', /T-1 is done/],
])("%s: A pipe in a worktree is removed and named before git of the worker waits at it", async (code, make, said) => {
  const run = await startRun(t, ada, { code });
  const output = await serveOnce(code, ["--exec", `echo x > x; ${make}`]);
  const [job] = (await run.read()).jobs;
  expect(job?.status, output).toBe("done");
  expect(git("show", `${job?.branch}:x`)).toBe("x");
  expect(output).toMatch(said);
  const rows = await t.query`select title from job_outputs where job_id = ${job?.id}`;
  const titles = rows.map(({ title }) => title);
  expect(titles.some((title) => title?.startsWith("Removed:"))).toBe(code !== "INDEX");
  execFileSync("rm", ["-f", join(home, "pipe")]);
});
