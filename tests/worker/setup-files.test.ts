import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { listIncluded } from "../../worker/git/included";
import { readRulesOf } from "../../worker/git/rules";
import { changedScript } from "../../worker/job/commands";
import { readSetup } from "../../worker/setup/read-setup";
import { tablesWith } from "../db/tables-with";
import { gitIn, openStage, startRun } from "./fixture";
import { sandboxProblem } from "./sandbox-scene";
import { workerFile } from "./worker-process";

const { t, ada, home, repo, git, serveOnce } = await openStage("--heartbeat", "1");
const mebibyte = "x".repeat(1024 * 1024);
const codex = ".codex/environments/environment.toml";

/** Makes the main branch have these files alone; a text that begins with `->` is a link. */
function commit(files: Record<string, string>): void {
  git("rm", "-rqf", "--ignore-unmatch", ".");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(repo, dirname(path)), { recursive: true });
    if (text.startsWith("->")) symlinkSync(text.slice(2), join(repo, path));
    else writeFileSync(join(repo, path), text);
  }
  git("add", "--force", ...Object.keys(files));
  git("commit", "--quiet", "--allow-empty", "-m", "Files");
}

/** Taken as "key path: command", and the reasons why the rest is not. */
async function readAt(source: string | null = repo) {
  const rules = await readRulesOf(repo, "main");
  const { report, ...setup } = await readSetup(repo, "main", rules, source);
  const taken = report.taken.map(({ key, path, command }) => `${key} ${path}: ${command}`);
  const lost = report.left_out.map(({ path, reason }) => `${path}: ${reason}`);
  return { taken, lost, report, ...setup };
}

const own = "setup: make\ncleanup: make clean\n";
const two = { "package.json": '{"packageManager":"npm@10"}', "package-lock.json": "{}", "yarn.lock": "" };
const cases: [name: string, files: Record<string, string>, taken: string[], lost: string[]][] = [
  ["nothing", { "README.md": "npm ci" }, [], []],
  [
    "our own rules first",
    { ".backloom.yml": own, [codex]: '[setup]\nscript = "npm i"' },
    ["setup .backloom.yml: make", "cleanup .backloom.yml: make clean"],
    [`${codex}: setup: would run \`npm i\`, taken \`make\` of .backloom.yml`],
  ],
  [
    "setup: none",
    { ".backloom.yml": "setup: none\n", "package-lock.json": "{}", "package.json": "{}" },
    ["setup .backloom.yml: none"],
    [],
  ],
  [
    "unknown keys",
    { ".backloom.yml": "setpu: x\npreview: { run: x, prot: 1 }\n" },
    ["preview .backloom.yml: x"],
    [".backloom.yml: setpu means nothing here", ".backloom.yml: preview.prot means nothing here"],
  ],
  [
    "Codex",
    {
      [codex]:
        'version = 1\nextra = 1\n[setup]\nscript = "a"\n[setup.linux]\nscript = "b"\n[setup.darwin]\nscript = "b"\n[cleanup]\nscript = "c"',
    },
    [`setup ${codex}: b`, `cleanup ${codex}: c`],
    [],
  ],
  [
    "Codex, empty",
    { [codex]: 'version = 1\nname = "x"\n[setup]\nscript = ""' },
    [],
    [`${codex}: it names nothing to do`],
  ],
  [
    "Codex of another machine",
    { [codex]: "[setup]\nscript = '''cd \"C:\\Users\\me\\app\"\nnpm i'''" },
    [],
    [`${codex}: setup: it names a folder of another machine`],
  ],
  ["Codex, no TOML", { [codex]: "[setup\n" }, [], [`${codex}: it cannot be read: `]],
  ["Codex, 1 MB", { [codex]: `[setup]\nscript = "npm i"\n# ${mebibyte}` }, [], [`${codex}: it is larger than 64 KiB`]],
  ["Codex, a link", { [codex]: "->/etc/passwd" }, [], [`${codex}: it is a link`]],
  [
    "Conductor",
    {
      ".conductor/settings.toml":
        '[scripts]\nsetup = "pnpm i"\narchive = "x"\n[environment_variables]\nAPI_KEY = "1"\nBASE = "2"',
      "conductor.json": '{"scripts":{"setup":"y"}}',
    },
    ["setup .conductor/settings.toml: pnpm i", "cleanup .conductor/settings.toml: x"],
    [
      ".conductor/settings.toml: API_KEY looks like a secret",
      "conductor.json: .conductor/settings.toml counts instead",
    ],
  ],
  [
    "Conductor, old",
    { "conductor.json": '{"scripts":{"setup":"y", /* c */ "archive":"z",}}' },
    ["setup conductor.json: y", "cleanup conductor.json: z"],
    [],
  ],
  [
    "Superset",
    { ".superset/config.json": '{"setup":["a","b"],"teardown":["c"],"cwd":"web"}' },
    ["setup .superset/config.json: cd 'web' &&\na &&\nb", "cleanup .superset/config.json: cd 'web' &&\nc"],
    [],
  ],
  [
    "Superset outside",
    { ".superset/config.json": '{"setup":["a"],"cwd":"../.."}' },
    [],
    [".superset/config.json: its folder ../.. is outside the repository"],
  ],
  [
    "Superset's script",
    { ".superset/config.json": "{}", ".superset/setup.sh": "echo" },
    ["setup .superset/config.json: sh .superset/setup.sh"],
    [],
  ],
  [
    "Cursor",
    { ".cursor/worktrees.json": '{"setup-worktree":["w"],"setup-worktree-unix":["a","b"]}' },
    ["setup .cursor/worktrees.json: (a) &&\n(b)"],
    [],
  ],
  [
    "Cursor's script",
    { ".cursor/worktrees.json": '{"setup-worktree":"set up.sh"}', ".cursor/set.sh": "" },
    ["setup .cursor/worktrees.json: set up.sh"],
    [],
  ],
  [
    "Cursor, a script outside",
    { ".cursor/worktrees.json": '{"setup-worktree":"../../x.sh"}' },
    [],
    [".cursor/worktrees.json: its script ../../x.sh is outside the repository"],
  ],
  [
    "Cursor, no JSON",
    { ".cursor/worktrees.json": "{" },
    [],
    [".cursor/worktrees.json: it cannot be read: it is not JSON"],
  ],
  [
    "Cursor, with a byte order mark",
    { ".cursor/worktrees.json": '\uFEFF{"setup-worktree":["npm ci"]}' },
    ["setup .cursor/worktrees.json: npm ci"],
    [],
  ],
  [
    "a script behind a link",
    { "conductor.json": '{"scripts":{"setup":"sh bin/set-up"}}', bin: "->other", "other/set-up": "" },
    [],
    ["conductor.json: a script of it is behind the link bin"],
  ],
  ["a command with a NUL", { [codex]: '[setup]\nscript = "a\\u0000"' }, [], [`${codex}: setup: no shell takes it`]],
  ["Orca", { "orca.yaml": "scripts:\n  setup: |\n    a\n    b\n" }, ["setup orca.yaml: set -e\na\nb"], []],
  ["Orca, no YAML", { "orca.yaml": "scripts: [" }, [], ["orca.yaml: it cannot be read: "]],
  ["a lockfile", { "package.json": "{}", "package-lock.json": "{}" }, ["setup package-lock.json: npm ci"], []],
  [
    "a lockfile, and a package.json that is none",
    { "package.json": "{", "package-lock.json": "{}" },
    ["setup package-lock.json: npm ci"],
    ["package.json: it is not JSON"],
  ],
  ["two lockfiles and a manager", two, ["setup package-lock.json: npm ci"], []],
  [
    "two lockfiles alone",
    { ...two, "package.json": "{}" },
    [],
    [
      "package-lock.json: it is not clear which of npm and yarn installs: name one as setup: in .backloom.yml",
      "yarn.lock: it is not clear",
    ],
  ],
  ["a lockfile without its program", { "mix.lock": "" }, [], ["mix.lock: mix is not installed on this machine"]],
  [
    "the first of several",
    { ".cursor/worktrees.json": '{"setup-worktree":["npm ci"]}', "orca.yaml": "scripts: { setup: npm i, archive: z }" },
    ["setup .cursor/worktrees.json: npm ci", "cleanup orca.yaml: set -e\nz"],
    ["orca.yaml: setup: would run `set -e\nnpm i`, taken `npm ci` of .cursor/worktrees.json"],
  ],
];

it.each(cases)("Of the main branch counts what sets it up (%s)", async (_, files, taken, lost) => {
  commit(files);
  const found = await readAt();
  expect(found.taken).toEqual(taken);
  expect(found.lost.map((line, index) => line.slice(0, lost[index]?.length))).toEqual(lost);
});

it("Only other tools' files need a yes, a new one for new content, and a lockfile needs none", async () => {
  commit({ "package.json": "{}", "package-lock.json": "{}" });
  expect((await readAt()).agreement).toBeNull();
  commit({ ".gitignore": ".env\n", ".worktreeinclude": ".env\n" });
  expect(await readAt()).toMatchObject({ agreement: null, rules: { include: "" } });
  commit({ [codex]: '[setup]\nscript = "npm ci"' });
  const first = await readAt();
  expect(first.agreement?.text).toContain("npm ci");
  expect(first.withoutAgreement).toMatchObject({ setup: undefined, include: "" });
  commit({ [codex]: '[setup]\nscript = "npm ci; true"' });
  expect((await readAt()).agreement?.hash).not.toBe(first.agreement?.hash);
});

it.each([
  [".cursor/worktrees.json", '{"setup-worktree":"set-up.sh"}', ".cursor/set-up.sh", "./.cursor/set-up.sh"],
  ["conductor.json", '{"scripts":{"setup":"npm ci && bash bin/set-up"}}', "bin/set-up", "npm ci && bash bin/set-up"],
])("A script that a command runs by its path counts only as main has it (%s)", async (file, text, path, shown) => {
  const script = 'link() { ln -s "$CONDUCTOR_ROOT_PATH/$1" "$1"; }\nlink config/master.key\nlink .env\n';
  commit({ [file]: text, [path]: script });
  const { rules, taken } = await readAt();
  expect(taken).toEqual([`setup ${file}: ${shown}`]);
  expect(rules.lent).toEqual(expect.arrayContaining(["/config/master.key", "/.env"]));
  const changed = () => changedScript(repo, rules.origins.setup);
  expect(await changed()).toBeNull();
  writeFileSync(join(repo, path), "echo other\n");
  expect(await changed()).toBe(path);
  rmSync(join(repo, path));
  symlinkSync("/etc/passwd", join(repo, path));
  expect(await changed()).toBe(path);
  git("reset", "--hard", "--quiet");
});

it("Ignored files come along by .worktreeinclude, and no tracked, linked, installed, large or plain ones", async () => {
  commit({
    ".gitignore": "*.secret\n.env*\nlinked/\nout/\nnode_modules/\n",
    ".worktreeinclude": "# ours\n*.secret\n.env*\n!.env.not\nplain.txt\nlinked/*\n**/deep.json\nREADME.md\n",
    "README.md": "x",
  });
  const put = (path: string, text: string) => {
    mkdirSync(join(repo, dirname(path)), { recursive: true });
    writeFileSync(join(repo, path), text);
  };
  for (const path of [".env", ".env.not", "a/b/.env.local", "plain.txt", "node_modules/x/.env", "out/a/deep.json"])
    put(path, "A=1");
  put("large.secret", "x".repeat(5_000_001));
  symlinkSync("/etc/passwd", join(repo, "link.secret"));
  symlinkSync("/etc", join(repo, "linked"));
  const { files, leftOut } = await listIncluded(repo, readFileSync(join(repo, ".worktreeinclude"), "utf8"));
  expect(files).toEqual([".env", "a/b/.env.local", "out/a/deep.json"]);
  expect(leftOut).toEqual(["large.secret is larger than 5 MB", "link.secret is a link"]);
  expect((await readAt(null)).lost).toEqual([".worktreeinclude: copy: no files: this worker cloned by address"]);
  git("clean", "-fdxq");
});

it("doctor prints what was found, taken, left out and proposed, and changes nothing", () => {
  commit({
    ".conductor/settings.toml": '[scripts]\nsetup = "pnpm i"\nrun = "pnpm dev"',
    ".devcontainer/devcontainer.json": '{ "postCreateCommand": ["npm", "ci"], "forwardPorts": [3000], }',
    "compose.yaml": "services: { db: { image: postgres, ports: ['5432:5432'] } }",
    "package.json": '{"scripts":{"dev":"vite"}}',
    ".claude/settings.json": '{"worktree":{"sparsePaths":["web"],"symlinkDirectories":["node_modules"]}}',
  });
  const doctor = (...args: string[]) =>
    execFileSync(process.execPath, [workerFile, "doctor", "--repo", repo, "--work-dir", join(home, "none"), ...args], {
      encoding: "utf8",
    });
  const { found, taken, left_out, proposed } = JSON.parse(doctor("--json"));
  const path = ".conductor/settings.toml";
  expect({ found, taken, left_out }).toEqual({
    found: [{ path }],
    taken: [{ key: "setup", path, command: "pnpm i" }],
    left_out: [],
  });
  expect(proposed).toEqual([
    { path, key: "preview", value: "pnpm dev" },
    { path: ".claude/settings.json", key: "sparse", value: "[web]" },
    { path: ".claude/settings.json", key: "share", value: "[node_modules]" },
    { path: ".devcontainer/devcontainer.json", key: "preview", value: "{ port: 3000 }" },
    { path: "compose.yaml", key: "net", value: "localhost:5432 (db, start the worker with --net)" },
    { path: "package.json", key: "preview", value: "npm run dev -- --port $PORT --strictPort --host 127.0.0.1" },
  ]);
  expect(doctor()).toMatch(
    /Taken:\n {2}setup \(\.conductor\/settings\.toml\):\n {6}pnpm i\n[\s\S]*Disk:\n {2}a worktree has/,
  );
  expect(git("status", "--porcelain")).toBe("");
});

it("A job runs the main branch's set-up with the copied files, and neither leaves with its work", {
  tags: "thorough",
}, async () => {
  const secret = "pa55-of-the-person-1";
  const script =
    'cp "$CODEX_SOURCE_TREE_PATH/.env.dev" made.env\necho "$API_TOKEN in $PORT of $BACKLOOM_JOB" > /dev/null; touch was-set-up; mkdir .venv; touch .venv/python';
  commit({
    ".gitignore": ".env*\n",
    ".worktreeinclude": ".env\n",
    [codex]: `[setup]\nscript = '''${script}'''\n[cleanup]\nscript = "pwd > ${home}/cleaned"`,
  });
  writeFileSync(join(repo, ".env"), `API_TOKEN=${secret}\n`);
  writeFileSync(join(repo, ".env.dev"), `API_TOKEN=${secret}\nOTHER=1\n`);
  const exec =
    "cat .env made.env; ls -a > seen.txt; cat .env > leaked.txt; mkdir -p .codex/environments; echo '[setup' > .codex/environments/environment.toml";
  const work = async (code: string, ...args: string[]) => {
    const run = await startRun(t, ada, { code });
    const output = await serveOnce(code, ["--exec", exec, "--test", "test -f seen.txt", ...args]);
    const [job] = (await run.read()).jobs;
    const shown = job?.branch ? gitIn(repo)("ls-tree", "-r", "--name-only", job.branch).split("\n") : [];
    return { output, job, shown, seen: job?.branch ? git("show", `${job.branch}:seen.txt`).split("\n") : [] };
  };
  const without = await work("NOYES");
  expect(without.output).toMatch(/Without \.codex.*, \.worktreeinclude: .* has not agreed.*--trust-setup/);
  expect(without.seen).not.toContain(".env");
  const trusted = await work("YES", "--trust-setup");
  expect(trusted.output).toMatch(/Set up by \.codex\/environments\/environment\.toml, \.worktreeinclude/);
  expect(trusted.seen).toEqual(expect.arrayContaining([".env", "made.env", "was-set-up"]));
  for (const path of ["leaked.txt", "made.env", ".venv/python"]) expect(trusted.shown).not.toContain(path);
  expect((await tablesWith(t, ["•••"])).length).toBeGreaterThan(0);
  expect(readFileSync(join(home, "cleaned"), "utf8")).toContain("worktrees");
  const again = await work("KEPT");
  expect(again.output).toContain("Set up by");
  expect(await tablesWith(t, [secret])).toEqual([]);
  rmSync(join(repo, ".env"));
});

it.skipIf(sandboxProblem !== null)(
  "A worktree of a large repository has its sparse folders, and shared ones that no job writes to",
  { tags: "thorough" },
  async () => {
    const large = randomBytes(40_000_000).toString("latin1");
    commit({
      "app/main.ts": "1\n",
      "assets/film.bin": large,
      "README.md": "x",
      ".gitignore": "models/\nlinked\n",
      ".backloom.yml": "setup: ls models\nsparse: [app]\nshare: [models, linked, app, gone]\n",
    });
    mkdirSync(join(repo, "models"));
    writeFileSync(join(repo, "models/weights"), large);
    symlinkSync("/etc", join(repo, "linked"));
    expect((await readAt()).lost).toEqual([
      ".backloom.yml: share: linked is a link",
      ".backloom.yml: share: app is tracked by Git",
      `.backloom.yml: share: gone is not in ${repo}`,
    ]);
    const run = await startRun(t, ada, { code: "LARGE" });
    const exec =
      "du -sk --exclude=models . | cut -f1 > size.txt; ls > seen.txt; stat -c %s models/weights >> size.txt; rm -f models/weights; touch models/mine; echo 2 > app/main.ts";
    await serveOnce("LARGE", ["--exec", exec, "--sandbox", "bwrap", "--test", "test -s models/weights"]);
    const [job] = (await run.read()).jobs;
    expect(job).toMatchObject({ status: "done" });
    const [kilobytes, shared] = git("show", `${job?.branch}:size.txt`).split("\n").map(Number);
    expect(kilobytes).toBeLessThan(40_000 / 20);
    expect(shared).toBe(readFileSync(join(repo, "models/weights")).length);
    expect(git("show", `${job?.branch}:seen.txt`).split("\n")).toEqual(
      "README.md app models seen.txt size.txt".split(" "),
    );
    expect(git("diff", "--name-only", "main", job?.branch ?? "").split("\n")).toEqual([
      "app/main.ts",
      "seen.txt",
      "size.txt",
    ]);
    git("clean", "-fdxq");
  },
);
