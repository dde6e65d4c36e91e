import { describe, expect, it } from "vitest";
import { type ForgeKind, forgeKinds } from "../../../worker/base/forge-kinds";
import { at } from "../../setup/world";
import { openStage } from "../fixture";
import { openPullSyncScene } from "./pull-sync-scene";
import type { FakeComment } from "./world";

const { t, app, home } = await openStage();
const scene = (kind: ForgeKind, place: string) => openPullSyncScene({ t, app, home }, kind, place);
const grace = { author: "grace" as const };

describe.each(forgeKinds)("a look at %s", (kind) => {
  it("The words of a request for changes on a pull request reach the agent once", async () => {
    const { forge, poll, returns } = await scene(kind, "words");
    const remark: FakeComment = { ...grace, id: 1, body: "REVIEW-LINE" };
    const verdict: FakeComment = { ...grace, id: 2, body: "REVIEW-BODY", isVerdict: true };
    forge.pulls[0]?.comments.push(remark, verdict);
    await poll();
    await poll();
    const words = await returns();
    expect(words).toHaveLength(1);
    expect(words[0]).toContain("    | REVIEW-LINE");
    expect(words[0]).toContain("    | REVIEW-BODY");
  }, 60_000);

  it("An older list of pull requests does not overrule what was seen since", async () => {
    const { forge, poll, seen } = await scene(kind, "late");
    await poll(async () => {
      at(forge.pulls, 0).state = "closed";
      await poll();
    });
    expect(await seen()).toEqual([]);
  }, 60_000);

  it("The log of a red CI is read once, no matter how often a worker looks", async () => {
    const { forge, poll, say, returns } = await scene(kind, "logs");
    say(forge.pulls[0], "failed");
    for (let look = 0; look < 5; look += 1) await poll();
    expect(await returns()).toHaveLength(1);
    const logs = forge.requests.filter(({ path }) => /\/(logs|trace)$/.test(path));
    // Forgejo says it with the status.
    expect(logs).toHaveLength(kind === "forgejo" ? 0 : 1);
  }, 60_000);
});

it("Runs of GitHub Actions are seen where the login may not read checks, and the worker says so", async () => {
  const { forge, poll, seen, say, returns, lines } = await scene("github", "fine");
  const forbidden = { method: "GET", path: /\/check-runs$/, status: 403 };
  for (let look = 0; look < 3; look += 1) forge.faults.push({ ...forbidden });
  say(forge.pulls[0], "passed");
  await poll();
  expect(await seen()).toEqual(["1 passed"]);
  expect(lines.filter((line) => line.includes("does not let this login read checks"))).toHaveLength(1);
  say(forge.pulls[0], "failed");
  const pull = forge.pulls[0];
  if (pull) pull.comments.push({ author: "stranger", id: 9, body: "So that it is looked at" });
  await poll();
  expect(await seen()).toEqual(["1 failed"]);
  expect((await returns())[0]).toContain("    | FAIL a");
}, 60_000);

it("A review at Forgejo that is not submitted is shown to no one", async () => {
  const { forge, poll, returns } = await scene("forgejo", "pending");
  forge.pulls[0]?.comments.push({ ...grace, id: 1, body: "Not yet", isPending: true });
  await poll();
  expect(await returns()).toEqual([]);
}, 60_000);
