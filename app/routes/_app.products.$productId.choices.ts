import { json } from "@remix-run/node";
import type { ProductChoices } from "~/features/items/menu-choices";
import { productLoader } from "~/http/page-guards.server";
import { getBacklogTree } from "~/nouns/pages/operations.server";
import { listProductMembers } from "~/nouns/products/operations.server";
import { takesStories } from "~/nouns/sprints/takes-stories";

/** More than fit a menu. In larger products, typing filters the newest. */
const mostStories = 500;

/** `GET /products/:id/choices`: choices of the row menus, loaded when the first one opens. */
export const loader = productLoader(async ({ actor, productId }) => {
  const [tree, members] = await Promise.all([
    getBacklogTree(actor, { product_id: productId }),
    listProductMembers(actor, { product_id: productId }),
  ]);
  const named = ({ id, code, title }: { id: string; code: string; title: string }) => ({ id, code, title });
  const choices: ProductChoices = {
    members: members
      .filter(({ role }) => role !== "VIEWER")
      .map(({ user_id, username }) => ({ id: user_id, username })),
    sprints: tree.sprints.filter(takesStories).map(({ id, code, sprint_goal }) => ({ id, code, goal: sprint_goal })),
    stories: tree.stories
      .filter(({ status }) => status !== "done")
      .slice(-mostStories)
      .map(named),
    pbis: tree.pbis.map(named),
    labels: tree.labels,
  };
  return json(choices);
});
