import { z } from "zod";
import type { TestUser, WorldStore } from "../setup/world";

const idRow = z.object({ id: z.string() });

export async function insert(t: WorldStore, statement: string, values: unknown[]): Promise<string> {
  const { rows } = await t.sql.query(`${statement} returning id`, values);
  return idRow.parse(rows[0]).id;
}

/** A product with a member, an active sprint, and one story of it that belongs to the member. */
export interface World {
  owner: TestUser;
  member: TestUser;
  stranger: TestUser;
  productId: string;
  sprintId: string;
  pbiId: string;
  storyId: string;
  taskId: string;
}

let products = 0;

export async function createWorld(t: WorldStore): Promise<World> {
  const [owner, member, stranger] = await Promise.all([t.createUser(), t.createUser(), t.createUser()]);
  products += 1;
  const productId = await insert(t, "insert into public.products (owner_id, code, name) values ($1, $2, 'Loom')", [
    owner.id,
    `LOOM-${products}`,
  ]);
  await addMember(t, productId, member.id);
  const sprintId = await createSprint(t, productId, "ACTIVE");
  const pbiId = await createPbi(t, productId);
  const storyId = await createStory(t, { productId, pbiId, sprintId, assigneeId: member.id });
  const taskId = await createTask(t, storyId);
  return { owner, member, stranger, productId, sprintId, pbiId, storyId, taskId };
}

export async function addMember(t: WorldStore, productId: string, userId: string): Promise<void> {
  await t.query`insert into public.product_members (product_id, user_id) values (${productId}, ${userId})`;
}

export async function removeMember(t: WorldStore, productId: string, userId: string): Promise<void> {
  await t.query`delete from public.product_members where product_id = ${productId} and user_id = ${userId}`;
}

export function createPbi(t: WorldStore, productId: string, title = "A PBI"): Promise<string> {
  return insert(t, "insert into public.pbis (product_id, title) values ($1, $2)", [productId, title]);
}

export function createSprint(
  t: WorldStore,
  productId: string,
  status: "PLANNED" | "ACTIVE" = "PLANNED",
): Promise<string> {
  return insert(t, "insert into public.sprints (product_id, status) values ($1, $2)", [productId, status]);
}

interface StoryPlace {
  productId: string;
  pbiId: string;
  sprintId?: string | null;
  assigneeId?: string | null;
  title?: string;
}

export function createStory(t: WorldStore, place: StoryPlace): Promise<string> {
  const { productId, pbiId, sprintId = null, assigneeId = null, title = "A story" } = place;
  return insert(
    t,
    `insert into public.stories (product_id, pbi_id, title, sprint_id, assignee_id, status)
     values ($1, $2, $3, $4, $5, case when $4::uuid is null then 'OPEN' else 'IN_SPRINT' end::public.story_status)`,
    [productId, pbiId, title, sprintId, assigneeId],
  );
}

export function createTask(t: WorldStore, storyId: string, title = "A task"): Promise<string> {
  return insert(t, "insert into public.tasks (story_id, title) values ($1, $2)", [storyId, title]);
}
