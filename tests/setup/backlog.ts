import { randomBytes } from "node:crypto";
import { z } from "zod";
import { type Actor, callAs } from "~/db/rpc.server";
import type { TestDatabase } from "./database";
import { createUser, type TestUser, type UserOptions } from "./users";

const created = z.looseObject({ id: z.string(), code: z.string() });
export type Created = z.infer<typeof created>;

/** Runs an operation that creates something, and returns its id and code. */
export function create(
  actor: Actor,
  operation: string,
  operationArguments: Record<string, unknown>,
): Promise<Created> {
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
export async function seedBacklog(
  t: Pick<TestDatabase, "actorOf">,
  owner: Pick<TestUser, "id">,
): Promise<Backlog> {
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
  const secondTask = await create(actor, "create_task", {
    p_story_id: story.id,
    p_title: "Add the button",
  });
  const sprint = await seedActiveSprint(actor, product.id, [story.id]);
  return { product, pbi, story, task, secondTask, sprint };
}

export function seedProduct(
  t: Pick<TestDatabase, "actorOf">,
  owner: Pick<TestUser, "id">,
  fields: Record<string, unknown> = {},
): Promise<Created> {
  return create(t.actorOf(owner), "create_product", {
    p_code: `P-${randomBytes(4).toString("hex")}`,
    p_name: "Ledger",
    p_description: "Keeps accounts.",
    p_repo_url: "https://example.com/ledger",
    p_definition_of_done: "Reviewed and released",
    ...fields,
  });
}

export async function seedActiveSprint(
  actor: Actor,
  productId: string,
  storyIds: readonly string[],
): Promise<Created> {
  const sprint = await create(actor, "create_sprint", {
    p_product_id: productId,
    p_sprint_goal: "Exports work",
  });
  for (const storyId of storyIds) {
    await create(actor, "add_story_to_sprint", { p_sprint_id: sprint.id, p_story_id: storyId });
  }
  await create(actor, "start_sprint", { p_sprint_id: sprint.id });
  return sprint;
}

/** Gives someone access to the product. */
export async function addMember(
  t: Pick<TestDatabase, "sql">,
  productId: string,
  member: Pick<TestUser, "id">,
): Promise<void> {
  await t.sql.query(
    "insert into public.product_members (product_id, user_id, role) values ($1, $2, 'MEMBER')",
    [productId, member.id],
  );
}

/** Someone new with access to the product. */
export async function createMember(
  t: Pick<TestDatabase, "sql">,
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
export async function allowWorkers(
  t: Pick<TestDatabase, "sql">,
  productId: string,
  member: Pick<TestUser, "id">,
): Promise<void> {
  await t.sql.query(
    "update public.product_members set workers_allowed = true where product_id = $1 and user_id = $2",
    [productId, member.id],
  );
}
