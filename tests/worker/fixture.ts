import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { getSprintRun, startRun as startRunOf, startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { type ExportDocumentInput, exportDocumentSchema } from "~/nouns/transfers/export-document";
import { importDocument } from "~/nouns/transfers/import-document.server";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { portOf } from "../setup/port-of";
import { create, type TestUser, type WorldStore } from "../setup/world";
import { endOf, endWorkers, startWorker } from "./worker-process";

/** A folder for the file, with git in it; removed after the last test, when the file's workers have ended. */
export function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), "backloom-worker-"));
  afterAll(async () => {
    await endWorkers();
    // A worker that was killed over a question leaves a checkout that only its next start takes away: it is write-protected.
    execFileSync("chmod", ["-R", "u+w", home]);
    rmSync(home, { recursive: true, force: true });
  });
  return home;
}

/** A service, someone with a token, and a repository with one commit in a folder of the file; `usual` are words of every worker. */
export async function openStage(...usual: readonly string[]) {
  const t = await createTestDatabase({ realtime: true });
  const app = await startTestApp(t);
  const ada = await t.createUser({ username: "ada" });
  const token = await t.createToken(ada);
  const home = makeHome();
  const repo = join(home, "repo");
  /** A worker of Ada's for a product. Further words say what differs: the last of an option counts. */
  const serve = (product: string, args: readonly string[], environment = {}) => {
    const connection = ["--url", app.origin, "--token", token, "--work-dir", join(home, "work")];
    const served = ["--repo", repo, "--name", `worker-${product}`, "--product", product];
    return startWorker([...connection, ...served, ...usual, ...args], environment);
  };
  /** The same for one job: what the worker has printed. */
  const serveOnce = (...[product, args, environment]: Parameters<typeof serve>) =>
    endOf(serve(product, ["--once", ...args], environment));
  const actor = t.actorOf(ada);
  return { t, app, ada, actor, token, home, repo, git: makeRepository(repo), serve, serveOnce };
}

/** The address of a server of this machine, which is closed when the file is over. */
export async function listen(server: Server): Promise<string> {
  const port = await portOf(server);
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${port}`;
}

export function gitIn(folder: string) {
  return (...args: string[]): string =>
    execFileSync("git", args, {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        GIT_AUTHOR_NAME: "Ada",
        GIT_AUTHOR_EMAIL: "ada@example.com",
        GIT_COMMITTER_NAME: "Ada",
        GIT_COMMITTER_EMAIL: "ada@example.com",
      },
    }).trim();
}

/** Lets git reach the folders of this machine the way it reaches another one: over ssh, with the address `git@host:folder`. */
export function reachBySsh(home: string): Record<string, string> {
  const script = join(home, "ssh.sh");
  writeFileSync(script, '#!/bin/sh\nexec sh -c "$2"\n', { mode: 0o755 });
  return { GIT_SSH_COMMAND: script, GIT_SSH_VARIANT: "simple" };
}

export function makeRepository(folder: string): ReturnType<typeof gitIn> {
  mkdirSync(folder, { recursive: true });
  const git = gitIn(folder);
  git("init", "--quiet", "--initial-branch=main");
  git("commit", "--quiet", "--allow-empty", "-m", "Begin");
  return git;
}

type Strategy = "SPRINT" | "STORY" | "SPRINT_BATCH";

export interface RunOptions {
  code: string;
  /** Titles of the stories: one, where nothing is said. */
  stories?: string[];
  strategy?: Strategy;
  tasks?: number;
  product?: Partial<ExportDocumentInput["product"]>;
  task?: { verify_only?: boolean; repo_url?: string; implementation_plan?: string };
  criteria?: string;
}

/** A product with its stories in an active sprint, and its run just started. */
export function startRun(t: WorldStore, owner: TestUser, options: RunOptions) {
  const { code, strategy = "SPRINT" } = options;
  const stories = (options.stories ?? ["A story"]).map((title) => ({
    title,
    acceptance_criteria: options.criteria ?? "",
    tasks: Array.from({ length: options.tasks ?? 1 }, (_, index) => ({
      title: `Task ${index + 1}`,
      implementation_plan: "Write a line",
      ...options.task,
    })),
  }));
  return startStories(t, owner, { code, pr_strategy: strategy, ...options.product }, stories);
}

type Epic = NonNullable<ExportDocumentInput["pbis"]>[number];

/** A product with these stories in its active sprint, and further sprints. */
export async function importStories(
  t: WorldStore,
  owner: TestUser,
  product: Partial<ExportDocumentInput["product"]> & { code: string },
  stories: readonly NonNullable<Epic["stories"]>[number][],
  further: NonNullable<ExportDocumentInput["sprints"]> = [],
) {
  const document = exportDocumentSchema.parse({
    format: "backloom-export",
    version: 1,
    product: { name: product.code, ...product },
    sprints: [{ code: "SP-1", sprint_goal: "All of it", status: "ACTIVE" }, ...further],
    pbis: [{ title: "Everything", stories: stories.map((story) => ({ sprint: "SP-1", ...story })) }],
  });
  return importDocument(t.database, owner.id, document);
}

/** The same, and its run just started. */
export async function startStories(...[t, owner, product, stories]: Parameters<typeof importStories>) {
  const actor = t.actorOf(owner);
  const { id: productId } = await importStories(t, owner, product, stories);
  const rows = await t.query`select id from sprints where product_id = ${productId}`;
  const run = await startSprintRun(actor, { sprint_id: rows[0].id });
  return { productId, runId: run.id, read: () => getSprintRun(actor, { sprint_run_id: run.id }) };
}

/** Tasks without plans in no sprint, and a run for them. */
export async function startUnplanned(
  t: WorldStore,
  owner: TestUser,
  code: string,
  options: Omit<Parameters<typeof startRunOf>[1], "task_ids">,
  tasks: number,
) {
  // Five products a minute are enough for a person.
  await t.query`delete from public.rate_limit_counters`;
  const actor = t.actorOf(owner);
  const product = await t.seedProduct(owner, { p_code: code, p_repo_url: "" });
  const pbi = await create(actor, "create_pbi", { p_product_id: product.id, p_title: "PBI" });
  const story = await create(actor, "create_story", { p_pbi_id: pbi.id, p_title: "Story" });
  const task_ids: string[] = [];
  for (let n = 1; n <= tasks; n++) {
    const about = { p_title: `Task ${n}`, p_description: "Add a footer" };
    task_ids.push((await create(actor, "create_task", { p_story_id: story.id, ...about })).id);
  }
  const { run } = await startRunOf(actor, { task_ids, ...options });
  return { story, run: () => getSprintRun(actor, { sprint_run_id: run.id }) };
}
