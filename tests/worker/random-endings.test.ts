import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { numbersFrom } from "../setup/drawn-numbers";
import { makeSmallDisk } from "../setup/small-disk";
import { at } from "../setup/world";
import { makeBarrier } from "./barrier";
import { gitIn, makeRepository, openStage, startRun } from "./fixture";
import { flags } from "./flags";

const { t, ada, home, serve } = await openStage();
const endings = Number(process.env.ENDINGS ?? 12);
const seed = Number(process.env.ENDINGS_SEED ?? Date.now() % 1_000_000);

type Scene = { folder: string; repo: string; git: ReturnType<typeof gitIn> };

/** What the repository is like, and the last lines of the agent. */
type Ending = { before?: (scene: Scene) => void; script: string; words?: string[] };

const commit = "git -c user.name=A -c user.email=a@example.com -c commit.gpgsign=false commit -q";

const plain: Record<string, Ending> = {
  fails: { script: "exit 3" },
  "is limited": { script: `echo '{"failure_class":"rate_limited"}' > "$BACKLOOM_RESULT_FILE"` },
  "fails its test": { script: "true", words: ["--test", "exit 1"] },
  "is done": { script: "true" },
  "cannot sign": {
    before: ({ git }) => {
      git("config", "commit.gpgsign", "true");
      git("config", "user.signingkey", "0xDEADBEEF");
    },
    script: "true",
  },
  "is refused by a hook": {
    before: ({ repo }) => {
      for (const name of ["prepare-commit-msg", "pre-push", "commit-msg"]) {
        writeFileSync(join(repo, ".git/hooks", name), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
      }
    },
    script: "true",
    words: ["--hooks"],
  },
  "makes a repository inside": {
    script: `mkdir -p in/side; mv work.txt in/side; cd in/side; git init -q; git add .; ${commit} -m Inner`,
  },
  "leaves a merge half done": {
    script: [
      `git add .; ${commit} -m Ours; ours=$(git rev-parse HEAD)`,
      // From the main branch, so that a second turn meets the conflict again and does not overwrite its work.
      "git checkout -q --detach main; echo theirs > work.txt; git add -f work.txt",
      `${commit} -m Theirs; theirs=$(git rev-parse HEAD); git checkout -q -`,
      "git -c user.name=A -c user.email=a@example.com merge -q $theirs; true",
    ].join("\n"),
  },
  "has something else checked out": { script: `git add .; ${commit} -m Ours; git checkout -q --detach HEAD~1; exit 1` },
};

/** The branches, here and in the remote, whose files hold the text, and the folder that the job names. */
function placesOf(text: string, scene: Scene, words: string): string[] {
  const origin = join(scene.folder, "origin.git");
  const stores = [scene.repo, ...(existsSync(origin) ? [origin] : [])];
  const branches = stores.flatMap((store) => {
    const git = gitIn(store);
    const names = git("for-each-ref", "--format=%(refname)", "refs/heads/backloom").split("\n");
    return names.filter((name) => {
      const holds = () => git("grep", "--quiet", text, name) === "";
      try {
        return name !== "" && holds();
      } catch {
        return false;
      }
    });
  });
  const folder = /Work that could not be kept is in (\S+) on/.exec(words)?.[1];
  const file = folder === undefined ? "" : join(folder, "work.txt");
  return existsSync(file) && readFileSync(file, "utf8").includes(text) ? [...branches, file] : branches;
}

it(`The work of ${endings} attempts is kept, however each ends (seed ${seed})`, {
  timeout: 120_000 + endings * 60_000,
}, async () => {
  const roll = numbersFrom(seed);
  const names = [...Object.keys(plain), "is killed", "has no disk left"];
  const offset = roll(names.length);
  for (let number = 0; number < endings; number += 1) {
    // In turn, so that a short run has each of them; how, is left to chance.
    const name = at(names, (number + offset) % names.length);
    const disk = name === "has no disk left" ? makeSmallDisk(40) : undefined;
    const folder = disk?.folder ?? join(home, `ending-${number}`);
    mkdirSync(folder, { recursive: true });
    const how = { hasRemote: roll(2) === 1, commits: roll(2) === 1 };
    await playOne(name, number, folder, how).catch((error: unknown) => {
      throw new Error(`Ending ${number} of seed ${seed} (${name}, ${JSON.stringify(how)})`, { cause: error });
    });
    if (disk === undefined) rmSync(folder, { recursive: true, force: true });
    else disk.remove();
  }
});

async function playOne(
  name: string,
  number: number,
  folder: string,
  { hasRemote, commits }: { hasRemote: boolean; commits: boolean },
): Promise<void> {
  const repo = join(folder, "repo");
  const git = makeRepository(repo);
  const scene = { folder, repo, git };
  if (hasRemote) {
    git("clone", "--quiet", "--bare", repo, join(folder, "origin.git"));
    git("remote", "add", "origin", join(folder, "origin.git"));
  }
  const code = `END${number}`;
  const run = await startRun(t, ada, { code });
  const text = `the work of ${code} of ${seed}`;
  const hold = makeBarrier(join(folder, "hold"));
  const special: Record<string, Ending> = {
    "is killed": { script: hold.script },
    "has no disk left": { script: `cat /dev/zero > ${folder}/filler 2>/dev/null; true`, words: ["--disk", "100"] },
  };
  const ending = plain[name] ?? special[name] ?? { script: "true" };
  ending.before?.(scene);
  const own = commits ? `git add work.txt && ${commit} -m Mine; echo more >> work.txt` : "true";
  const start = (exec: string) =>
    serve(code, [
      ...flags({ "work-dir": join(folder, "work"), once: true, repo, name: code }),
      ...(ending.words ?? []),
      ...flags({ exec }),
    ]);
  const worker = start(`echo '${text}' > work.txt\n${own}\n${ending.script}`);
  if (name === "is killed") {
    await hold.reached(worker.output);
    worker.process.kill("SIGKILL");
  }
  await worker.ended;
  rmSync(join(folder, "filler"), { force: true });
  if (name === "is killed") await start("true").ended;
  const job = await getAgentJob(t.actorOf(ada), { job_id: at((await run.read()).jobs, 0).id });
  const words = `${job.failure_reason ?? ""}\n${worker.output()}`;
  expect(placesOf(text, scene, words), words).not.toEqual([]);
}
