import {
  createIdeaInput,
  ideaDetailSchema,
  ideaIdInput,
  ideaPageSchema,
  ideaSchema,
  linkIdeaProductInput,
  listIdeasInput,
  promotedIdeaSchema,
  promoteIdeaInput,
  updateIdeaInput,
} from "~/contract/idea";
import { refuseSimilar } from "~/contract/idempotency";
import { gatheringOperation, operation } from "../operation.server";

/** Archives an idea (specification: Idea). */
export const archiveIdea = operation("archive_idea", ideaIdInput, ideaSchema);

/** Creates an idea of the caller (specification: Idea). */
export const createIdea = operation(
  "create_idea",
  createIdeaInput.safeExtend(refuseSimilar),
  ideaSchema,
);

/** One idea with its PBI and log (specification: Idea). */
export const getIdea = operation("get_idea", ideaIdInput, ideaDetailSchema);

/** Links an idea to a further product (specification: Idea). */
export const linkIdeaProduct = operation("link_idea_product", linkIdeaProductInput, ideaSchema);

/** Ideas of the caller, oldest first (specification: Idea). */
export const listIdeas = operation("list_ideas", listIdeasInput, ideaPageSchema);

/** Makes a PBI of an idea, atomically (specification: States and transitions, Idea). */
export const promoteIdea = operation("promote_idea", promoteIdeaInput, promotedIdeaSchema);

/** Restores an archived idea (specification: Idea). */
export const restoreIdea = operation("restore_idea", ideaIdInput, ideaSchema);

/** Removes the link of an idea to a further product (specification: Idea). */
export const unlinkIdeaProduct = operation("unlink_idea_product", linkIdeaProductInput, ideaSchema);

/** Edits an idea or moves it forward (specification: Idea). */
export const updateIdea = gatheringOperation(
  "update_idea",
  updateIdeaInput,
  { own: ["idea_id"], rest: "changes" },
  ideaSchema,
);
