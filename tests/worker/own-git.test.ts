import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeBarrier } from "./barrier";
import { gitIn, makeRepository, openStage, startRun } from "./fixture";
import { endOf } from "./worker-process";

const { t, ada, home, git, serve, serveOnce } = await openStage("--heartbeat", "0.3");

function start(product: string, exec: string, ...words: string[]) {
  const place = ["--work-dir", join(home, product), "--name", "worker"];
  return serve(product, [...place, "--exec", exec, "--once", ...words]);
}

const ranOf = (code: string) => join(home, `${code}-ran`);

/** A git folder of the agent's own making, whose configuration runs a program at everything git does. */
function hostileFolder(folder: string, ran: string): string {
  const lines = [
    "[core]",
    "repositoryformatversion = 0",
    `fsmonitor = touch ${ran}; false`,
    `hooksPath = ${join(home, "hooks")}`,
    `sshCommand = touch ${ran}; false`,
    '[filter "e"]',
    `clean = touch ${ran}; cat`,
    `smudge = touch ${ran}; cat`,
    "required = true",
  ];
  const config = lines.map((line) => `'${line}'`).join(" ");
  return [
    `mkdir -p ${folder}/objects ${folder}/refs`,
    `echo "ref: refs/heads/main" > ${folder}/HEAD`,
    `printf '%s\\n' ${config} > ${folder}/config`,
  ].join("; ");
}

const hooks = join(home, "hooks");
mkdirSync(hooks);
for (const name of ["post-checkout", "post-commit", "pre-push", "post-index-change"]) {
  writeFileSync(join(hooks, name), `#!/bin/sh\ntouch ${join(home, "HOOK-ran")}\n`, { mode: 0o755 });
}

it.each([
  ["FILE", 'rm .git; echo "gitdir: $PWD/.e" > .git'],
  ["FOLDER", "rm .git; cp -r .e .git"],
  ["LINK", 'rm .git; ln -s "$PWD/.e" .git'],
  ["GONE", "rm .git"],
  [
    "CONFIG",
    `git config extensions.worktreeConfig true; git config --worktree filter.e.clean 'touch ${ranOf("CONFIG")}; cat'`,
  ],
])("%s: The worker's git is as when the folder was made, whatever the agent makes of .git", async (code, replace) => {
  const ran = ranOf(code);
  const run = await startRun(t, ada, { code });
  const exec = `${hostileFolder(".e", ran)}; echo "* filter=e" > .gitattributes; echo x > x; ${replace}`;
  // What is run in the folder afterwards may ask git as well.
  const worker = start(code, exec, "--test", "git status --porcelain; git rev-parse HEAD");
  expect(await worker.ended, worker.output()).toBe(0);
  const [job] = (await run.read()).jobs;
  expect(job?.status, worker.output()).toBe("done");
  expect(git("show", `${job?.branch}:x`)).toBe("x");
  expect(readdirSync(home)).not.toContain(`${code}-ran`);
  expect(git("worktree", "list").split("\n")).toHaveLength(1);
  expect(readdirSync(join(home, code, "workers/worker/worktrees"))).toEqual([]);
});

it("The worker's git knows its folder after a kill, regardless of the agent made of .git", {
  tags: "thorough",
}, async () => {
  const code = "KILLED";
  const run = await startRun(t, ada, { code });
  const folder = join(home, "hold");
  const hold = makeBarrier(folder);
  const replace = 'rm .git; echo "gitdir: $PWD/.e" > .git';
  const exec = `${hostileFolder(".e", ranOf(code))}; echo x > x; ${replace}; ${hold.script}`;
  const victim = start(code, exec);
  await hold.reached(victim.output);
  await victim.end("SIGKILL");
  await hold.release();
  const output = await endOf(start(code, "echo y > y"));
  const kept = /is kept on (\S+)/.exec(output)?.[1];
  expect(git("show", `${kept}:x`)).toBe("x");
  expect((await run.read()).jobs[0]?.status).toBe("done");
  expect(readdirSync(home)).not.toContain(`${code}-ran`);
});

it("The worker's git does not go into a repository that the agent has put into its folder", async () => {
  const code = "NESTED";
  const ran = ranOf(code);
  const run = await startRun(t, ada, { code, tasks: 2 });
  const nested = [
    "test -d sub || git init -q sub",
    "cd sub",
    'echo "* filter=e" > .gitattributes',
    "echo 1 >> inner",
    "git -c user.name=T -c user.email=t@example.com add --all",
    "git -c user.name=T -c user.email=t@example.com commit -q -m Inner",
    `git config core.fsmonitor 'touch ${ran}; false'`,
    `git config filter.e.clean 'touch ${ran}; cat'`,
    "echo 2 >> inner",
    "cd ..",
    "printf '[submodule \"sub\"]\\n\\tpath = sub\\n\\turl = ./sub\\n\\tignore = none\\n' > .gitmodules",
    'echo x > "$BACKLOOM_TASK_CODE"',
    "git add --all && git -c user.name=T -c user.email=t@example.com commit -q -m Mine",
    `rm -f ${ran}`,
    "echo 3 >> sub/inner; echo more > more",
  ].join("\n");
  const output = await endOf(start(code, nested));
  const [job] = (await run.read()).jobs;
  expect(job?.status, output).toBe("done");
  expect(git("show", `${job?.branch}:more`)).toBe("more");
  expect(readdirSync(home)).not.toContain(`${code}-ran`);
});

it("The worker's git runs hooks only where the person says so, and then their own", async () => {
  const folder = join(home, "husky");
  const own = makeRepository(folder);
  mkdirSync(join(folder, ".husky"));
  const hook = (place: string, name: string) =>
    writeFileSync(place, `#!/bin/sh\ntouch ${join(home, name)}\n`, { mode: 0o755 });
  hook(join(folder, ".husky/post-commit"), "OWN-ran");
  own("add", "--all");
  own("commit", "--quiet", "-m", "Hooks");
  own("config", "core.hooksPath", ".husky");
  const rewrite = `printf '#!/bin/sh\\ntouch ${join(home, "AGENT-ran")}\\n' > .husky/post-commit; echo x > x`;
  const work = async (code: string, ...words: string[]) => {
    await startRun(t, ada, { code });
    const place = ["--work-dir", join(home, code), "--repo", folder];
    await serveOnce(code, [...place, "--exec", rewrite, ...words]);
    return readdirSync(home).filter((name) => /^(OWN|AGENT)-ran$/.test(name));
  };
  expect(await work("NONE")).toEqual([]);
  expect(await work("ASKED", "--hooks")).toEqual(["OWN-ran"]);
  expect(gitIn(folder)("config", "core.hooksPath")).toBe(".husky");
});
