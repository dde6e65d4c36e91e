import { createHash, randomBytes, randomUUID } from "node:crypto";
import type pg from "pg";
import { expect, onTestFinished } from "vitest";
import { z } from "zod";
import type { Database } from "~/db/database.server";
import { type Actor, callAs, callService } from "~/db/rpc.server";
import type { ReportAgentJobInput } from "~/nouns/agent-jobs/job-report";
import { claimAgentJob, reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { addDependency } from "~/nouns/dependencies/operations.server";
import { startSprintRun } from "~/nouns/sprint-runs/operations.server";
import type { AgentJob } from "~/wire/agent-jobs/contract";
import type { JobPayload } from "~/wire/workers/contract";

export interface Store {
  /** The database as the app sees it, over the transport of this run. */
  database: Database;
  /** Raw connections as `postgres`, the owner of the tables, whom row level security does not stop. */
  sql: pg.Pool;
  /** Someone whom the operations take at their word. */
  actorOf(user: { id: string }): Actor;
}

export type WorldStore = Store & ReturnType<typeof makersOf>;

/** The world builder: everything that tests need in a store, bound to it. */
export function makersOf(t: Store) {
  return {
    query: <R extends pg.QueryResultRow = pg.QueryResult["rows"][number]>(
      sql: TemplateStringsArray,
      ...values: unknown[]
    ): Promise<R[]> => query(t, sql, values),
    begin: () => begin(t),
    inTransaction: <T>(work: (client: pg.PoolClient) => Promise<T>) => inTransaction(t, work),
    untilSomeoneWaits: () => untilSomeoneWaits(t),
    createUser: (options?: UserOptions) => createUser(t, options),
    createToken: (user: { id: string }, options?: TokenOptions) => createToken(t, user, options),
    bearerOf: async (user: { id: string }) => bearer(await createToken(t, user)),
    addMember: (productId: string, user: { id: string }) => addMember(t, productId, user),
    createMember: (productId: string, options?: UserOptions & { viewer?: boolean }) =>
      createMember(t, productId, options),
    newMember: (productId: string, options?: UserOptions) => newMember(t, productId, options),
    allowWorkers: (productId: string, user: { id: string }) => allowWorkers(t, productId, user),
    seedProduct: (owner: { id: string }, fields?: Record<string, unknown>) => seedProduct(t, owner, fields),
    seedBacklog: (owner: { id: string }) => seedBacklog(t, owner),
    seedWorld: (taskCount?: number) => seedWorld(t, taskCount),
    seedSprint: (options?: SprintOptions) => seedSprint(t, options),
    holdJob: (options?: SprintOptions) => holdJob(t, options),
    columnOf: (table: string, id: string, column: string) => columnOf(t, table, id, column),
    statusesOf: (table: string, rows: readonly { id: string }[]) => statusesOf(t, table, rows),
    expireQuestion: (questionId: string) => expireQuestion(t, questionId),
    expectRightCounters: () => expectRightCounters(t),
  };
}

export type TestUser = { id: string; username: string; email: string; password: string };

export interface UserOptions {
  username?: string;
  demo?: boolean;
  role?: "DEVELOPER" | "ADMIN";
  mustResetPassword?: boolean;
}

/** The rows of a statement as the owner of the tables; what stands in ${} is sent as a parameter. */
async function query<R extends pg.QueryResultRow>(
  t: Store,
  sql: TemplateStringsArray,
  values: readonly unknown[],
): Promise<R[]> {
  const text = sql.reduce((before, after, n) => `${before}$${n}${after}`);
  return (await t.sql.query<R>(text, [...values])).rows;
}

/** A transaction as `postgres`, on a connection of its own. The end of the test ends both. */
async function begin(t: Store): Promise<pg.PoolClient> {
  const client = await t.sql.connect();
  onTestFinished(() => client.release(true));
  await client.query("begin");
  return client;
}

/** What is done in one transaction as `postgres`, and committed. */
async function inTransaction<T>(t: Store, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await t.sql.connect();
  try {
    await client.query("begin");
    const result = await work(client);
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback");
    throw error;
  } finally {
    client.release();
  }
}

/** Resolves as soon as someone waits for a lock; other databases of the same Postgres have waiting of their own. */
async function untilSomeoneWaits(t: Store): Promise<void> {
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await expect.poll(async () => (await t.sql.query(waiting)).rowCount).toBeGreaterThan(0);
}

/** A user who can sign in with `password`. Many are needed, so the hash is made as cheap as it may be. */
async function createUser(t: Store, options: UserOptions = {}): Promise<TestUser> {
  const id = randomUUID();
  const username = options.username ?? `user-${id.slice(0, 8)}`;
  const user = { id, username, email: `${username}@example.com`, password: "correct horse battery" };
  await t.sql.query(
    `with identity as (
       insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
                               created_at, updated_at, raw_app_meta_data, raw_user_meta_data,
                               confirmation_token, recovery_token, email_change, email_change_token_new)
       values ('00000000-0000-0000-0000-000000000000', $1, 'authenticated', 'authenticated', $2,
               extensions.crypt($3, extensions.gen_salt('bf', 4)), now(), now(), now(),
               '{"provider":"email","providers":["email"]}', jsonb_build_object('username', $4::text), '', '', '', '')
       returning id, email)
     insert into auth.identities (id, provider, provider_id, user_id, identity_data, created_at, updated_at)
     select gen_random_uuid(), 'email', id::text, id,
            jsonb_build_object('sub', id::text, 'email', email, 'email_verified', true), now(), now()
       from identity`,
    [id, user.email, user.password, username],
  );
  await t.sql.query(
    `insert into public.users (id, username, email, role, is_demo, must_reset_password)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (id) do update set username = excluded.username, role = excluded.role,
       is_demo = excluded.is_demo, must_reset_password = excluded.must_reset_password`,
    [id, username, user.email, options.role ?? "DEVELOPER", options.demo ?? false, options.mustResetPassword ?? false],
  );
  return user;
}

type TokenOptions = { expiresAt?: Date | null; revoked?: boolean };

async function createToken(
  t: Store,
  user: { id: string },
  { expiresAt = null, revoked = false }: TokenOptions = {},
): Promise<string> {
  const token = `blm_${randomBytes(32).toString("base64url")}`;
  await t.sql.query(
    `insert into public.api_tokens (user_id, label, prefix, token_hash, expires_at, revoked_at)
     values ($1, 'test', $2, $3, $4, case when $5 then now() end)`,
    [user.id, token.slice(0, 8), createHash("sha256").update(token).digest(), expiresAt, revoked],
  );
  return token;
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

const created = z.looseObject({ id: z.string(), code: z.string() });
export type Created = z.infer<typeof created>;

/** Runs an operation that creates something, and returns its id and code. */
export function create(actor: Actor, operation: string, operationArguments: Record<string, unknown>): Promise<Created> {
  return callAs(actor, operation, operationArguments, created);
}

export interface Backlog {
  product: Created;
  pbi: Created;
  story: Created;
  /** Two tasks of the story, in their order. */
  task: Created;
  secondTask: Created;
  /** The active sprint; the story is in it. */
  sprint: Created;
}

/** A product of the owner with one PBI, one story with two tasks, and an active sprint that holds the story. */
async function seedBacklog(t: Store, owner: { id: string }): Promise<Backlog> {
  const actor = t.actorOf(owner);
  const product = await seedProduct(t, owner);
  const pbi = await create(actor, "create_pbi", { p_product_id: product.id, p_title: "Exports" });
  const story = await create(actor, "create_story", {
    p_pbi_id: pbi.id,
    p_title: "Export as CSV",
    p_description: "People want their rows.",
    p_acceptance_criteria: "- [ ] Opens in a spreadsheet",
  });
  const task = await create(actor, "create_task", {
    p_story_id: story.id,
    p_title: "Write rows",
    p_description: "One line a row.",
    p_implementation_plan: "1. Quote\n2. Write",
  });
  const secondTask = await create(actor, "create_task", { p_story_id: story.id, p_title: "Add the button" });
  const sprint = await seedActiveSprint(actor, product.id, [story.id]);
  return { product, pbi, story, task, secondTask, sprint };
}

function seedProduct(t: Store, owner: { id: string }, fields: Record<string, unknown> = {}): Promise<Created> {
  return create(t.actorOf(owner), "create_product", {
    p_code: `P-${randomBytes(4).toString("hex")}`,
    p_name: "Ledger",
    p_description: "Keeps accounts.",
    p_repo_url: "https://example.com/ledger",
    p_definition_of_done: "Reviewed and released",
    ...fields,
  });
}

export async function seedActiveSprint(actor: Actor, productId: string, storyIds: readonly string[]): Promise<Created> {
  const sprint = await create(actor, "create_sprint", { p_product_id: productId, p_sprint_goal: "Exports work" });
  for (const storyId of storyIds) {
    await create(actor, "add_story_to_sprint", { p_sprint_id: sprint.id, p_story_id: storyId });
  }
  await create(actor, "start_sprint", { p_sprint_id: sprint.id });
  return sprint;
}

async function addMember(t: Store, productId: string, member: { id: string }): Promise<void> {
  await t.sql.query("insert into public.product_members (product_id, user_id, role) values ($1, $2, 'MEMBER')", [
    productId,
    member.id,
  ]);
}

/** Someone new with access to the product. */
async function createMember(
  t: Store,
  productId: string,
  { viewer = false, ...options }: UserOptions & { viewer?: boolean } = {},
): Promise<TestUser> {
  const user = await createUser(t, options);
  await addMember(t, productId, user);
  const toViewer = "update public.product_members set role = 'VIEWER' where user_id = $1";
  if (viewer) await t.sql.query(toViewer, [user.id]);
  return user;
}

/** What a member does on the members page, so that their workers' word counts. */
async function allowWorkers(t: Store, productId: string, member: { id: string }): Promise<void> {
  await t.sql.query("update public.product_members set workers_allowed = true where product_id = $1 and user_id = $2", [
    productId,
    member.id,
  ]);
}

export interface World {
  owner: TestUser;
  actor: Actor;
  product: Created;
  pbi: Created;
  story: Created;
  tasks: Created[];
}

/** An owner of their own with a product, a PBI, a story and so many tasks: no test meets another's limits or rows. */
async function seedWorld(t: Store, taskCount = 2): Promise<World> {
  const owner = await createUser(t);
  const actor = t.actorOf(owner);
  const product = await create(actor, "create_product", { p_code: "WORLD", p_name: "World" });
  const pbi = await create(actor, "create_pbi", { p_product_id: product.id, p_title: "PBI" });
  const story = await create(actor, "create_story", { p_pbi_id: pbi.id, p_title: "Story" });
  const tasks: Created[] = [];
  for (let n = 1; n <= taskCount; n++) {
    tasks.push(await create(actor, "create_task", { p_story_id: story.id, p_title: `Task ${n}` }));
  }
  return { owner, actor, product, pbi, story, tasks };
}

/** The element at a position that the test knows to exist. */
export function at<T>(list: readonly T[], index: number): T {
  const element = list[index];
  if (element === undefined) throw new Error(`There is no element ${index} of ${list.length}.`);
  return element;
}

type StartOptions = Omit<Parameters<typeof startSprintRun>[1], "sprint_id">;

export interface SprintWorld {
  owner: TestUser;
  actor: Actor;
  product: Created;
  pbi: Created;
  /** Stories in their order, each with its tasks in their order. */
  stories: (Created & { tasks: Created[] })[];
  tasks: Created[];
  sprint: Created;
  start(options?: StartOptions): ReturnType<typeof startSprintRun>;
}

export interface SprintOptions {
  strategy?: "SPRINT" | "STORY" | "SPRINT_BATCH";
  /** How many tasks each story has. */
  stories?: number[];
  plan?: (story: number, task: number) => string | undefined;
  task?: Record<string, unknown>;
}

/** An owner of their own with a product and an active sprint, ready for a run. */
async function seedSprint(
  t: Store,
  { strategy = "SPRINT", stories: sizes = [2, 1], plan = planOf, task = {} }: SprintOptions = {},
): Promise<SprintWorld> {
  const owner = await createUser(t);
  const actor = t.actorOf(owner);
  const product = await seedProduct(t, owner, { p_pr_strategy: strategy });
  const pbi = await create(actor, "create_pbi", { p_product_id: product.id, p_title: "PBI" });
  const sprint = await create(actor, "create_sprint", { p_product_id: product.id, p_sprint_goal: "Goal" });
  const stories: SprintWorld["stories"] = [];
  for (const [s, size] of sizes.entries()) {
    const story = await create(actor, "create_story", {
      p_pbi_id: pbi.id,
      p_title: `Story ${s + 1}`,
      p_acceptance_criteria: "- [ ] Works",
    });
    const tasks: Created[] = [];
    for (let n = 1; n <= size; n++) {
      tasks.push(
        await create(actor, "create_task", {
          p_story_id: story.id,
          p_title: `Task ${s + 1}.${n}`,
          p_implementation_plan: plan(s + 1, n),
          ...task,
        }),
      );
    }
    await create(actor, "add_story_to_sprint", { p_sprint_id: sprint.id, p_story_id: story.id });
    stories.push({ ...story, tasks });
  }
  await create(actor, "start_sprint", { p_sprint_id: sprint.id });
  const start: SprintWorld["start"] = (options = {}) => startSprintRun(actor, { sprint_id: sprint.id, ...options });
  const tasks = stories.flatMap((story) => story.tasks);
  return { owner, actor, product, pbi, stories, tasks, sprint, start };
}

function planOf(story: number, task: number): string {
  return `Change src/part-${story}-${task}.ts`;
}

/** What a worker says at the end of a job: that it is done as planned, and whatever else. */
export function finish(
  actor: Actor,
  { id, attempt }: { id: string; attempt: number },
  rest: Partial<ReportAgentJobInput> = {},
) {
  const done = { status: "done", verify_result: "ALIGNED" } as const;
  return reportAgentJob(actor, { job_id: id, attempt, ...done, ...rest });
}

/** Claims a job that the test knows to be claimable. */
export async function claim(actor: Actor, worker = "worker-1"): Promise<JobPayload> {
  const { job, reason } = await claimAgentJob(actor, { worker });
  if (!job) throw new Error(`Nothing to claim: ${reason?.message}`);
  return job;
}

/** A run whose first job is held by a worker, and what that worker reports. */
async function holdJob(t: Store, options: SprintOptions = { stories: [1] }) {
  const world = await seedSprint(t, options);
  const run = await world.start();
  const job = await claim(world.actor);
  const attempt = { job_id: job.id, attempt: job.attempt };
  const report = (rest: Omit<ReportAgentJobInput, "job_id" | "attempt">): Promise<AgentJob> =>
    reportAgentJob(world.actor, { ...attempt, ...rest });
  return { world, run, job, attempt, report, task: at(world.tasks, 0) };
}

/** Why nothing can be claimed; fails when something could be. */
export async function claimRefusal(actor: Actor, worker = "worker-1"): Promise<string> {
  const { job, reason } = await claimAgentJob(actor, { worker });
  if (job) throw new Error(`Claimed job ${job.id}`);
  return reason?.code ?? "";
}

async function columnOf(t: Store, table: string, id: string, column: string): Promise<unknown> {
  const { rows } = await t.sql.query(`select ${column} as value from public.${table} where id = $1`, [id]);
  return rows[0]?.value;
}

/** The statuses of rows as they are now, in their order. */
async function statusesOf(t: Store, table: string, of: readonly { id: string }[]): Promise<string[]> {
  const { rows } = await t.sql.query<{ status: string }>(
    `select x.status::text as status from unnest($1::uuid[]) with ordinality as ids (id, place)
     join public.${table} x on x.id = ids.id order by ids.place`,
    [of.map(({ id }) => id)],
  );
  return rows.map((row) => row.status);
}

/** Someone new with access to the product, and what they act as. */
async function newMember(t: Store, productId: string, options: { demo?: boolean } = {}) {
  const user = await createMember(t, productId, options);
  return { user, actor: t.actorOf(user) };
}

async function expireQuestion(t: Store, questionId: string): Promise<void> {
  await t.sql.query("update public.agent_questions set expires_at = now() - interval '1 second' where id = $1", [
    questionId,
  ]);
}

export async function wait(actor: Actor, task: Created, ...blockers: Created[]): Promise<void> {
  for (const { id } of blockers) {
    await addDependency(actor, { kind: "task", id: task.id, blocked_by: id });
  }
}

export async function waitStory(actor: Actor, story: Created, ...blockers: Created[]): Promise<void> {
  for (const { id } of blockers) {
    await addDependency(actor, { kind: "story", id: story.id, blocked_by: id });
  }
}

/** Every counter of an unfinished job is what is counted again. */
async function expectRightCounters(t: Store): Promise<void> {
  expect(await callService(t.database, "find_wrong_counters", {}, z.array(z.unknown()))).toEqual([]);
}
