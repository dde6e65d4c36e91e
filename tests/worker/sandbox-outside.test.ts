import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gitIn, openStage, startRun } from "./fixture";
import { sandboxProblem } from "./sandbox-scene";
import { endOf, read } from "./worker-process";

describe.skipIf(sandboxProblem !== null)("what runs outside of the sandbox", async () => {
  const { t, ada, home, repo, git, serve } = await openStage();
  const origin = join(home, "origin.git");
  const ran = join(home, "agent-ran");
  const told = join(home, "told");
  writeFileSync(join(repo, ".backloom.yml"), `env: { PATH: "bin:${process.env.PATH}", FROM_RULES: x }\n`);
  git("add", "--all");
  git("commit", "--quiet", "-m", "Rules");
  gitIn(home)("clone", "--quiet", "--bare", repo, origin);
  git("remote", "add", "origin", origin);

  /** Works on the one task of a run in the sandbox, and leaves what would run a program outside of it. */
  async function work(code: string, ...words: string[]) {
    const run = await startRun(t, ada, { code, product: { auto_pr: true } });
    const script = join(home, `${code}.sh`);
    writeFileSync(
      script,
      `mkdir bin; printf '#!/bin/sh\\ntouch ${ran}\\n' > bin/uname; chmod +x bin/uname
git init -q sub; cd sub; echo x > x; git add x; git commit -q -m Inner
git config core.fsmonitor 'touch ${ran}; false'; git config filter.e.clean 'touch ${ran}; cat'
echo '* filter=e' > .gitattributes; echo y > x; cd ..
printf '[submodule "sub"]\\n\\tpath = sub\\n\\turl = ./sub\\n\\tignore = none\\n' > .gitmodules
printf '#!/bin/sh\\ntouch ${ran}\\n' > check.sh; chmod +x check.sh
git add --all; git commit -qm Mine; echo left > left.txt
git rev-parse HEAD > "$(git rev-parse --absolute-git-dir)/MERGE_HEAD"\n`,
    );
    const exec = `sh ${script}`;
    const output = await endOf(serve(code, ["--once", "--exec", exec, "--sandbox", "bwrap", ...words]));
    const job = (await run.read()).jobs[0];
    expect(job?.status, output).toBe("done");
    expect(readdirSync(home)).not.toContain("agent-ran");
    return job;
  }

  it("The command of --pr runs where no job wrote, without the rules of the repository", async () => {
    const show = `{ ls -A; git status --porcelain; git diff; git submodule status; uname > /dev/null
git log -1 --format=%s; git rev-parse --abbrev-ref '@{upstream}'; echo "rules: $FROM_RULES"; } > ${told} 2>&1`;
    const job = await work("PULL", "--pr", `${show}; echo https://example.com/1`);
    expect(job?.pr_url).toBe("https://example.com/1");
    const [only, ...rest] = read(told).trim().split("\n");
    expect([only, rest.at(-1)]).toEqual([".git", "rules:"]);
    expect(rest).toContain(`origin/${job?.branch}`);
    expect(rest.join("\n")).not.toMatch(/left\.txt|^ ?[DM?]/m);
    expect(readdirSync(join(home, "work/workers/worker-PULL/worktrees"))).toEqual([]);
  });

  it("The hook of a push runs where no job wrote, and no commit hook runs after the job", async () => {
    const hooks = join(repo, ".git/hooks");
    mkdirSync(hooks, { recursive: true });
    for (const name of ["post-commit", "post-checkout", "pre-push", "post-index-change"]) {
      const text = `#!/bin/sh\necho "${name} $(pwd)" >> ${told}\ntest ! -x check.sh || ./check.sh\n`;
      writeFileSync(join(hooks, name), text, { mode: 0o755 });
    }
    writeFileSync(told, "");
    await work("HOOKS", "--hooks", "--pr", "echo https://example.com/2");
    const lines = read(told).trim().split("\n");
    expect(lines).toContain(`pre-push ${join(repo, ".git")}`);
    expect(lines.filter((line) => line.startsWith("post-commit"))).toEqual([]);
  });

  it("A person's branch gets no commit where what the job wrote to git cannot be read", async () => {
    const run = await startRun(t, ada, { code: "JUNK" });
    const script = join(home, "JUNK.sh");
    writeFileSync(
      script,
      `objects=$(git rev-parse --git-path objects); mkdir -p "$objects/ab"
echo junk > "$objects/ab/${"c".repeat(38)}"; echo mine > mine.txt
echo "ref: refs/heads/main" > "$(git rev-parse --absolute-git-dir)/HEAD"\n`,
    );
    const before = git("rev-parse", "main");
    const worker = serve("JUNK", ["--once", "--sandbox", "bwrap", "--exec", `sh ${script}`]);
    await worker.ended;
    expect(worker.output()).toContain("cannot be read");
    expect((await run.read()).jobs[0]?.status).not.toBe("done");
    expect(git("rev-parse", "main")).toBe(before);
  });
});
