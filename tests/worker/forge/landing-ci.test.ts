import { join } from "node:path";
import { expect, it } from "vitest";
import { at } from "../../setup/world";
import { openStage, startRun } from "../fixture";
import { flags } from "../flags";
import { startWorker } from "../worker-process";
import { writeAgent, writeRepository } from "./landing-world";
import { openForgeWorld, tokenOf } from "./world";

const { t, app, ada, token, home } = await openStage();
const patience = { timeout: 120_000, interval: 200 };
const { command } = writeAgent(home);

/** A product with a merge queue at a Git host, and a worker that serves it. */
async function begin(code: string, test: string) {
  const forge = await openForgeWorld("github", join(home, code));
  const repo = join(home, `repo-${code}`);
  const git = forge.clone(repo);
  writeRepository(repo, `forge: github\ntest: ${test}\n`);
  forge.push(git);
  const run = await startRun(t, ada, {
    code,
    strategy: "STORY",
    stories: ["Say one"],
    product: { pull_requests: "open", landing: "queue", repo_url: forge.remote },
  });
  startWorker(
    [
      ...flags({ url: app.origin, token, "work-dir": join(home, `work-${code}`), repo, name: code }),
      ...flags({ product: code, exec: command, sandbox: "off", pr: true }),
    ],
    { BACKLOOM_FORGE_POLL_SECONDS: "2", BACKLOOM_FORGE_TOKEN: tokenOf("github") },
  );
  const ends = async () => {
    const rows = await t.query`select state from landings where product_id = ${run.productId} order by created_at, id`;
    return rows.map(({ state }) => state);
  };
  return { forge, run, ends };
}

it("The merge queue tests a branch itself rather than trust a green CI that the Git host does not know", async () => {
  await t.query`
    create function private.say_passed() returns trigger language plpgsql as $$ begin new.ci := 'passed'; return new; end; $$;
    create trigger say_passed before insert or update on public.pulls for each row execute function private.say_passed()`;
  const failsWhereItLands = 'test -n "$BACKLOOM_JOB_ID"';
  const { forge, ends } = await begin("FORGED", failsWhereItLands);
  await expect.poll(ends, patience).toContain("test_failed");
  expect(forge.pulls.map(({ state }) => state)).not.toContain("merged");
  await t.query`drop trigger say_passed on public.pulls; drop function private.say_passed`;
}, 300_000);

it("The merge queue waits for CI that takes a while to begin, where earlier pull requests had it", async () => {
  const { forge, run, ends } = await begin("LATE", "sh check.sh");
  await t.query`
    insert into pulls (product_id, number, url, branch, head_sha, state, ci, observed_at)
    values (${run.productId}, 99, ${forge.urlOf(99)}, 'backloom/before', 'abcdef0', 'merged', 'passed', now())`;
  await expect.poll(ends, patience).toEqual(["waiting_ci"]);
  const pull = at(forge.pulls, 0);
  pull.ci = { sha: forge.headOf(pull.branch), state: "failed", log: "red" };
  await expect.poll(ends, patience).toEqual(["test_failed"]);
  expect(pull.state).toBe("open");
}, 300_000);
