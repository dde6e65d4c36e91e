import { z } from "zod";
import { operation, patchOperation } from "~/nouns/operation.server";
import { refuseSimilar } from "~/wire/concurrency";
import * as wire from "~/wire/pbis/contract";
import { storySchema } from "~/wire/stories/contract";

/** Creates a PBI, last within its priority (specification: PBI, Entity codes). */
export const createPbi = operation("create_pbi", wire.createPbiInput.safeExtend(refuseSimilar), wire.pbiSchema);

/** Deletes a PBI with its stories and tasks. */
export const deletePbi = operation("delete_pbi", wire.pbiIdInput, z.object({ id: z.string() }));

/** One PBI with its stories (specification: PBI). */
export const getPbi = operation("get_pbi", wire.pbiIdInput, wire.pbiDetailSchema);

/** Stories of a PBI in order (specification: GET /api/pbis/:id/stories). */
export const listPbiStories = operation("list_pbi_stories", wire.pbiIdInput, z.array(storySchema));

/** Records that the pull request of a PBI was merged (specification: PBI). */
export const markPbiPrMerged = operation("mark_pbi_pr_merged", wire.pbiIdInput, wire.pbiSchema);

/** Moves a PBI by float insertion (specification: Ordering rules 4). */
export const movePbi = operation("move_pbi", wire.movePbiInput, wire.pbiSchema);

/** Sets or clears the pull request of a PBI (specification: PBI). */
export const setPbiPr = operation("set_pbi_pr", wire.setPbiPrInput, wire.pbiSchema);

/** Edits, blocks or unblocks a PBI (specification: PBI). */
export const updatePbi = patchOperation(
  "update_pbi",
  wire.updatePbiInput,
  { own: ["pbi_id"], rest: "changes" },
  wire.pbiSchema,
);
