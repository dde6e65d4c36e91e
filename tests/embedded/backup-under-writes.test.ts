import { execFile } from "node:child_process";
import { cp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { readManifest } from "../../supabase/embedded/data-folder/manifest";
import { projectRoot } from "../../supabase/embedded/project-root";
import { openOwnDatabase, startService } from "../server/own-service";
import { bearer, create } from "../setup/world";
import { ownDataDir } from "./own-stack";
import { checksumsOf } from "./table-checksums";

const dataDir = await ownDataDir();
const copies = await ownDataDir();
const service = await startService(dataDir);
const store = await openOwnDatabase(dataDir);
const owner = await store.createUser();
const token = await store.createToken(owner);
const { story } = await store.seedBacklog(owner);
const writers = 8;
const tasks = await Promise.all(
  Array.from({ length: writers }, (_, n) =>
    create(store.actorOf(owner), "create_task", { p_story_id: story.id, p_title: `Task ${n}` }),
  ),
);

/** Each writer changes its own task 25 times a second over the API, or as often as the machine allows. */
const pauseOfWriter = 1_000 / (200 / writers);

/** Changes one task again and again, each time to another status; what the service answered with 200 is counted. */
function startWriter(taskId: string) {
  const state = { acknowledged: 0, isStopped: false };
  const work = (async () => {
    while (!state.isStopped) {
      const due = performance.now() + pauseOfWriter;
      const status = state.acknowledged % 2 === 0 ? "in_progress" : "todo";
      const answer = await fetch(`${service.origin}/api/tasks/${taskId}`, {
        method: "PATCH",
        headers: { ...bearer(token), "content-type": "application/json" },
        body: JSON.stringify({ status, implementation_plan: `Write ${state.acknowledged + 1}` }),
      });
      if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
      state.acknowledged += 1;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    }
  })();
  // Anyone who waits for the end hears of it; until then no one does.
  work.catch(() => undefined);
  return {
    state,
    stop: () => {
      state.isStopped = true;
      return work;
    },
  };
}

/** `backloom` as a person runs it, for the data folder of the environment. */
function backloom(folder: string, ...words: string[]) {
  const program = join(projectRoot, "app/cli/launch.mjs");
  return promisify(execFile)(process.execPath, [program, ...words], {
    cwd: projectRoot,
    env: { ...process.env, NODE_ENV: "production", DATA_DIR: folder },
  });
}

const refusal = z.object({ code: z.number(), stdout: z.string(), stderr: z.string() });

/** What a command said that ended with an error. */
async function refusalOf(folder: string, ...words: string[]) {
  const ended = await backloom(folder, ...words).catch((error: unknown) => error);
  const { code, stdout, stderr } = refusal.parse(ended);
  return { code, words: `${stdout}${stderr}` };
}

/** Every change of status that was kept of the writers' tasks, by its number. */
async function historyOf({ sql }: Pick<typeof store, "sql">) {
  const { rows } = await sql.query<{ id: string; task_id: string; line: string }>(
    `select id::text, task_id, c::text as line from public.task_status_changes c
     where task_id = any ($1) and from_status is distinct from to_status and from_status is not null`,
    [tasks.map(({ id }) => id)],
  );
  return rows;
}

async function makeCopyUnderWrites() {
  const before = await checksumsOf(dataDir);
  const running = tasks.map(({ id }) => startWriter(id));
  await vi.waitFor(
    () => expect(Math.min(...running.map(({ state }) => state.acknowledged))).toBeGreaterThan(20),
    60_000,
  );
  const begun = running.map(({ state }) => state.acknowledged);
  const { stdout, stderr } = await backloom(dataDir, "backup", "--to", copies, "--json");
  const ended = running.map(({ state }) => state.acknowledged);
  await Promise.all(running.map((writer) => writer.stop()));
  const { path } = z.object({ path: z.string() }).parse(JSON.parse(stdout));
  return { path, stderr, before, begun, ended };
}

const copy = await makeCopyUnderWrites();

describe("a backup while 200 changes a second come over the API", { timeout: 600_000 }, () => {
  it("A backup is made while changes continue, opens, and leaves nothing else behind", async () => {
    for (const [n, ended] of copy.ended.entries()) {
      expect(ended).toBeGreaterThan(copy.begun[n] ?? Number.NaN);
    }
    expect(copy.stderr).toContain("The copy opens, and every row was read");
    expect(await readdir(copies)).toEqual([basename(copy.path)]);
  });

  it("A backup has every change acknowledged before it began, whole, and none that no one requested", async () => {
    const into = await ownDataDir();
    await backloom(into, "restore", copy.path);
    const restored = await startService(into);
    onTestFinished(() => void restored.process.kill("SIGTERM"));
    const theirs = await openOwnDatabase(into);
    try {
      const [kept, source] = [await historyOf(theirs), await historyOf(store)];
      for (const [n, { id }] of tasks.entries()) {
        const answer = await fetch(`${restored.origin}/api/tasks/${id}`, { headers: bearer(token) });
        const task = z.object({ implementation_plan: z.string() }).parse(await answer.json());
        const reached = Number(/^Write (\d+)$/.exec(task.implementation_plan)?.[1]);
        expect(reached).toBeGreaterThanOrEqual(copy.begun[n] ?? Number.NaN);
        // One may have been written and not answered yet.
        expect(reached).toBeLessThanOrEqual((copy.ended[n] ?? Number.NaN) + 1);
        // The plan and the history of a task are of one transaction.
        expect(kept.filter(({ task_id }) => task_id === id)).toHaveLength(reached);
      }
      const lines = new Map(source.map(({ id, line }) => [id, line]));
      for (const { id, line } of kept) expect(line).toBe(lines.get(id));
    } finally {
      await theirs.close();
      await restored.end("SIGTERM");
    }
  });

  it("A restored backup agrees with its source table by table, in counts and checksums", async () => {
    const into = await ownDataDir();
    await backloom(into, "restore", copy.path);
    const [theirs, source] = [await checksumsOf(into), await checksumsOf(dataDir)];
    expect(Object.keys(theirs)).toEqual(Object.keys(copy.before));
    const settled = Object.keys(source).filter((name) => source[name]?.sum === copy.before[name]?.sum);
    expect(settled).toEqual(expect.arrayContaining(["public.products", "public.sprints", "auth.users"]));
    expect(settled).not.toContain("public.tasks");
    for (const name of settled) expect(theirs[name], name).toEqual(source[name]);

    const { rows } = await readManifest(copy.path);
    const counts = Object.entries(theirs).map(([name, { count }]) => [name, count]);
    expect(Object.fromEntries(counts)).toEqual(rows);
  });
});

describe("backloom restore", { timeout: 600_000 }, () => {
  /** The largest of its files with this beginning. */
  async function fileOf(beginning: string): Promise<string> {
    const { files } = await readManifest(copy.path);
    const [largest] = files
      .filter(({ path }) => path.startsWith(beginning))
      .sort((one, other) => other.size - one.size);
    if (!largest) throw new Error(`The copy has no file ${beginning}`);
    return largest.path;
  }
  const flip = async (file: string) => {
    const bytes = await readFile(file);
    const place = Math.floor(bytes.length / 2);
    bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
    await writeFile(file, bytes);
  };
  const harms: [string, string, (file: string) => Promise<void>][] = [
    ["a table's file is cut", "postgres/base/", (file) => truncate(file, 8_192)],
    ["a byte of a table is flipped", "postgres/base/", flip],
    ["a file of the log is missing", "postgres/pg_wal/", (file) => rm(file)],
    ["a file of the log is cut", "postgres/pg_wal/", (file) => truncate(file, 1_048_576)],
    ["a byte of the log is flipped", "postgres/pg_wal/", flip],
    ["the file of its secrets is missing", "secrets.json", (file) => rm(file)],
    ["its control file is missing", "postgres/global/pg_control", (file) => rm(file)],
  ];

  it.each(harms)("A restore refuses a copy where %s, and names the file", async (_, beginning, harm) => {
    const torn = join(await ownDataDir(), "copy");
    await cp(copy.path, torn, { recursive: true });
    const path = await fileOf(beginning);
    await harm(join(torn, path));
    const into = await ownDataDir();
    const { code, words } = await refusalOf(into, "restore", torn);
    expect(code).toBe(1);
    expect(words).toContain(`is not as it was made (${path} differs)`);
    expect(words).toContain("Nothing was restored; choose another copy.");
    expect(await readdir(into)).toEqual([]);
  });

  it.each([
    ["is missing", "is not a whole copy", (file: string) => rm(file)],
    ["is cut", "is damaged: choose another copy", (file: string) => truncate(file, 1_000)],
  ])("A restore refuses a copy whose list of files %s", async (_, expected, harm) => {
    const torn = join(await ownDataDir(), "copy");
    await cp(copy.path, torn, { recursive: true });
    await harm(join(torn, "backup.json"));
    const into = await ownDataDir();
    const { code, words } = await refusalOf(into, "restore", torn);
    expect(code).toBe(1);
    expect(words).toContain(expected);
    expect(await readdir(into)).toEqual([]);
  });

  it("A restore does not touch the folder of a running service, which continues", async () => {
    const before = await checksumsOf(dataDir);
    const { code, words } = await refusalOf(dataDir, "restore", copy.path);
    expect(code).toBe(1);
    expect(words).toContain("is in use: stop the service");
    const after = await checksumsOf(dataDir);
    expect(after["public.tasks"]).toEqual(before["public.tasks"]);
    const writer = startWriter(tasks[0]?.id ?? "");
    await expect.poll(() => writer.state.acknowledged).toBeGreaterThan(0);
    await writer.stop();
  });
});
