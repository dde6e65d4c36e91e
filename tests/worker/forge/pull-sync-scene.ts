import { reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { listPulls } from "~/nouns/pulls/operations.server";
import type { ForgeKind } from "../../../worker/base/forge-kinds";
import { openJournal } from "../../../worker/base/journal";
import { openPullSync } from "../../../worker/forge/sync-pulls";
import { claim } from "../../setup/world";
import { gitIn, type openStage, startRun } from "../fixture";
import { connectBoth } from "./victim";
import { type FakePull, openForgeWorld } from "./world";

/** The work of as many stories is done, and each has a pull request. */
export async function openPullSyncScene(
  { t, app, home }: Pick<Awaited<ReturnType<typeof openStage>>, "t" | "app" | "home">,
  kind: ForgeKind,
  name: string,
  count = 1,
) {
  const forge = await openForgeWorld(kind, `${home}/${name}`);
  const owner = await t.createUser();
  const actor = t.actorOf(owner);
  const stories = Array.from({ length: count }, (_, number) => `Story ${number}`);
  const run = await startRun(t, owner, { code: `${name}-${kind}`, strategy: "STORY", stories });
  for (let number = 1; number <= count; number += 1) {
    const { id: job_id, attempt, branch } = await claim(actor);
    gitIn(forge.bare)("branch", branch ?? "", "main");
    const head_sha = forge.headOf(branch ?? "");
    const done = { status: "done" as const, verify_result: "ALIGNED" as const, head_sha };
    await reportAgentJob(actor, { job_id, attempt, ...done });
    forge.pulls.push(pullOf(number, branch ?? ""));
  }
  const { service, forge: host } = connectBoth(forge, app.origin, await t.createToken(owner));
  const lines: string[] = [];
  const journal = openJournal((line) => lines.push(line));
  let clock = 0;
  const sync = openPullSync({ service, journal }, run.productId, () => clock);
  /** One look; what happens happens once the host has sent its list. */
  const poll = (meanwhile = async () => {}) => {
    clock += 60_000;
    const listRecent = async () => {
      const listed = await host.listRecent();
      await meanwhile();
      return listed;
    };
    return sync(async () => ({ ...host, listRecent }));
  };
  const seen = async () =>
    (await listPulls(actor, { product_id: run.productId })).pulls.map(({ number, ci }) => `${number} ${ci}`).sort();
  const returns = async () => {
    const rows = await t.query`select summary from job_reviews where product_id = ${run.productId} order by created_at`;
    return rows.map(({ summary }) => String(summary));
  };
  const say = (pull: FakePull | undefined, state: "passed" | "failed") => {
    if (pull) pull.ci = { sha: forge.headOf(pull.branch), state, log: "FAIL a" };
  };
  return { forge, poll, seen, returns, say, lines };
}

export function pullOf(number: number, branch: string): FakePull {
  const texts = { branch, base: "main", title: "Work", body: "", labels: [], reviewers: [] };
  const state = { isDraft: false, state: "open" as const, mergeable: true, ci: null };
  return { ...texts, ...state, number, comments: [] };
}
