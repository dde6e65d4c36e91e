import { z } from "zod";
import { type Actor, callAs } from "~/db/rpc.server";
import type { ListItem } from "./pasted-list";

const madeSchema = z.object({ stories: z.array(z.string()), tasks: z.array(z.string()) });

/** Creates the items of a pasted list, all or none: stories with tasks in a PBI, or tasks in a story. */
export function createFromList(
  actor: Actor,
  into: { pbi_id: string } | { story_id: string },
  items: readonly ListItem[],
) {
  return callAs(
    actor,
    "create_from_list",
    {
      p_items: items,
      ...("pbi_id" in into ? { p_pbi_id: into.pbi_id } : { p_story_id: into.story_id }),
    },
    madeSchema,
  );
}
