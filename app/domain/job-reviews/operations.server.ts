import { z } from "zod";
import { jobCommentIdInput, reviewJobInput, sentReviewSchema } from "~/contract/job-review";
import { operation } from "../operation.server";

/** Takes one's own draft back. */
export const deleteJobComment = operation("delete_job_comment", jobCommentIdInput, z.null());

/** One round of a review: a verdict, words, and every comment that was collected. */
export const reviewJob = operation("review_job", reviewJobInput, sentReviewSchema);
