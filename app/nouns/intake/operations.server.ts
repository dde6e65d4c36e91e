import { operation } from "~/nouns/operation.server";
import * as wire from "~/wire/intake/contract";
import { productIdInput } from "~/wire/products/contract";

/** The label that sends issues to triage. */
export const getIssueLabel = operation("get_issue_label", productIdInput, wire.issueLabelAnswer);

/** Stores what workers saw of issues with that label. */
export const observeIssues = operation("observe_issues", wire.observeIssuesInput, wire.observedIssuesSchema);

/** What a worker writes under an issue next. */
export const nextIssueNote = operation("next_issue_note", wire.nextIssueNoteInput, wire.nextIssueNoteSchema);

/** What became of it. */
export const reportIssueNote = operation("report_issue_note", wire.reportIssueNoteInput, wire.reportedIssueNoteSchema);

/** What an agent found that another repository needs. */
export const proposeFollowUp = operation("propose_follow_up", wire.proposeFollowUpInput, wire.followUpSchema);
