import { z } from "zod";
import {
  createSavedViewInput,
  listSavedViewsInput,
  savedViewIdInput,
  savedViewListSchema,
  savedViewSchema,
  updateSavedViewInput,
} from "~/contract/saved-view";
import { gatheringOperation, operation } from "../operation.server";

/** Keeps a look of backlog or board under a name. */
export const createSavedView = operation(
  "create_saved_view",
  createSavedViewInput,
  savedViewSchema,
);

/** Takes a view out of the lists of everybody who has it. */
export const deleteSavedView = operation(
  "delete_saved_view",
  savedViewIdInput,
  z.object({ deleted: z.boolean() }),
);

/** One's own and the shared views of a product. */
export const listSavedViews = operation(
  "list_saved_views",
  listSavedViewsInput,
  savedViewListSchema,
);

/** Another name, another look, or for others too. */
export const updateSavedView = gatheringOperation(
  "update_saved_view",
  updateSavedViewInput,
  { own: ["view_id"], rest: "changes" },
  savedViewSchema,
);
