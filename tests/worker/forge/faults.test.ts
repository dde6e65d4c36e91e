import { describe, expect, it } from "vitest";
import { type ForgeKind, forgeKinds } from "../../../worker/base/forge-kinds";
import { openStage } from "../fixture";
import { openPullSyncScene, pullOf } from "./pull-sync-scene";

const { t, app, home } = await openStage();

const scene = (kind: ForgeKind, place: string, count = 1) => openPullSyncScene({ t, app, home }, kind, place, count);

const ciPlace = { github: /\/check-runs$/, gitlab: /\/pipelines\/\d+\/jobs$/, forgejo: /\/status$/ };
const list = /\/(pulls|merge_requests)$/;
const detail = /\/(pulls|merge_requests)\/\d+$/;

describe.each(forgeKinds)("a look at %s", (kind) => {
  it("A look at the Git host continues where the login may not read CI", async () => {
    const { forge, poll, seen, returns, say } = await scene(kind, "forbidden");
    say(forge.pulls[0], "failed");
    forge.faults.push({ method: "GET", path: ciPlace[kind], status: 403 });
    if (kind === "github") {
      forge.faults.push({ method: "GET", path: /\/actions\/runs$/, status: 403 });
    }
    await poll();
    // GitLab's pipeline says that it failed before anyone asks for its jobs.
    expect(await seen()).toEqual([kind === "gitlab" ? "1 failed" : "1 none"]);
    await poll();
    expect(await seen()).toEqual(["1 failed"]);
    expect(await returns()).toHaveLength(1);
  });

  it("A look at the Git host waits when told that it asks too much, and repeats what failed for a moment", async () => {
    const { forge, poll, returns, say } = await scene(kind, "limits");
    say(forge.pulls[0], "failed");
    const headers = { "retry-after": "1" };
    forge.faults.push(
      { method: "GET", path: list, status: 429, headers },
      { method: "GET", path: list, status: 502 },
      { method: "GET", path: detail, status: 403, headers },
      { method: "GET", path: detail, status: 500 },
      { method: "GET", path: detail, isLost: true },
    );
    // A lost answer ends the look; the next one begins again.
    await expect(poll()).rejects.toThrow("does not answer");
    await poll();
    expect(forge.faults).toEqual([]);
    expect(await returns()).toHaveLength(1);
    // It is named when it will go on again, where that is long.
    const reset = String(Math.ceil(Date.now() / 1_000) + 3_000);
    const spent = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset };
    forge.faults.push({ method: "GET", path: list, status: 403, headers: spent });
    await expect(poll()).rejects.toThrow(/takes no more requests of this login until/);
  });

  it("A look at the Git host hands in the other pull requests where one cannot be read", async () => {
    const { forge, poll, seen, say } = await scene(kind, "broken", 3);
    for (const pull of forge.pulls) say(pull, "passed");
    forge.faults.push({ method: "GET", path: /\/(pulls|merge_requests)\/2$/, status: 404 });
    await expect(poll()).rejects.toThrow("404");
    expect(await seen()).toEqual(["1 passed", "3 passed"]);
    await poll();
    expect(await seen()).toEqual(["1 passed", "2 passed", "3 passed"]);
  });

  it("A look at the Git host gives up on an answer that does not come, and the next one continues", async () => {
    const { forge, poll, seen } = await scene(kind, "slow");
    forge.faults.push({ method: "GET", path: detail, held: { when: "before", reached() {} } });
    await expect(poll()).rejects.toThrow("does not answer");
    await poll();
    expect(await seen()).toEqual(["1 none"]);
  }, 120_000);

  it("A look at the Git host sees CI of an open pull request that is off the list of recent changes", async () => {
    const { forge, poll, seen, returns, say } = await scene(kind, "busy");
    await poll();
    expect(await seen()).toEqual(["1 none"]);
    const others = Array.from({ length: 120 }, (_, place) => ({
      ...pullOf(place + 2, "main"),
      state: "closed" as const,
    }));
    if (kind === "forgejo") forge.pulls.push(...others);
    else forge.pulls.unshift(...others);
    say(
      forge.pulls.find(({ number }) => number === 1),
      "failed",
    );
    await poll();
    expect(await returns()).toHaveLength(1);
  });
});
