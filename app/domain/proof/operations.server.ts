import { jobIdInput } from "~/contract/agent-job";
import {
  addEvidenceInput,
  evidenceSchema,
  jobProofSchema,
  storyProofSchema,
  waiveCriterionInput,
} from "~/contract/proof";
import { storyIdInput } from "~/contract/story";
import { gatheringOperation, operation } from "../operation.server";

/** What proves the stories of a job (docs/proof.md). */
export const getJobProof = operation("get_job_proof", jobIdInput, jobProofSchema);

/** What proves the criteria of a story (docs/proof.md). */
export const getProof = operation("get_proof", storyIdInput, storyProofSchema);

/** A person lets a criterion go, with a reason (docs/proof.md). */
export const waiveCriterion = operation("waive_criterion", waiveCriterionInput, storyProofSchema);

/** Adds evidence for a criterion of a story (docs/proof.md). */
export const addEvidence = gatheringOperation(
  "add_evidence",
  addEvidenceInput,
  { own: ["story_id"], rest: "evidence" },
  evidenceSchema,
);
