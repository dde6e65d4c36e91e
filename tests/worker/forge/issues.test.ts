import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { updateProduct } from "~/nouns/products/operations.server";
import { forgeKinds } from "../../../worker/base/forge-kinds";
import { openStage } from "../fixture";
import { flags } from "../flags";
import { startWorker } from "../worker-process";
import { openForgeWorld, tokenOf } from "./world";

const { t, app, ada, token, home } = await openStage();
const patience = { timeout: 90_000, interval: 200 };

describe.each(forgeKinds)("%s", (kind) => {
  it("Labeled issues reach Triage, each once, with two workers that look and one that is killed", async () => {
    const forge = await openForgeWorld(kind, home);
    const seed = forge.clone(join(home, `rules-${kind}`));
    writeFileSync(join(home, `rules-${kind}`, ".backloom.yml"), `forge: ${kind}\n`);
    seed("add", ".");
    seed("commit", "--quiet", "-m", "Rules");
    forge.push(seed);
    const code = `ISSUES-${kind}`;
    const product = await t.seedProduct(ada, { p_code: code, p_repo_url: forge.remote });
    const open = (number: number, label = "backlog") =>
      forge.issues.push({ number, label, title: `Issue ${number}`, body: "It\u0000 breaks" });
    for (let number = 1; number <= 130; number += 1) open(number);
    open(131, "other");
    const watcher = (name: string) => {
      const repo = join(home, `${name}-${kind}`);
      forge.clone(repo);
      const place = ["--url", app.origin, "--token", token, "--repo", repo, "--product", code];
      return startWorker(
        [
          ...place,
          ...flags({ "work-dir": join(home, `work-${name}-${kind}`), name, exec: "true", sandbox: "off" }),
          "--pr",
        ],
        { BACKLOOM_FORGE_TOKEN: tokenOf(kind), BACKLOOM_FORGE_POLL_SECONDS: "2" },
      );
    };
    const titles = async () => {
      const rows = await t.query`select title, code from stories where product_id = ${product.id}
        and in_triage order by sort_order`;
      return rows.map(({ title }) => title);
    };
    const first = watcher("first");
    watcher("second");
    const asked = () => forge.requests.filter(({ path }) => path.endsWith("/issues"));
    await expect.poll(() => forge.requests.length, patience).toBeGreaterThan(4);
    // Without a label no one asks for issues.
    expect([asked(), await titles()]).toEqual([[], []]);
    await updateProduct(t.actorOf(ada), { product_id: product.id, forge_issue_label: "backlog" });
    await expect.poll(async () => (await titles()).length, patience).toBe(130);
    expect(new Set(await titles()).size).toBe(130);

    // What did not change is not sent again.
    const before = asked().length;
    await expect.poll(() => asked().length, patience).toBeGreaterThan(before + 8);
    expect(
      new Set(
        asked()
          .slice(-4)
          .map(({ status }) => status),
      ),
    ).toEqual(new Set([304]));

    await first.end("SIGKILL");
    const closed = forge.issues.splice(10, 1);
    forge.issues.push(...closed.map((issue) => ({ ...issue, isClosed: true })));
    open(132);
    await expect.poll(titles, patience).toContain("Issue 132");
    await expect.poll(titles, patience).not.toContain("Issue 11");
    expect(await titles()).toHaveLength(130);
    expect(await titles()).not.toContain("Issue 131");
  }, 300_000);
});
