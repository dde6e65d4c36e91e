import { z } from "zod";
import { operation, patchOperation } from "~/nouns/operation.server";
import * as wire from "~/wire/saved-views/contract";

/** Saves a view of the backlog or board under a name. */
export const createSavedView = operation("create_saved_view", wire.createSavedViewInput, wire.savedViewSchema);

/** Deletes a view for everyone who has it. */
export const deleteSavedView = operation(
  "delete_saved_view",
  wire.savedViewIdInput,
  z.object({ deleted: z.boolean() }),
);

/** The caller's own and the shared views of a product. */
export const listSavedViews = operation("list_saved_views", wire.listSavedViewsInput, wire.savedViewListSchema);

/** Changes a view's name, layout or sharing. */
export const updateSavedView = patchOperation(
  "update_saved_view",
  wire.updateSavedViewInput,
  { own: ["view_id"], rest: "changes" },
  wire.savedViewSchema,
);
