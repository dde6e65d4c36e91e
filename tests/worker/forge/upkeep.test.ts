import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { listLessons } from "~/nouns/lessons/operations.server";
import { forgeKinds } from "../../../worker/base/forge-kinds";
import { openJournal } from "../../../worker/base/journal";
import { readOptions } from "../../../worker/base/options";
import { takeWorkFolder } from "../../../worker/base/work-folder";
import { fileKeeping } from "../../../worker/forge/upkeep/keep-files";
import { openRepositoryOf } from "../../../worker/git/repository";
import { readRulesOf } from "../../../worker/git/rules";
import { mainOf } from "../../../worker/git/worktree";
import { connectService } from "../../../worker/service/service";
import { at } from "../../setup/world";
import { makeBarrier } from "../barrier";
import { gitIn, makeRepository, openStage } from "../fixture";
import { openToolGate } from "../tool-gate";
import { killAt, type Step, startWatcher, writeRules } from "./victim";
import { mergePull, openForgeWorld } from "./world";

const { t, app, home } = await openStage();
const gate = await openToolGate(app.port);
let last = 0;
function unused(): number {
  last += 1;
  return last;
}

/** A product whose lessons a worker keeps in a repository; `bare` is where people see them. */
async function begin(repo: string, bare: string, remote: string, code = `KEPT-${unused()}`) {
  const owner = await t.createUser();
  const [actor, token] = [t.actorOf(owner), await t.createToken(owner)];
  const fields = { p_code: code, p_repo_url: remote, p_pull_requests: "open" };
  const product = await t.seedProduct(owner, fields);
  const product_id = product.id;
  const accept = (...texts: string[]) =>
    t.query`insert into lessons (product_id, text, cause, status, since, created_at)
      select ${product_id}, e.text, 'ci_failed', 'accepted', now() + e.place * interval '1 ms', now()
      from unnest(${texts}::text[]) with ordinality e (text, place)`;
  const retire = (text: string) =>
    t.query`update lessons set status = 'retired' where product_id = ${product_id} and text = ${text}`;
  const words = ["--url", app.origin, "--token", token, "--exec", "true", "--repo", repo, "--pr"];
  const options = readOptions([...words, "--product", code], {});
  const journal = openJournal(() => undefined);
  const never = new AbortController().signal;
  const service = connectService(options, journal, (text) => text, never);
  const folder = await takeWorkFolder(join(home, `work-${code}`), "keeper");
  const { workerName, worktrees } = folder;
  const keep = fileKeeping({ service, journal, productId: product_id, workerName, worktrees });
  /** One look of a worker, as if all that it had was given back. */
  const look = async () => {
    const due = "update upkeeps set lease_until = now(), look_at = look_at - interval '1 hour' where product_id = $1";
    await t.sql.query(due, [product_id]);
    await keep(async () => {
      const wish = { product: { id: product_id, repo_url: remote }, repo_url: remote };
      const repository = await openRepositoryOf(wish, options, folder);
      const rules = await readRulesOf(repository.folder, await mainOf(repository));
      return { options, service, journal, repository, rules };
    });
  };
  const files = async () => (await listLessons(actor, { product_id })).files;
  const branch = `backloom/${code}/agents-md`;
  const textAt = (ref: string, path = "AGENTS.md") => textIn(bare, ref, path);
  return { product_id, code, token, accept, retire, look, files, branch, textAt };
}

type Kept = Awaited<ReturnType<typeof begin>>;

/** The bytes of a file as text, with its ends of lines; null without it. */
function textIn(folder: string, ref: string, path: string): string | null {
  const git = gitIn(folder);
  if (git("ls-tree", ref, "--", path) === "") return null;
  // The helper of the tests trims: marks around show where it begins and ends.
  const raw = git(
    "-c",
    "alias.raw=!f() { printf '['; git cat-file blob \"$1\"; printf ']'; }; f",
    "raw",
    `${ref}:${path}`,
  );
  return raw.slice(1, -1);
}

/** What a person commits on the main branch, past the Git host. */
function commit(bare: string, files: Record<string, string>, branch = "main") {
  const folder = join(home, `person-${unused()}`);
  gitIn(home)("clone", "--quiet", "--branch", branch, bare, folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const git = gitIn(folder);
  git("-c", "core.autocrlf=false", "add", ".");
  git("commit", "--quiet", "--allow-empty", "-m", "By hand");
  git("push", "--quiet", "origin", branch);
}

function lessonsIn(text: string | null): string[] {
  return [...(text ?? "").matchAll(/^- (.*?)\r?$/gm)].map(([, lesson = ""]) => lesson);
}

describe.each(forgeKinds)("lessons at %s", (kind) => {
  it("Lessons are kept in AGENTS.md by one pull request that follows them, and a next one after its merge", async () => {
    const forge = await openForgeWorld(kind, join(home, `flow-${kind}`));
    const repo = writeRules(forge, join(home, `flow-${kind}`));
    const one = await begin(repo, forge.bare, forge.remote);
    await one.look();
    expect([forge.pulls, await one.files()]).toEqual([[], []]);

    await one.accept("Format first.", "Test last.");
    expect(await one.files()).toMatchObject([{ kind: "agents_md", state: "waiting", url: null }]);
    await one.look();
    const first = at(forge.pulls, 0);
    expect(first).toMatchObject({ branch: one.branch, base: "main", isDraft: false });
    expect(await one.files()).toMatchObject([{ state: "open", url: expect.stringMatching(/1$/) }]);
    expect(lessonsIn(one.textAt(one.branch))).toEqual(["Format first.", "Test last."]);
    expect(one.textAt("main")).toBeNull();

    await one.retire("Format first.");
    await one.accept("Read the log.");
    await one.look();
    expect(lessonsIn(one.textAt(one.branch))).toEqual(["Test last.", "Read the log."]);
    expect(forge.pulls).toHaveLength(1);
    const head = forge.headOf(one.branch);
    await one.look();
    expect(forge.headOf(one.branch)).toBe(head);

    mergePull(forge, first, head);
    await one.look();
    expect(await one.files()).toMatchObject([{ state: "merged" }]);
    await one.retire("Test last.");
    await one.look();
    expect(forge.pulls).toHaveLength(2);
    const second = at(forge.pulls, 1);
    expect(lessonsIn(one.textAt(one.branch))).toEqual(["Read the log."]);
    mergePull(forge, second, forge.headOf(one.branch));
    await one.retire("Read the log.");
    await one.look();
    mergePull(forge, at(forge.pulls, 2), forge.headOf(one.branch));
    await one.look();
    expect([one.textAt("main"), await one.files()]).toEqual([null, []]);
    const rows = await t.query`select detail -> 'said' ->> 'state' as state from audit_events
      where kind = 'worker.word' and detail ->> 'product_id' = ${one.product_id} order by created_at`;
    expect(rows.map(({ state }) => state)).toEqual(["open", "merged", "open", "open", "merged"]);
  }, 120_000);
});

/** A Git host, and a clone whose main branch says what kind it is. */
async function openHost(name: string) {
  const forge = await openForgeWorld("github", join(home, name));
  return { forge, repo: writeRules(forge, join(home, name)) };
}
const [blocks, killed] = [await openHost("blocks"), await openHost("killed")];

describe("the block of AGENTS.md", () => {
  const { forge, repo } = blocks;
  const marks = (code: string) => [`<!-- backloom lessons ${code} -->`, `<!-- /backloom lessons ${code} -->`];

  /** A product whose AGENTS.md is this text before the first lesson. */
  async function scene(text: string) {
    forge.pulls.splice(0);
    commit(forge.bare, { "AGENTS.md": text });
    const one = await begin(repo, forge.bare, forge.remote);
    const merge = () => mergePull(forge, at(forge.pulls.slice(-1), 0), forge.headOf(one.branch));
    return { ...one, merge };
  }

  it.each([
    ["CRLF", "# Rules\r\n\r\nBe kind.\r\n"],
    ["no last line end", "# Rules\n\nBe kind."],
    ["CRLF and no last line end", "# Rules\r\n\r\nBe kind.\r\n  "],
    ["mixed line ends and trailing spaces", "# Rules  \r\nBe kind.\n\n\ttab \n"],
    ["a mark of byte order", "\ufeff# Rules\n"],
    ["nothing", ""],
  ])("The block of lessons comes to an AGENTS.md with %s, and leaves the rest as it was", async (_name, text) => {
    const one = await scene(`${text}`);
    await one.accept("Format first.");
    await one.look();
    const written = one.textAt(one.branch) ?? "";
    expect(written.startsWith(text)).toBe(true);
    expect(written.endsWith("\n")).toBe(text === "" || text.endsWith("\n"));
    const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
    expect(written.slice(text.length).replaceAll(eol, "")).not.toMatch(/[\r\n]/);
    one.merge();
    await one.accept("Test last.");
    await one.look();
    expect(one.textAt(one.branch)?.startsWith(text)).toBe(true);
    one.merge();
    await one.retire("Format first.");
    await one.retire("Test last.");
    await one.look();
    expect(one.textAt(one.branch)).toBe(text === "" ? null : text);
    one.merge();
  });

  it("The block of lessons stays where a person moved it in AGENTS.md, in the text that they wrote", async () => {
    const one = await scene("# Rules\r\n\r\nBe kind.\r\n");
    await one.accept("Format first.");
    await one.look();
    one.merge();
    const [, block = ""] = /(<!-- backloom[\s\S]*\/backloom.*-->\r?\n)/.exec(one.textAt("main") ?? "") ?? [];
    commit(forge.bare, { "AGENTS.md": `Mine\n${block}\r\nBe kind.\n\nLast` });
    await one.accept("Test last.");
    await one.look();
    const moved = one.textAt(one.branch) ?? "";
    expect(moved).toMatch(/^Mine\n<!-- backloom/);
    expect(moved).toMatch(/-->\r\n\r\nBe kind\.\n\nLast$/);
    expect(lessonsIn(moved)).toEqual(["Format first.", "Test last."]);
  });

  it("The block of lessons is left as a person changed it, and the page of lessons says how to go on", async () => {
    const one = await scene("# Rules\n");
    await one.accept("Format first.");
    await one.look();
    one.merge();
    await one.look();
    const main = one.textAt("main") ?? "";
    commit(forge.bare, { "AGENTS.md": main.replace("Format first.", "Format last.") });
    await one.accept("Test last.");
    await one.look();
    const words = /between the two comments/;
    expect(await one.files()).toMatchObject([{ state: "conflict", words: expect.stringMatching(words) }]);
    expect(forge.pulls).toHaveLength(1);
    const [begin, end] = marks(one.code);
    commit(forge.bare, { "AGENTS.md": "# Rules\n\nFormat last.\n" });
    await one.look();
    expect(await one.files()).toMatchObject([{ words: expect.stringContaining("took the lessons out") }]);
    commit(forge.bare, { "AGENTS.md": `# Rules\n${begin}\n${begin}\n${end}\n` });
    await one.look();
    expect(await one.files()).toMatchObject([{ words: expect.stringContaining("exactly one pair") }]);
    commit(forge.bare, { "AGENTS.md": `${begin}\n${end}\n# Rules\n` });
    await one.look();
    expect(await one.files()).toMatchObject([{ state: "open" }]);
    expect(lessonsIn(one.textAt(one.branch))).toEqual(["Format first.", "Test last."]);
  });

  it("The pull request of lessons shows a conflict, keeps what people push, and stays closed once closed", async () => {
    const one = await scene("# Rules\n\nBe kind.\n");
    await one.accept("Format first.");
    await one.look();
    commit(forge.bare, { "NOTES.md": "Also this\n" }, one.branch);
    const pushed = forge.headOf(one.branch);
    await one.accept("Test last.");
    await one.look();
    expect(one.textAt(one.branch, "NOTES.md")).toBe("Also this\n");
    const git = gitIn(forge.bare);
    expect(git("merge-base", one.branch, pushed)).toBe(pushed);

    commit(forge.bare, { "AGENTS.md": "Rewritten\n" });
    await one.retire("Test last.");
    await one.look();
    const words = expect.stringContaining("does not merge with the main branch (AGENTS.md)");
    expect(await one.files()).toMatchObject([{ state: "conflict", words, url: expect.any(String) }]);
    commit(forge.bare, { "AGENTS.md": "# Rules\n\nBe kind.\n" });
    await one.look();
    expect(await one.files()).toMatchObject([{ state: "open" }]);

    at(forge.pulls, 0).state = "closed";
    await one.look();
    await one.look();
    expect([forge.pulls.length, await one.files()]).toMatchObject([1, [{ state: "closed" }]]);
    await one.accept("Now really.");
    await one.look();
    expect(forge.pulls.map(({ state }) => state)).toEqual(["closed", "open"]);
    expect(lessonsIn(one.textAt(one.branch))).toEqual(["Format first.", "Now really."]);
  });

  it("Hostile lessons close no comment and begin no line in AGENTS.md, which holds lists of two products", async () => {
    const one = await scene("# Rules\n");
    const [, end = ""] = marks(one.code);
    const hostile = [
      end,
      "--> <script>alert(1)</script> <!--",
      "``` ~~~ <details> </ul></div> <?php <![CDATA[",
      "# Heading | ](javascript:x) $HOME `rm -rf /`",
      "x".repeat(300),
    ];
    await one.accept(...hostile);
    const two = await begin(repo, forge.bare, forge.remote);
    await two.accept("Of another product.");
    await one.look();
    one.merge();
    await two.look();
    two.textAt(two.branch);
    const text = two.textAt(two.branch) ?? "";
    expect(text.match(/<!--/g)).toHaveLength(4);
    expect(text.match(/<(?!!-- \/?backloom lessons )/g)).toBeNull();
    expect(lessonsIn(text)).toHaveLength(6);
    await one.look();
    expect(await one.files()).toMatchObject([{ state: "merged" }]);
    forge.pulls.splice(0);
  });

  it("Lessons are not written through a link, nor into bytes that are not text", async () => {
    const one = await scene("# Rules\n");
    await one.accept("Format first.");
    commit(forge.bare, { "AGENTS.md": "\u0000\u00ff".repeat(3).concat("\ufffd") });
    await one.look();
    expect(await one.files()).toMatchObject([{ state: "conflict", words: expect.stringContaining("UTF-8") }]);
    const folder = join(home, `link-${unused()}`);
    gitIn(home)("clone", "--quiet", forge.bare, folder);
    const git = gitIn(folder);
    git("rm", "--quiet", "AGENTS.md");
    const target = git("hash-object", "-w", ".backloom.yml");
    git("update-index", "--add", "--cacheinfo", `120000,${target},AGENTS.md`);
    git("commit", "--quiet", "-m", "Link");
    git("push", "--quiet", "origin", "main");
    await one.look();
    expect(await one.files()).toMatchObject([{ state: "conflict", words: expect.stringContaining("a symbolic link") }]);
    expect(forge.pulls).toEqual([]);
    git("rm", "--quiet", "--cached", "AGENTS.md");
    git("commit", "--quiet", "-m", "No link");
    git("push", "--quiet", "origin", "main");
  });
});

it.each([true, false])("No Git host: lessons are on a branch that their page names (remote: %s)", async (hasRemote) => {
  const repo = join(home, `plain-${hasRemote}`);
  const git = makeRepository(repo);
  const bare = hasRemote ? join(home, "plain.git") : repo;
  if (hasRemote) {
    gitIn(home)("clone", "--quiet", "--bare", repo, bare);
    git("remote", "add", "origin", bare);
    git("fetch", "--quiet", "origin");
  }
  const one = await begin(repo, bare, "");
  await one.accept("Format first.");
  await one.look();
  expect(await one.files()).toMatchObject([{ state: "branch", branch: one.branch, url: null, words: null }]);
  expect(lessonsIn(one.textAt(one.branch))).toEqual(["Format first."]);
  await one.accept("Test last.");
  await one.look();
  gitIn(bare)("update-ref", "refs/heads/main", gitIn(bare)("rev-parse", one.branch));
  await one.look();
  expect(await one.files()).toMatchObject([{ state: "merged" }]);
  expect(lessonsIn(one.textAt("main"))).toEqual(["Format first.", "Test last."]);
});

it("Boxes of Spec Kit are ticked when their task is done, and nothing else of the file changes", async () => {
  const { forge, repo } = await openHost("boxes");
  const one = await begin(repo, forge.bare, forge.remote);
  const list = [
    "# Tasks\r",
    "```\r",
    "- [ ] T001 A sample\r",
    "```\r",
    "- [ ] T001 Draw [ ] it\r",
    "* [ ] **T002** [P] Paint\r",
    "- [x] T003 Done before\r",
    "- [ ] T001 The same again\r",
    "-   [~] T-005 Seed\r",
    "1)\t[]T006 Rake\r",
    "- [ ] T004 Left",
  ].join("\n");
  const spec = "specs/001-beds/tasks.md";
  commit(forge.bare, { [spec]: list, "old/specs/001-beds/tasks.md": "- [ ] T001 Draw\n" });
  const pbi = await t.query`insert into pbis (product_id, title) values (${one.product_id}, 'Garden') returning id`;
  const story = await t.query`insert into stories (product_id, pbi_id, title)
      values (${one.product_id}, ${at(pbi, 0).id}, 'Beds') returning id`;
  await t.query`insert into tasks (product_id, story_id, title, status, external_id)
      select ${one.product_id}, ${at(story, 0).id}, e.id, e.status::task_status, 'spec-kit:001-beds/' || e.id
      from (values ('T001', 'DONE'), ('T002', 'DONE'), ('T003', 'DONE'), ('T004', 'TO_DO'), ('T-005', 'DONE'), ('T006', 'DONE'), ('own', 'DONE')) e (id, status)`;
  await one.look();
  expect(at(forge.pulls, 0)).toMatchObject({ title: "Tick the boxes of done tasks" });
  const branch = `backloom/${one.code}/spec-boxes`;
  expect(one.textAt(branch, spec)).toBe(
    list
      .replace("- [ ] T001 Draw [ ]", "- [x] T001 Draw [ ]")
      .replace("* [ ] **T002", "* [x] **T002")
      .replace("[~] T-005", "[x] T-005")
      .replace("[]T006", "[x] T006"),
  );
  expect(one.textAt(branch, "old/specs/001-beds/tasks.md")).toBe("- [ ] T001 Draw\n");
  mergePull(forge, at(forge.pulls, 0), forge.headOf(branch));
  await one.look();
  expect(await one.files()).toMatchObject([{ kind: "spec_boxes", state: "merged" }]);
});

describe("a worker that is killed", () => {
  const { forge, repo } = killed;
  const pulls = /\/pulls$/;
  const steps: [name: string, step: Step][] = [
    ["has not heard what is due", { service: { tool: "POST upkeeps", when: "after" } }],
    ["has pushed and not opened it", { host: { method: "POST", path: pulls, when: "before" } }],
    ["has opened it and not heard so", { host: { method: "POST", path: pulls, when: "after" } }],
    ["reports", { service: { tool: "PUT upkeeps", when: "before" } }],
    ["has reported", { service: { tool: "PUT upkeeps", when: "after" } }],
  ];

  /** One that is killed there; then what the next ones leave. */
  async function expectOnePull(code: string, step: Step, next: (one: Kept) => Promise<void>) {
    forge.pulls.splice(0);
    const one = await begin(repo, forge.bare, forge.remote, code);
    await one.accept("Format first.");
    const stage = { forge, gate, token: one.token, home };
    await killAt({ forge, gate }, step, () => startWatcher(stage, { code, repo, name: "victim" }));
    await next(one);
    await one.look();
    expect(forge.pulls.map(({ branch, state }) => [branch, state])).toEqual([[one.branch, "open"]]);
    expect(await one.files()).toMatchObject([{ state: "open" }]);
    expect(lessonsIn(one.textAt(one.branch))).toEqual(["Format first."]);
    expect(one.textAt("main")).toBeNull();
  }

  it.each(steps)(
    "A worker killed when it %s leaves one pull request, which the next worker finds or opens",
    async (name, step) => {
      const place = steps.findIndex(([other]) => other === name);
      // The lease of one is lost to the other.
      await expectOnePull(`DEAD-${place}`, step, async (one) => {
        await Promise.allSettled([one.look(), one.look()]);
      });
    },
    120_000,
  );

  it.each([
    ["pre-receive", "before"],
    ["pre-receive", "after"],
    ["post-receive", "before"],
    ["post-receive", "after"],
  ])(
    "A worker killed while %s runs for its push leaves one branch, even if the push ends %s the next came",
    async (hook, when) => {
      const hold = makeBarrier(join(home, `hold-${unused()}`));
      const place = join(forge.bare, "hooks", hook);
      mkdirSync(dirname(place), { recursive: true });
      symlinkSync(hold.script, place);
      await expectOnePull(`DEAD-${hook}-${when}`.toUpperCase(), { push: hold }, async (one) => {
        if (when === "after") await one.look();
        await hold.release();
        const branches = gitIn(forge.bare)("for-each-ref", "--format=%(refname)", "refs/heads");
        const own = branches.split("\n").filter((ref) => ref.includes(one.code));
        expect(own).toEqual([`refs/heads/${one.branch}`]);
      });
      rmSync(place);
    },
    120_000,
  );
});
