import { z } from "zod";
import { operation } from "~/nouns/operation.server";
import { jobIdInput } from "~/wire/agent-jobs/contract";
import * as wire from "~/wire/reviews/contract";
import { jobMarksSchema } from "~/wire/reviews/marks";
import { storyIdInput } from "~/wire/stories/contract";
import { reviewPageInput, reviewPageSchema, reviewPlaceInput, reviewPlaceSchema } from "./review-page";
import { storyAttemptsSchema } from "./story-changes";

/** Deletes the caller's own draft. */
export const deleteJobComment = operation("delete_job_comment", wire.jobCommentIdInput, z.null());

/** Sends a review: a verdict, a text and all drafted comments. */
export const reviewJob = operation("review_job", wire.reviewJobInput, wire.sentReviewSchema);

/** Sends one verdict for several attempts of a story, all or none. */
export const reviewStory = operation("review_story", wire.reviewStoryInput, wire.sentReviewsSchema);

/** Takes back the caller's verdict on a job, with those that were given with it. */
export const undoReview = operation("undo_review", jobIdInput, z.null());

/** Takes back the caller's last verdict on a story. */
export const undoStoryReview = operation("undo_story_review", storyIdInput, z.null());

/** What the attempts of a story changed, in the order in which they did. */
export const getStoryChanges = operation("get_story_changes", wire.storyChangesInput, storyAttemptsSchema);

/** All that the page of a review shows. */
export const getReviewPage = operation("get_review_page", reviewPageInput, reviewPageSchema);

/** The place of some jobs in the queue, and its neighbors. */
export const getReviewPlace = operation("get_review_place", reviewPlaceInput, reviewPlaceSchema);

/** What waits for the caller's verdict, in the order in which to judge it. */
export const listWaitingReviews = operation("list_waiting_reviews", wire.listReviewsInput, wire.waitingReviewsSchema);

/** Where the newest changes of a job ask for a careful look. */
export const getJobMarks = operation("get_job_marks", jobIdInput, jobMarksSchema);

/** Records that a person has opened the changes of a job. */
export const noteFirstLook = operation("note_first_look", jobIdInput, wire.waitedSchema);

/** Keeps the guide of an attempt's result. */
export const saveJobGuide = operation("save_job_guide", wire.saveJobGuideInput, z.null());

/** The guide to an attempt's changes; null without changes. */
export const getJobGuide = operation("get_job_guide", wire.jobGuideInput, wire.guideSourceSchema.nullable());

/** Marks a file of an attempt as viewed by the caller, or takes the mark back. */
export const markViewed = operation("mark_viewed", wire.markViewedInput, z.null());

/** What the caller has looked at of an attempt's changes. */
export const listViewed = operation("list_viewed", wire.listViewedInput, wire.viewedSchema);
