import { z } from "zod";
import { operation } from "~/nouns/operation.server";
import { jobCommentIdInput, reviewJobInput, sentReviewSchema } from "./contract";

/** Deletes the caller's own draft. */
export const deleteJobComment = operation("delete_job_comment", jobCommentIdInput, z.null());

/** Sends a review: a verdict, a text and all drafted comments. */
export const reviewJob = operation("review_job", reviewJobInput, sentReviewSchema);
