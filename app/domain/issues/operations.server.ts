import { issueLabelAnswer, observedIssuesSchema, observeIssuesInput } from "~/contract/issue";
import { productIdInput } from "~/contract/product";
import { operation } from "../operation.server";

/** The label of the issues that come into triage. */
export const getIssueLabel = operation("get_issue_label", productIdInput, issueLabelAnswer);

/** What workers saw of issues with that label. */
export const observeIssues = operation("observe_issues", observeIssuesInput, observedIssuesSchema);
