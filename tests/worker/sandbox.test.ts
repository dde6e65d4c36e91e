import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSandboxScene, sandboxProblem } from "./sandbox-scene";

const people = [
  { name: "oneself", uid: undefined, tags: [] },
  { name: "an ordinary user", uid: 12_345, tags: "thorough" },
  // Only root becomes someone else.
].filter(({ uid }) => uid === undefined || process.getuid?.() === 0);

const describeInSandbox = describe.skipIf(sandboxProblem !== null);
for (const { name, uid, tags } of people) describeInSandbox(`in a sandbox as ${name}`, { tags }, () => workAs(uid));

async function workAs(uid: number | undefined) {
  const { root, home, repo, run, put, git } = await openSandboxScene(uid);
  /** Tries each command, and answers what the ones that worked said. */
  const tryAll = (commands: Record<string, string>) =>
    Object.entries(commands)
      .map(([name, command]) => `if (${command}) >/dev/null 2>&1; then echo ${name} >> got.txt; fi`)
      .join("\n");

  it("A job in a sandbox does its work, commits as the person, and is reported as confined", async () => {
    const { job, read, output } = await run(
      'echo work > work.txt && git add work.txt && git commit -qm Work && echo "$HOME" > home.txt',
    );
    expect(job, output).toMatchObject({ status: "done" });
    expect(read("work.txt")).toBe("work");
    expect(git("-c", "safe.directory=*", "log", "-2", "--format=%an", String(job.branch))).toContain("Grace");
    expect(read("home.txt")).toContain(join(root, "work"));
    expect(output).toContain("sandbox bwrap");
  });

  it("A job in a sandbox reads nothing of the person, of other worktrees and of the worker", async () => {
    const other = put("work/workers/other/worktrees/x-1/file.txt", "other");
    const { job, read, output } = await run(
      `echo tried > got.txt
${tryAll({
  ssh: `cat ${home}/.ssh/id_ed25519`,
  homely: "cat ~/.ssh/id_ed25519",
  aws: `cat ${home}/.aws/credentials`,
  token: `cat ${home}/.backloom/token`,
  other: `cat ${other}`,
  shadow: "test -s /etc/shadow && cat /etc/shadow",
  root: `ls ${root}/scripts | grep -v BOX`,
  worker: "cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep '[b]ackloom-worker.mjs|[b]lm_'",
  variables: "cat /proc/[0-9]*/environ | grep BACKLOOM_TOKEN",
  checkout: `cat ${repo}/README.md`,
})}
ln -s ${home}/.ssh/id_ed25519 link
${tryAll({ link: "cat link" })}
rm link`,
    );
    expect(job, output).toMatchObject({ status: "done" });
    expect(read("got.txt")).toBe("tried");
  });

  it("A job in a sandbox writes nowhere but into its worktree, its home and what git needs", async () => {
    const hooks = join(repo, ".git", "hooks");
    const before = readFileSync(join(repo, ".git", "config"), "utf8");
    const { job, read, output } = await run(
      `echo tried > got.txt
own=$(git rev-parse --absolute-git-dir)
${tryAll({
  hook: `echo evil > ${hooks}/post-checkout`,
  moved: `mv ${hooks} ${hooks}.old && mkdir ${hooks}`,
  config: `echo evil >> ${repo}/.git/config`,
  configured: "git config core.fsmonitor evil",
  renamed: `echo evil > new && mv -f new ${repo}/.git/config`,
  link: `ln -sf ${repo}/.git/config linked && echo evil >> linked`,
  common: 'echo evil > "$own/commondir"',
  pointer: "echo evil > .git",
  replaced: "rm .git",
  neighbor: `mkdir ${repo}/.git/worktrees/neighbor`,
  home: `echo evil > ${home}/evil && cat ${home}/evil && false`,
  system: "echo evil > /usr/bin/evil || echo evil > /etc/evil",
  parent: `echo evil > ../evil.txt && false`,
  mounts: `mount -o remount,rw ${repo}/.git/config || umount ${repo}/.git/config`,
  nested: `unshare -Ur mount -o remount,rw,bind ${repo}/.git/config || unshare -Ur umount ${repo}/.git/config`,
})}
rm -f linked new`,
    );
    expect(job, output).toMatchObject({ status: "done" });
    expect(read("got.txt")).toBe("tried");
    const config = readFileSync(join(repo, ".git", "config"), "utf8");
    expect(config).not.toContain("evil");
    expect(config.startsWith(before)).toBe(true);
    expect(existsSync(join(home, "evil"))).toBe(false);
    expect(existsSync(join(root, "work", "workers", `worker-BOX3`, "worktrees", "evil.txt"))).toBe(false);
  });

  it("A job in a sandbox cannot write git's settings and remote branches, no matter what others write there", {
    tags: "thorough",
  }, async () => {
    const own = ["-c", "safe.directory=*"];
    const running = run(
      `echo tried > got.txt
touch ready
until grep -q outside ${repo}/.git/config; do sleep 0.05; done
${tryAll({
  config: `echo evil >> ${repo}/.git/config`,
  configured: "git config core.fsmonitor evil",
  first: `echo evil > ${repo}/.git/config.worktree || mkdir -p ${repo}/.git/modules/evil`,
  packed: `echo evil > ${repo}/.git/packed-refs`,
  head: `git --git-dir=${repo}/.git symbolic-ref HEAD refs/heads/evil`,
  main: "git update-ref refs/remotes/origin/main HEAD",
  alternate: `echo /tmp > ${repo}/.git/objects/info/alternates`,
  pack: `touch ${repo}/.git/objects/pack/evil || rm -r ${repo}/.git/objects/pack`,
  begun: "git update-ref refs/backloom/begun/x HEAD",
})}
git add got.txt && git commit -qm Tried && git checkout -qb aside && git checkout -q - && git merge -q aside && git stash list || echo broken >> got.txt`,
    );
    const worktrees = join(root, "work/workers/worker-BOX4/worktrees");
    const isReady = () =>
      existsSync(worktrees) && readdirSync(worktrees).some((name) => existsSync(join(worktrees, name, "ready")));
    await expect.poll(isReady).toBe(true);
    // As each `git config` does it puts a new file in the place of the old one.
    git(...own, "config", "outside.written", "yes");
    const { job, read, output } = await running;
    expect(job, output).toMatchObject({ status: "done" });
    expect(read("got.txt")).toBe("tried");
    expect(readFileSync(join(repo, ".git", "config"), "utf8")).not.toContain("evil");
  });

  it("The person's git writes through no link that a job in a sandbox has left", { tags: "thorough" }, async () => {
    const target = put("person/profile", "");
    const { job, output } = await run(
      `own=$(git rev-parse --absolute-git-dir)
mkdir -p ${repo}/.git/logs/refs/heads
ln -sf ${target} ${repo}/.git/logs/refs/heads/main
ln -sf ${target} "$own/logs/HEAD"
ln -sf ${target} "$own/COMMIT_EDITMSG"
echo work > work.txt`,
    );
    expect(job, output).toMatchObject({ status: "done" });
    const words = ["-c", "safe.directory=*", "commit", "--quiet", "--allow-empty", "-m", "x; evil"];
    git(...words);
    expect(readFileSync(target, "utf8")).toBe("");
  });

  it("A job in a sandbox gives no result through a link, and leaves no process behind", {
    tags: "thorough",
  }, async () => {
    put("person/result.json", JSON.stringify({ summary: "secret of the person" }));
    const { job, output } = await run(
      `echo work > work.txt; rm -f "$BACKLOOM_RESULT_FILE"
ln -s ${home}/result.json "$BACKLOOM_RESULT_FILE"
(setsid sleep 4242 &) ; (nohup sleep 4242 >/dev/null 2>&1 &)`,
    );
    expect(JSON.stringify(job), output).not.toContain("secret of the person");
    expect(processesOf("4242")).toEqual([]);
  });
}

function processesOf(word: string): string[] {
  const list = execFileSync("ps", ["-e", "-o", "args="], { encoding: "utf8" });
  return list.split("\n").filter((line) => line.includes(`sleep ${word}`));
}
