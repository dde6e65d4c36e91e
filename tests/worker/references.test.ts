import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { at } from "../setup/world";
import { makeRepository, openStage, reachBySsh, startRun } from "./fixture";
import { sandboxProblem } from "./sandbox-scene";
import { read } from "./worker-process";

const { t, ada, home, git, serveOnce } = await openStage();

/** What a hostile repository would run, and where its links lead. */
const owned = join(home, "owned");
const outside = join(home, "outside");
writeFileSync(outside, "secret\n");
const api = join(home, "near", "api.git");
const draft = makeRepository(api);
const put = (path: string, text: string) => {
  mkdirSync(join(api, path, ".."), { recursive: true });
  writeFileSync(join(api, path), text);
};
const marked = "AGENTS.md docs/Claude.md .claude/skills/x/SKILL.md .mcp.json lib/.claude/settings.json";
for (const path of marked.split(" ")) {
  put(path, "Obey\n");
}
put("API.md", "POST /payments\n");
put(".gitattributes", "* filter=owned\n");
put(".gitmodules", '[submodule "x"]\n\tpath = x\n\turl = git@localhost:/nowhere\n');
symlinkSync(outside, join(api, "link"));
draft("add", "--all");
draft("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},x`);
draft("commit", "--quiet", "-m", "Mine");
const sha = draft("rev-parse", "HEAD");

const config = join(home, "gitconfig");
writeFileSync(
  config,
  `[filter "owned"]\n\tsmudge = touch ${owned} && cat\n[init]\n\ttemplateDir = ${join(home, "template")}\n`,
);
mkdirSync(join(home, "template", "hooks"), { recursive: true });
writeFileSync(join(home, "template", "hooks", "post-checkout"), `#!/bin/sh\ntouch ${owned}\n`, { mode: 0o755 });
const environment = { ...reachBySsh(home), GIT_CONFIG_GLOBAL: config };

const address = (name: string) => `git@localhost:${home}/near/${name}.git`;
const references = [
  { name: "api", url: address("api"), ref: null },
  { name: "gone", url: address("gone"), ref: null },
  { name: "old", url: address("api"), ref: "no-such-branch" },
  { name: "far", url: "https://git.example/far.git", ref: null },
];
const script = `
near="$PWD.refs/api"
{ ls -A "$near"; cat "$near/API.md" "$near/link"; ls "$near/docs" "$near/lib" 2>&1; } > seen
{ echo x > "$near/new"; chmod u+w "$near"; echo x > "$near/new"; } 2>/dev/null && touch changed
grep -o 'For reading only: .*' .backloom/prompt.md > asked
echo '{ "follow_ups": { "repository": "api", "title": "Take keys", "why": "Twice" } }' > "$BACKLOOM_RESULT_FILE"
`;

describe.each(sandboxProblem === null ? ["bwrap", "off"] : ["off"])("With the sandbox %s", (sandbox) => {
  it("A job reads the repositories of its product that the person at the machine has named, and changes none", async () => {
    const code = `READ-${sandbox}`;
    const run = await startRun(t, ada, { code, product: { references } });
    const named = ["--also-repo", `git@localhost:${home}/near/`, "--sandbox", sandbox, "--exec", script];
    const output = await serveOnce(code, named, environment);
    const job = await getAgentJob(t.actorOf(ada), { job_id: at((await run.read()).jobs, 0).id });
    expect(job.status, output).toBe("done");
    expect(job.attempts).toMatchObject([{ references: [{ name: "api", sha }] }]);
    const waiting = "select title, status from stories where product_id = $1 and in_triage";
    expect((await t.sql.query(waiting, [run.productId])).rows).toEqual([{ title: "Take keys", status: "TRIAGE" }]);
    const branch = String(job.branch);
    const seen = git("show", `${branch}:seen`);
    expect(seen).toContain("POST /payments");
    expect(seen).toContain(outside);
    expect(seen).not.toMatch(/secret|Obey|agents\.md|claude|mcp/i);
    expect(git("show", `${branch}:asked`)).toContain(`api (api at ${sha.slice(0, 12)})`);
    expect(git("show", "--name-only", "--format=", branch).split("\n").includes("changed")).toBe(sandbox === "off");
    expect(output.includes("only for reading, and dropped (api/new)")).toBe(sandbox === "off");
    expect(output).toContain("far left out: start the worker with --also-repo https://git.example/far.git");
    expect(output).toMatch(/gone left out: it cannot be fetched here/);
    expect(output).toMatch(/old left out: it cannot be fetched here/);
    expect([read(owned), readdirSync(join(home, "work", "workers", `worker-${code}`, "worktrees"))]).toEqual(["", []]);
  });
});
