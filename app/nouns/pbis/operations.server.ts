import { z } from "zod";
import { operation, patchOperation } from "~/nouns/operation.server";
import { refuseSimilar } from "~/wire/concurrency";
import {
  createPbiInput,
  movePbiInput,
  pbiDetailSchema,
  pbiIdInput,
  pbiSchema,
  setPbiPrInput,
  updatePbiInput,
} from "~/wire/pbis/contract";
import { storySchema } from "~/wire/stories/contract";

/** Creates a PBI, last within its priority (specification: PBI, Entity codes). */
export const createPbi = operation("create_pbi", createPbiInput.safeExtend(refuseSimilar), pbiSchema);

/** Deletes a PBI with its stories and tasks. */
export const deletePbi = operation("delete_pbi", pbiIdInput, z.object({ id: z.string() }));

/** One PBI with its stories (specification: PBI). */
export const getPbi = operation("get_pbi", pbiIdInput, pbiDetailSchema);

/** Stories of a PBI in order (specification: GET /api/pbis/:id/stories). */
export const listPbiStories = operation("list_pbi_stories", pbiIdInput, z.array(storySchema));

/** Records that the pull request of a PBI was merged (specification: PBI). */
export const markPbiPrMerged = operation("mark_pbi_pr_merged", pbiIdInput, pbiSchema);

/** Moves a PBI by float insertion (specification: Ordering rules 4). */
export const movePbi = operation("move_pbi", movePbiInput, pbiSchema);

/** Sets or clears the pull request of a PBI (specification: PBI). */
export const setPbiPr = operation("set_pbi_pr", setPbiPrInput, pbiSchema);

/** Edits, blocks or unblocks a PBI (specification: PBI). */
export const updatePbi = patchOperation("update_pbi", updatePbiInput, { own: ["pbi_id"], rest: "changes" }, pbiSchema);
