import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { claimAgentJob, reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { listLandings } from "~/nouns/landings/operations.server";
import { readOptions } from "../../../worker/base/options";
import { takeWorkFolder } from "../../../worker/base/work-folder";
import { landBranches } from "../../../worker/landing/land-branches";
import { openSandbox } from "../../../worker/sandbox/open-sandbox";
import { findServedProduct } from "../../../worker/service/served-product";
import { connectService } from "../../../worker/service/service";
import { gitIn, makeRepository, openStage, startRun } from "../fixture";
import { flags } from "../flags";
import { redCommits } from "./landing-world";

/** How many runs, and where their numbers begin: `LANDING_RUNS=1000 LANDING_SEED=1 npx vitest run tests/worker/forge/landing-random.test.ts`. */
const runs = Number(process.env.LANDING_RUNS ?? 2);
const firstSeed = Number(process.env.LANDING_SEED ?? 1);
const branches = 20;

const { t, app, ada, actor, token, home } = await openStage();

/** The same numbers for the same seed. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

/** `a<n>` and `b<n>` do not go together unless there is a `both<n>`. */
const check = `for a in a[0-9]*; do n=\${a#a}; if [ -f "$a" ] && [ -f "b$n" ] && [ ! -f "both$n" ]; then echo "$n is red"; exit 1; fi; done\n`;

function openRepository(code: string) {
  const bare = join(home, `${code}.git`);
  const folder = join(home, code);
  const git = makeRepository(folder);
  writeFileSync(join(folder, "check.sh"), check);
  writeFileSync(join(folder, "line.txt"), "begin\n");
  writeFileSync(join(folder, ".backloom.yml"), "test: sh check.sh\n");
  git("add", ".");
  git("commit", "--quiet", "-m", "Rules");
  gitIn(home)("clone", "--quiet", "--bare", folder, bare);
  git("remote", "add", "origin", bare);
  git("fetch", "--quiet", "origin");
  git("remote", "set-head", "origin", "main");
  const agents = join(home, `${code}-agents`);
  gitIn(home)("clone", "--quiet", bare, agents);
  return { bare, workers: folder, folder: agents, git: gitIn(agents) };
}

/** An agent that works on its branch as its number says, and mends what returns. */
function work(
  { folder, git }: ReturnType<typeof openRepository>,
  branch: string,
  told: string,
  random: (below: number) => number,
): string {
  git("fetch", "--quiet", "--prune", "origin");
  const isThere = git("branch", "--remotes", "--list", `origin/${branch}`) !== "";
  git("checkout", "--quiet", "--force", "-B", "work", isThere ? `origin/${branch}` : "origin/main");
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const read = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : "");
  if (told !== "") {
    // Anyone who repairs begins with what is on the main branch.
    try {
      git("merge", "--quiet", "-m", "Merge main", "origin/main");
    } catch {
      write("line.txt", `${read("line.txt").replace(/^[<=>]{7}.*\n/gm, "")}`);
      git("add", ".");
      git("commit", "--quiet", "-m", "Merge main");
    }
    for (const [, number] of told.matchAll(/(\d+) is red/g)) write(`both${number}`, "yes\n");
  } else {
    const number = random(4);
    const kind = random(4);
    if (kind === 0) write("line.txt", `${branch}\n`);
    else if (kind === 1) write(`a${number}`, `${branch}\n`);
    else if (kind === 2) write(`b${number}`, `${branch}\n`);
    else write(`own-${branch.replaceAll("/", "-")}`, "own\n");
  }
  git("add", ".");
  git("commit", "--quiet", "--allow-empty", "-m", `Work on ${branch}`);
  git("push", "--quiet", "origin", `HEAD:refs/heads/${branch}`);
  return git("rev-parse", "HEAD");
}

/** A worker that lands, in this process, until asked to end. */
async function startLander(code: string, name: string, folder: string) {
  const options = {
    ...readOptions(
      [
        ...flags({ url: app.origin, token, repo: folder, product: code, exec: "true", sandbox: "off" }),
        ...flags({ land: true, "work-dir": join(home, name) }),
      ],
      {},
    ),
    forgePollSeconds: 0.05,
  };
  const stop = new AbortController();
  const journal = { say: () => undefined, sayOnce: () => undefined };
  const clean = (text: string) => text;
  const service = connectService(options, journal, clean, new AbortController().signal);
  const workFolder = await takeWorkFolder(options.workDir, name);
  const sandboxes = await openSandbox(options, workFolder, "true");
  const product = await findServedProduct(options, service, stop.signal);
  const tools = { options, service, journal, folder: workFolder, sandboxes, clean };
  const ended = landBranches(tools, product, stop.signal);
  return {
    async end() {
      stop.abort();
      await ended;
      await service.close();
      await workFolder.release();
    },
  };
}

it.each(Array.from({ length: runs }, (_, place) => firstSeed + place))(
  "Run %i: In a random merge queue main is never red, and every branch ends landed or with a question",
  async (seed) => {
    const random = numbersFrom(seed);
    const code = `RANDOM-${seed}`;
    const place = openRepository(code);
    const run = await startRun(t, ada, {
      code,
      strategy: "STORY",
      product: { landing: "queue" },
      stories: Array.from({ length: branches }, (_, number) => `Story ${number}`),
    });
    const landers = [
      await startLander(code, `one-${seed}`, place.workers),
      await startLander(code, `two-${seed}`, place.workers),
    ];
    const product_id = run.productId;
    for (let idle = 0; idle < 900; ) {
      const { job } = await claimAgentJob(actor, { worker: "agent", product_id });
      if (job !== null) {
        idle = 0;
        const told = job.review.map(({ body }) => body).join("\n");
        const head_sha = work(place, job.branch ?? "", told, random);
        const { id: job_id, attempt } = job;
        const done = { status: "done" as const, verify_result: "ALIGNED" as const, head_sha };
        await reportAgentJob(actor, { job_id, attempt, ...done });
        // A worker falls silent in the middle: another one takes over what it has.
        if (random(4) === 0) {
          await t.query`update landings set lease_until = now() where product_id = ${product_id}`;
        }
        // A person pushes past the queue.
        if (random(8) === 0) pushPast(place, random);
        continue;
      }
      const { queue } = await listLandings(actor, { product_id });
      if (queue.length === 0) break;
      idle += 1;
      await wait(100);
    }
    await Promise.all(landers.map((lander) => lander.end()));

    expect(redCommits(place.bare)).toEqual([]);
    const rows = await t.query`
      select j.branch, j.status, j.merged_at is not null as merged, j.parked_question_id is not null as asks, j.head_sha
      from agent_jobs j where j.product_id = ${product_id}`;
    expect(rows).toHaveLength(branches);
    for (const { branch, merged, asks, head_sha } of rows) {
      const ends = await t.query`select state, words, tries, lease_until from landings
        where product_id = ${product_id} and branch = ${branch} order by created_at`;
      expect([branch, merged || asks], JSON.stringify(ends)).toEqual([branch, true]);
      if (merged) gitIn(place.bare)("merge-base", "--is-ancestor", head_sha, "main");
    }
    const active = await t.query`select 1 from landings where product_id = ${product_id} and finished_at is null`;
    expect(active).toEqual([]);
  },
  600_000,
);

/** What no one has tested, and breaks nothing. */
function pushPast({ folder, git }: ReturnType<typeof openRepository>, random: (below: number) => number) {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    git("fetch", "--quiet", "origin");
    git("checkout", "--quiet", "--force", "-B", "person", "origin/main");
    writeFileSync(join(folder, `person-${random(1_000_000)}`), "by hand\n");
    git("add", ".");
    git("commit", "--quiet", "-m", "By hand");
    try {
      git("push", "--quiet", "origin", "HEAD:refs/heads/main");
      return;
    } catch {
      // The queue was quicker.
    }
  }
}
