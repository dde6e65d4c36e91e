import { type StoryProof, storyProofSchema, type WaiveCriterionInput } from "~/contract/proof";
import { type Actor, callAs } from "~/db/rpc.server";

/** A person lets a criterion go, with a reason (docs/proof.md). */
export function waiveCriterion(actor: Actor, input: WaiveCriterionInput): Promise<StoryProof> {
  return callAs(
    actor,
    "waive_criterion",
    { p_story_id: input.story_id, p_criterion: input.criterion, p_reason: input.reason },
    storyProofSchema,
  );
}
