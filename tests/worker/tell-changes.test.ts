import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { updateProduct } from "~/nouns/products/operations.server";
import { openStage, startRun } from "./fixture";

const { t, ada, repo, git, serveOnce } = await openStage("--heartbeat", "0.3");

function commit(title: string, ...paths: string[]) {
  for (const path of paths) {
    mkdirSync(join(repo, path, ".."), { recursive: true });
    writeFileSync(join(repo, path), `${title}\n`);
  }
  git("-C", repo, "add", "-A");
  git("-C", repo, "-c", "user.name=Ada", "-c", "user.email=ada@localhost", "commit", "--quiet", "-m", title);
}

const known = (productId: string) => t.query`select c.title, c.paths from known_changes c
  join change_indexes x on x.id = c.index_id where x.product_id = ${productId} and c.task_id is null order by c.place limit 3`;

it("A worker tells titles and paths of main once a head, without lock files, changelogs, what is gone and former names", {
  timeout: 120_000,
}, async () => {
  commit("Say more in errors", "app/errors.ts", "package-lock.json", "CHANGELOG.md", "app/gone.ts");
  git("-C", repo, "rm", "--quiet", "app/gone.ts");
  commit("Bump left-pad from 1 to 2", "app/errors.ts");
  commit("Make it fast", "app/fast.ts", "app/slow.ts", "dist/fast.js");
  git("-C", repo, "mv", "app/slow.ts", "app/quick.ts");
  commit("Call it quick");
  const run = await startRun(t, ada, { code: "KNOWN" });
  await serveOnce("KNOWN", ["--repo", repo, "--name", "KNOWN", "--exec", "echo x > x.txt"]);
  expect(await known(run.productId)).toEqual([
    { title: "Call it quick", paths: ["app/quick.ts"] },
    { title: "Make it fast", paths: ["app/fast.ts"] },
    { title: "Say more in errors", paths: ["app/errors.ts"] },
  ]);
  // Never who did it.
  const all = await t.query`select to_jsonb(c) as change from known_changes c`;
  expect(JSON.stringify(all)).not.toMatch(/ada/i);
  const quiet = await startRun(t, ada, { code: "QUIET" });
  await updateProduct(t.actorOf(ada), { product_id: quiet.productId, change_index: false });
  await serveOnce("QUIET", ["--repo", repo, "--name", "QUIET", "--exec", "echo y > y.txt"]);
  expect(await known(quiet.productId)).toEqual([]);
});
