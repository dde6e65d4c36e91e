import { operation, patchOperation } from "~/nouns/operation.server";
import { jobIdInput } from "~/wire/agent-jobs/contract";
import * as wire from "~/wire/proof/contract";
import { storyIdInput } from "~/wire/stories/contract";

/** Proof of a job's stories (docs/proof.md). */
export const getJobProof = operation("get_job_proof", jobIdInput, wire.jobProofSchema);

/** Proof of a story's criteria (docs/proof.md). */
export const getProof = operation("get_proof", storyIdInput, wire.storyProofSchema);

/** Waives a criterion, with a person's reason (docs/proof.md). */
export const waiveCriterion = operation("waive_criterion", wire.waiveCriterionInput, wire.storyProofSchema);

/** Adds evidence for a story's criterion (docs/proof.md). */
export const addEvidence = patchOperation(
  "add_evidence",
  wire.addEvidenceInput,
  { own: ["story_id"], rest: "evidence" },
  wire.evidenceSchema,
);
