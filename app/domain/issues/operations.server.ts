import { issueLabelAnswer, observedIssuesSchema, observeIssuesInput } from "~/contract/issue";
import { productIdInput } from "~/contract/product";
import { operation } from "../operation.server";

/** The label that sends issues to triage. */
export const getIssueLabel = operation("get_issue_label", productIdInput, issueLabelAnswer);

/** Stores what workers saw of issues with that label. */
export const observeIssues = operation("observe_issues", observeIssuesInput, observedIssuesSchema);
