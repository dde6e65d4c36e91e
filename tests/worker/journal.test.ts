import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isForeign } from "~/wire/text";
import { projectRoot } from "../../supabase/embedded/project-root";
import { drivers } from "../../worker/agents/catalog";
import { openJournal } from "../../worker/base/journal";
import { askCredential } from "../../worker/git/ask-credential";
import { splitHandArgs } from "../../worker/hand/open-hand";
import { startWorker } from "./worker-process";

it("Words of other people neither steer the terminal nor pass for lines of the worker", () => {
  let written = "";
  const journal = openJournal((text) => {
    written += text;
  });
  journal.say("T-1 \u001b[2J\u001b]0;x\u0007\u009b1mred\r\u202egnp\n12:00:00  All done");
  expect(written).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  expect(written.match(/^\d\d:\d\d:\d\d {2}/gm)).toHaveLength(1);
  expect(written).toContain("\n          12:00:00  All done\n");
});

const root = join(projectRoot, "worker");
const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => ({ name, text: readFileSync(join(root, name), "utf8") }));
const filesWith = (pattern: RegExp) => sources.flatMap(({ name, text }) => (pattern.test(text) ? name : []));

it("One file of the worker writes to the terminal, and its words are harmless", async () => {
  expect(filesWith(/std(out|err)\.write|console\.\w+\(/)).toEqual(["base/terminal.ts"]);
  const words = ["--url", "http://127.0.0.1:9", "--token", "x", "--agent", "\u001b[2Jred\u0007"];
  const worker = startWorker(words);
  await worker.ended;
  expect(worker.output()).toContain("There is no agent");
  expect(worker.output()).not.toMatch(/[^\P{Cc}\n]/u);
});

it("One file of the worker speaks git's line protocol, and another one writes names of objects only", () => {
  expect(filesWith(/"credential"/)).toEqual(["git/ask-credential.ts"]);
  const starting = filesWith(/\b(run|spawn|execFile)\(\s*"git"/);
  const writing = filesWith(/stdin\??\.(on|write|end)\(/);
  expect(starting.filter((name) => writing.includes(name)).sort()).toEqual([
    "git/ask-credential.ts",
    "sandbox/job-store.ts",
  ]);
});

it("A line end in an address asks for no other host's login", async () => {
  const folder = mkdtempSync(join(tmpdir(), "backloom-login-"));
  const helper = join(folder, "helper");
  const store = "protocol=https\nhost=github.com\nusername=ada\npassword=secret\n";
  writeFileSync(helper, `#!/bin/sh\n[ "$1" = get ] && printf '${store}'\n`, { mode: 0o755 });
  const config = join(folder, "config");
  writeFileSync(config, `[credential]\n\thelper = ${helper}\n`);
  const before = process.env.GIT_CONFIG_GLOBAL;
  process.env.GIT_CONFIG_GLOBAL = config;
  try {
    const login = { secret: "secret", user: "ada" };
    expect(await askCredential(folder, "https://github.com/acme/shop.git")).toEqual(login);
    const evil = "https://github.evil.example/a%0Aprotocol=https%0Ahost=github.com%0Apath=b.git";
    expect(await askCredential(folder, evil)).toBeNull();
    // A helper that answers for another host gives nothing away.
    expect(await askCredential(folder, "https://github.evil.example/a.git")).toBeNull();
    for (const end of ["%0a", "%0D", "%00", "\u0007"]) {
      expect(isForeign(`ssh://git@github.com/a${end}b`)).toBe(false);
    }
    expect(isForeign("ssh://git@github.com/a%20b")).toBe(true);
  } finally {
    if (before === undefined) Reflect.deleteProperty(process.env, "GIT_CONFIG_GLOBAL");
    else process.env.GIT_CONFIG_GLOBAL = before;
  }
});

it.each([
  [["T-42", "--back"], "T-42", []],
  [["--back", "T-42"], "T-42", []],
  [["--repo", "/clone", "T-42"], "T-42", ["--repo", "/clone"]],
  [["--back", "--name=T-1", "t-42", "--hooks"], "t-42", ["--name=T-1", "--hooks"]],
  [["--name", "T-1"], undefined, ["--name", "T-1"]],
])("The commands take and give read their words in any order: %j", (words, task, rest) => {
  expect(splitHandArgs(words, "--back")).toEqual({ task, rest, hasFlag: words.includes("--back") });
});

it("Every way to start an agent keeps records where one of them does", async () => {
  const bin = mkdtempSync(join(tmpdir(), "backloom-ways-"));
  for (const { name, program, needs, reports } of drivers) {
    const programs = new Set([program, ...needs.programs]);
    const keeping: [string, boolean][] = [];
    for (const way of Object.keys(reports)) {
      const folder = join(bin, name, way.replace(/\W/g, "_"));
      mkdirSync(folder, { recursive: true });
      const [own = ""] = way.split(" ");
      for (const one of programs.has(own) ? [own] : programs)
        writeFileSync(join(folder, one), "#!/bin/sh\n", { mode: 0o755 });
      const driver = drivers.find((one) => one.name === name);
      const found = await driver?.find({ HOME: bin, PATH: folder });
      if (found) keeping.push([way, found.recorded !== undefined]);
    }
    expect(keeping, name).toHaveLength(Object.keys(reports).length);
    expect(new Set(keeping.map(([, keeps]) => keeps)).size, JSON.stringify(keeping)).toBe(1);
  }
});
