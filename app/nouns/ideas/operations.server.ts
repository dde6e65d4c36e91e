import { operation, patchOperation } from "~/nouns/operation.server";
import { refuseSimilar } from "~/wire/concurrency";
import * as wire from "~/wire/ideas/contract";

/** Archives an idea (specification: Idea). */
export const archiveIdea = operation("archive_idea", wire.ideaIdInput, wire.ideaSchema);

/** Creates an idea of the caller (specification: Idea). */
export const createIdea = operation("create_idea", wire.createIdeaInput.safeExtend(refuseSimilar), wire.ideaSchema);

/** One idea with its PBI, its log and the conversation about it (specification: Idea; User question). */
export const getIdea = operation("get_idea", wire.ideaIdInput, wire.ideaDetailSchema);

/** Links an idea to another product (specification: Idea). */
export const linkIdeaProduct = operation("link_idea_product", wire.linkIdeaProductInput, wire.ideaSchema);

/** The caller's ideas, oldest first (specification: Idea). */
export const listIdeas = operation("list_ideas", wire.listIdeasInput, wire.ideaPageSchema);

/** Turns an idea into a PBI, atomically (specification: States and transitions, Idea). */
export const promoteIdea = operation("promote_idea", wire.promoteIdeaInput, wire.promotedIdeaSchema);

/** Restores an archived idea (specification: Idea). */
export const restoreIdea = operation("restore_idea", wire.ideaIdInput, wire.ideaSchema);

/** Removes an idea's link to another product (specification: Idea). */
export const unlinkIdeaProduct = operation("unlink_idea_product", wire.linkIdeaProductInput, wire.ideaSchema);

/** Edits an idea or advances its status (specification: Idea). */
export const updateIdea = patchOperation(
  "update_idea",
  wire.updateIdeaInput,
  { own: ["idea_id"], rest: "changes" },
  wire.ideaSchema,
);
