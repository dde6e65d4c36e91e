import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { git, gitEnd, setConfig } from "~/worker/git";

it("workers of one repository take turns with its configuration", async () => {
  const folder = await mkdtemp(join(tmpdir(), "backloom-config-"));
  await git(folder, "init", "--quiet");
  const lock = join(folder, ".git", "config.lock");
  await writeFile(lock, "");
  const set = setConfig(folder, "branch.b.merge", "refs/heads/b");
  for (let n = 0; n < 3; n++) {
    const { problem } = await gitEnd(folder, "config", "branch.other.merge", "refs/heads/other");
    expect(problem).toContain("could not lock config file");
  }
  await rm(lock);
  await set;
  expect(await git(folder, "config", "--get", "branch.b.merge")).toBe("refs/heads/b");
  await rm(folder, { recursive: true });
});
