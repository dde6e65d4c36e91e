import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { type Contest, compare } from "../http/compare";
import { requestOf } from "../http/load";
import { memoryFloor, withBoth } from "../http/programs";
import { type Installation, withInstallation } from "../installation";
import { verdict } from "../streams/statistics";
import { isWanted } from "../wanted";
import { type Dataset, diffLines, fill } from "./dataset";
import { open, type Page, rowsOf, weigh } from "./weight";

const root = join(import.meta.dirname, "../..");

/** Pages of a signed-in person against those of a Remix program that has nothing else. */
async function main(installation: Installation): Promise<void> {
  buildReference();
  const dataset = await fill(installation.sql, installation.sessionSecret);
  const reference = join(import.meta.dirname, "bare-front.mjs");
  await withBoth(installation, [reference], async (service, bare, pids) => {
    await checkPages(dataset, service.port);
    for (const contest of contestsOf(dataset, service.port, bare.port)) {
      if (isWanted(contest.name)) await compare(contest, pids);
    }
    console.log(await memoryFloor("the pages", [service]));
  });
}

function buildReference(): void {
  const remix = join(root, "node_modules/@remix-run/dev/dist/cli.js");
  const config = join(import.meta.dirname, "bare-remix/vite.config.ts");
  const result = spawnSync(process.execPath, [remix, "vite:build", "--config", config], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, NODE_ENV: "production" },
  });
  if (result.status !== 0) throw new Error(`${result.stderr}\n${result.stdout}`);
}

/** A page that lacks its rows would be fast for the wrong reason. */
async function checkPages(dataset: Dataset, port: number): Promise<void> {
  const client = join(root, "build/pages/client");
  const expected = [
    ["board", dataset.boardPath, 55],
    ["backlog", dataset.backlogPath, 60],
  ] as const;
  for (const [name, path, count] of expected) {
    const page = await open(port, path, dataset.cookie);
    const found = rowsOf(page.html).length;
    if (page.status !== 200 || found !== count) {
      throw new Error(`${name}: status ${page.status} with ${found} rows instead of ${count}`);
    }
    console.log(await weigh(name, page, client));
  }
  const [changes, took] = await openFirst(port, dataset.changesPath, dataset.cookie);
  const lines = changes.html.match(/<div class="l [ad]"/g)?.length ?? 0;
  if (lines !== diffLines) throw new Error(`changes: ${lines} lines instead of ${diffLines}`);
  console.log(`${await weigh("changes", changes, client)}; the first time in ${took} ms`);
  for (const { path, entries, bytes } of dataset.transcripts) {
    const [page, took] = await openFirst(port, path, dataset.cookie);
    const shown = page.html.match(/<li [^>]*data-kind/g)?.length ?? 0;
    if (shown === 0) throw new Error(`transcript: none of ${entries} entries`);
    const kilobytes = Math.round(page.html.length / 1024);
    const name = `transcript of ${entries} entries of ${bytes} bytes`;
    console.log(`${name}: ${shown} shown, ${kilobytes} KB`);
    console.log(verdict(`${name}, the first time in ms`, took, 1_000, "lower"));
  }
}

async function openFirst(port: number, path: string, cookie: string): Promise<[Page, number]> {
  const began = performance.now();
  const page = await open(port, path, cookie);
  return [page, Math.round(performance.now() - began)];
}

/** Each page against one of bare Remix with as many rows; then against its static one, as far as that says something. */
function contestsOf(dataset: Dataset, service: number, bare: number): Contest[] {
  const against = (name: string, path: string, { twin = "/", connections = 32, requests = 0 }): Contest => ({
    name: `${name}, ${connections} connections`,
    floors: requests > 0 ? { requests } : {},
    connections,
    next: () => requestOf("GET", path, `Cookie: ${dataset.cookie}`),
    nextBare: () => requestOf("GET", twin, ""),
    service,
    bare,
  });
  const [board, backlog] = ["sprint board of 50 tasks", "backlog of 440 rows"];
  const { boardPath, backlogPath, changesPath } = dataset;
  return [
    against(board, boardPath, { twin: "/board", requests: 0.18 }),
    against(backlog, backlogPath, { twin: "/backlog", requests: 0.4 }),
    against("changes of 5,000 lines", changesPath, { connections: 4 }),
    against(board, boardPath, { twin: "/board", connections: 1 }),
    against(backlog, backlogPath, { twin: "/backlog", connections: 1 }),
  ];
}

await withInstallation(main);
