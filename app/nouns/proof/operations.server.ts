import { operation, patchOperation } from "~/nouns/operation.server";
import { jobIdInput } from "~/wire/agent-jobs/contract";
import {
  addEvidenceInput,
  evidenceSchema,
  jobProofSchema,
  storyProofSchema,
  waiveCriterionInput,
} from "~/wire/proof/contract";
import { storyIdInput } from "~/wire/stories/contract";

/** Proof of a job's stories (docs/proof.md). */
export const getJobProof = operation("get_job_proof", jobIdInput, jobProofSchema);

/** Proof of a story's criteria (docs/proof.md). */
export const getProof = operation("get_proof", storyIdInput, storyProofSchema);

/** Waives a criterion, with a person's reason (docs/proof.md). */
export const waiveCriterion = operation("waive_criterion", waiveCriterionInput, storyProofSchema);

/** Adds evidence for a story's criterion (docs/proof.md). */
export const addEvidence = patchOperation(
  "add_evidence",
  addEvidenceInput,
  { own: ["story_id"], rest: "evidence" },
  evidenceSchema,
);
