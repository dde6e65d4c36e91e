import { z } from "zod";
import type { PbiIdInput } from "~/contract/pbi";
import { type Story, storySchema } from "~/contract/story";
import { type Actor, callAs, callAsRaw } from "~/db/rpc.server";

/** Stories of a PBI in their order (specification: GET /api/pbis/:id/stories). */
export function listPbiStories(actor: Actor, input: PbiIdInput): Promise<Story[]> {
  return callAs(actor, "list_pbi_stories", listPbiStoriesArguments(input), z.array(storySchema));
}

/** The same, as the JSON text that the database made. */
export function listPbiStoriesJson(actor: Actor, input: PbiIdInput): Promise<string> {
  return callAsRaw(actor, "list_pbi_stories", listPbiStoriesArguments(input));
}

function listPbiStoriesArguments(input: PbiIdInput) {
  return { p_pbi_id: input.pbi_id };
}
