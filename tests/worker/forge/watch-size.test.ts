import { describe, expect, it } from "vitest";
import { type ForgeKind, forgeKinds } from "../../../worker/base/forge-kinds";
import { openJournal } from "../../../worker/base/journal";
import { openForgejo } from "../../../worker/forge/forgejo/forgejo";
import { openGitHub } from "../../../worker/forge/github/github";
import { openGitLab } from "../../../worker/forge/gitlab/gitlab";
import { locationOf } from "../../../worker/forge/location";
import { openRequests } from "../../../worker/forge/requests";
import { openPullSync } from "../../../worker/forge/sync-pulls";
import { connectService } from "../../../worker/service/service";
import { gitIn, openStage } from "../fixture";
import { type ForgeWorld, openForgeWorlds, tokenOf } from "./world";

const { t, app, ada, token, home } = await openStage();
const openers = { github: openGitHub, gitlab: openGitLab, forgejo: openForgejo };
const branch = "backloom/ST-1";
const worlds = await openForgeWorlds(home);

/** Looks as a worker does, by a clock of the test's: each look is a minute after the one before. */
async function watcher(kind: ForgeKind, code = `IDLE-${kind}`) {
  const world = worlds[kind];
  gitIn(world.bare)("branch", "--force", branch, "main");
  const product = await t.seedProduct(ada, { p_code: code, p_repo_url: world.remote });
  const place = locationOf(world.remote, kind, undefined);
  const secret = tokenOf(kind);
  const headers = { authorization: `Bearer ${secret}`, "user-agent": "test" };
  const forge = openers[kind](place, openRequests({ api: place.api, title: kind, headers, secret }));
  const journal = openJournal(() => undefined);
  const service = connectService({ url: app.origin, token }, journal, (text) => text, new AbortController().signal);
  let clock = 0;
  const look = openPullSync({ service, journal }, product.id, () => clock);
  const poll = async () => {
    clock += 60_000;
    world.requests.length = 0;
    await look(async () => forge);
    return world.requests.map(({ status }) => status);
  };
  return { world, poll };
}

/** Git is asked once for all of them: the Git host, in this process, answers no one. */
function addPulls(world: ForgeWorld, count: number) {
  const sha = gitIn(world.bare)("rev-parse", "main");
  for (let number = 1; number <= count; number += 1) addPull(world, number, sha);
}

function addPull(world: ForgeWorld, number: number, sha: string) {
  const ci = { sha, state: "passed" as const, log: "" };
  const texts = { branch, base: "main", title: "Work", body: "", labels: [], reviewers: [] };
  const state = { isDraft: false, state: "open" as const, mergeable: true, ci, comments: [] };
  world.pulls.push({ ...texts, ...state, number });
}

describe.each(forgeKinds)("%s", (kind) => {
  it("An idle repository with a word from outside costs no request that counts, for an hour", async () => {
    const { world, poll } = await watcher(kind);
    addPulls(world, 1);
    world.pulls[0]?.comments.push({ id: 1, author: "stranger", body: "Nice" });
    expect(await poll()).toContain(200);
    const hour: number[] = [];
    for (let minute = 0; minute < 60; minute += 1) hour.push(...(await poll()));
    expect(hour.length).toBeGreaterThanOrEqual(60);
    expect(new Set(hour)).toEqual(new Set([304]));
  }, 120_000);
});

it("A look at 1,000 open pull requests takes fewer than ten requests", async () => {
  const { world, poll } = await watcher("github", "MANY");
  world.pulls.length = 0;
  addPulls(world, 1_000);
  for (let minute = 0; minute < 3; minute += 1) {
    const asked = await poll();
    expect(asked.length).toBeGreaterThan(1);
    expect(asked.length).toBeLessThan(10);
  }
}, 240_000);

it("Each open pull request is read within three looks, no matter how many were merged before", async () => {
  const { world, poll } = await watcher("github", "OLD");
  world.pulls.length = 0;
  addPulls(world, 90);
  for (const pull of world.pulls.slice(6)) pull.state = "merged";
  const inspected = new Set<string>();
  for (let minute = 0; minute < 3; minute += 1) {
    await poll();
    for (const { path } of world.requests) {
      if (/\/pulls\/\d+$/.test(path)) inspected.add(path);
    }
  }
  expect(inspected.size).toBe(6);
}, 120_000);
