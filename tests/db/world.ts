import type { Actor } from "~/db/rpc.server";
import type { Pbi } from "~/nouns/pbis/contract";
import { createPbi } from "~/nouns/pbis/operations.server";
import type { ProductDetail } from "~/nouns/products/contract";
import { createProduct } from "~/nouns/products/operations.server";
import type { Story } from "~/nouns/stories/contract";
import { createStory } from "~/nouns/stories/operations.server";
import type { TaskDetail } from "~/nouns/tasks/contract";
import { createTask } from "~/nouns/tasks/operations.server";
import type { TestDatabase } from "../setup/database";
import { createUser, type TestUser } from "../setup/users";

export interface World {
  owner: TestUser;
  actor: Actor;
  product: ProductDetail;
  pbi: Pbi;
  story: Story;
  tasks: TaskDetail[];
}

/** An owner of their own with a product, a PBI, a story and so many tasks: no test meets another's limits or rows. */
export async function seedWorld(t: TestDatabase, taskCount = 2): Promise<World> {
  const owner = await createUser(t);
  const actor = t.actorOf(owner);
  const product = await createProduct(actor, { code: "WORLD", name: "World" });
  const pbi = await createPbi(actor, { product_id: product.id, title: "PBI" });
  const story = await createStory(actor, { pbi_id: pbi.id, title: "Story" });
  const tasks: TaskDetail[] = [];
  for (let n = 1; n <= taskCount; n++) {
    tasks.push(await createTask(actor, { story_id: story.id, title: `Task ${n}` }));
  }
  return { owner, actor, product, pbi, story, tasks };
}

/** The element at a position that the test knows to exist. */
export function at<T>(list: readonly T[], index: number): T {
  const element = list[index];
  if (element === undefined) throw new Error(`There is no element ${index} of ${list.length}.`);
  return element;
}
