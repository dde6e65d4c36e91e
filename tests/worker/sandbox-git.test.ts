import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSandboxScene, sandboxProblem } from "./sandbox-scene";

describe.skipIf(sandboxProblem !== null)("the repository of a job in a sandbox", async () => {
  const { root, home, repo, run, begin, put, git } = await openSandboxScene();
  git("branch", "other");
  git("tag", "first");
  const commitOf = (name: string) => git("rev-parse", name);
  const main = commitOf("main");
  const common = join(repo, ".git");

  it("A repository keeps its branches and objects, no matter what a job in the sandbox does to them", async () => {
    put("repo/loose.txt", "not packed");
    git("add", "loose.txt");
    git("commit", "-qm", "Loose");
    const before = commitOf("main");
    const { job, read, output } = await run(
      `git commit -q --allow-empty -m Evil
git update-ref refs/heads/main HEAD && git update-ref refs/heads/other HEAD
git tag -f first HEAD && git tag mine
git update-ref -d refs/heads/other
ln -s ${home}/.ssh/id_ed25519 ${common}/refs/heads/link
ln -s ${home} ${common}/refs/heads/folder
git gc --quiet --prune=now
rm -rf ${common}/objects/?? ${common}/objects/pack/* /run/backloom-objects/*
git reset -q --hard $BACKLOOM_BASE_SHA
echo work > work.txt; git add work.txt; git commit -qm Work; echo more > more.txt`,
    );
    expect(job, output).toMatchObject({ status: "done" });
    expect([read("work.txt"), read("more.txt"), read("loose.txt")]).toEqual(["work", "more", "not packed"]);
    expect([commitOf("main"), commitOf("other"), commitOf("first")]).toEqual([before, main, main]);
    expect(git("tag", "--list")).toBe("first");
    expect(readdirSync(join(common, "refs/heads"))).not.toContain("link");
    expect(readdirSync(join(common, "refs/heads"))).not.toContain("folder");
    git("fsck", "--connectivity-only");
  });

  it.each([
    ["checked out", "git symbolic-ref HEAD refs/heads/main; echo x > x.txt"],
    [
      "to be moved by a rebase",
      `own=$(git rev-parse --absolute-git-dir); mkdir "$own/rebase-merge"
echo refs/heads/main > "$own/rebase-merge/head-name"
git rev-parse HEAD > "$own/rebase-merge/onto"; cp "$own/rebase-merge/onto" "$own/rebase-merge/orig-head"
git checkout -q --detach; echo x > x.txt; git add x.txt; git commit -qm X; git rev-parse HEAD > "$own/rebase-merge/orig-head"`,
    ],
  ])("The worker moves no branch that a job in the sandbox left %s", async (_how, script) => {
    const before = commitOf("main");
    const { job, read, output } = await run(script);
    expect(commitOf("main"), output).toBe(before);
    expect(job, output).toMatchObject({ status: "done" });
    expect(read("x.txt")).toBe("x");
    expect(git("branch", "--list", "--format=%(refname:short)").split("\n")).toContain("other");
  });

  it("A forged state of a git operation deletes no branch, and is not kept", async () => {
    git("branch", "precious");
    const before = git("for-each-ref", "refs/heads/main", "refs/heads/other", "refs/heads/precious");
    const { job, output } = await run(
      `own=$(git rev-parse --absolute-git-dir); mine=$(git symbolic-ref HEAD)
for name in rebase-merge rebase-apply sequencer; do
  mkdir "$own/$name"; echo "$mine" > "$own/$name/head-name"; git rev-parse HEAD > "$own/$name/onto"
  cp "$own/$name/onto" "$own/$name/orig-head"
  printf 'refs/heads/%s\\n' main other precious > "$own/$name/refs-to-delete"
done
for name in BISECT_LOG BISECT_START MERGE_AUTOSTASH AUTO_MERGE a-later-gits-state; do git rev-parse HEAD > "$own/$name"; done
mkdir -p "$own/refs/bisect"; git rev-parse HEAD > "$own/refs/bisect/bad"
ls -A "$own" > planted.txt`,
      ["--test", 'ls -A "$(git rev-parse --absolute-git-dir)"; false'],
    );
    expect(job.failure_reason, output).toContain("HEAD");
    expect(job.failure_reason).not.toMatch(/rebase|sequencer|BISECT|AUTO|later|refs/);
    expect(git("for-each-ref", "refs/heads/main", "refs/heads/other", "refs/heads/precious")).toBe(before);
    const kept = /kept on (backloom\S+)/.exec(output)?.[1];
    expect(git("show", `${kept}:planted.txt`)).toContain("a-later-gits-state");
  });

  it("A job in the sandbox that left its rebase half done delivers all of its commits", async () => {
    const { job, read, output } = await run(
      `git commit -q --allow-empty -m Base; git branch base
echo one > both.txt; git add .; git commit -qm One; echo two > two.txt; git add .; git commit -qm Two
git checkout -q -b theirs base; echo other > both.txt; git add .; git commit -qm Other
git checkout -q -; git rebase -q theirs; git status | head -3; true`,
    );
    expect(job, output).toMatchObject({ status: "done" });
    expect([read("both.txt"), read("two.txt")]).toEqual(["one", "two"]);
  });

  it("Work on another branch in the sandbox reaches that of the job, with all of its many commits", async () => {
    const { job, read, output } = await run(
      `git checkout -qb aside
for i in $(seq 60); do echo $i > many-$i.txt; git add .; git commit -qm $i; done
git stash list; echo staged > staged.txt; git add staged.txt`,
      ["--test", "git checkout -q HEAD -- . && test $(git ls-files | grep -c many-) = 60"],
    );
    expect(job, output).toMatchObject({ status: "done" });
    expect([read("many-60.txt"), read("staged.txt")]).toEqual(["60", "staged"]);
    expect(git("branch", "--list", "aside")).toBe("");
  });

  it("A commit of which something is missing does not count as work", async () => {
    const before = git("for-each-ref", "refs/heads/backloom");
    const { job, output } = await run(
      `tree=$(printf '100644 gone\\0\\001\\002\\003\\004\\005\\006\\007\\010\\011\\012\\013\\014\\015\\016\\017\\020\\021\\022\\023\\024' | git hash-object -t tree -w --stdin --literally)
git update-ref HEAD $(git commit-tree -m Broken -p HEAD $tree)`,
    );
    expect(job.status, output).not.toBe("done");
    expect(git("for-each-ref", "refs/heads/backloom")).toBe(before);
    git("fsck", "--connectivity-only");
  });

  it("Work that a job in the sandbox had committed and left is kept when its worker is killed", async () => {
    const { worker } = await begin(
      "echo one > one.txt; git add .; git commit -qm One; echo two > two.txt; touch ready; sleep 600",
    );
    const worktrees = () => join(root, "work/workers", String(named(worker.output())), "worktrees");
    const isReady = () =>
      existsSync(worktrees()) && readdirSync(worktrees()).some((name) => existsSync(join(worktrees(), name, "ready")));
    await expect.poll(isReady).toBe(true);
    await worker.end("SIGKILL");
    const { output } = await run("echo next > next.txt", ["--name", named(worker.output()) ?? ""]);
    const kept = /is kept on (\S+)/.exec(output)?.[1];
    expect([git("show", `${kept}:one.txt`), git("show", `${kept}:two.txt`)]).toEqual(["one", "two"]);
    expect(readdirSync(worktrees())).toEqual([]);
  });
});

function named(output: string): string | undefined {
  return /Worker (\S+) waits/.exec(output)?.[1];
}
