/** "Ada … attempt 2". */
export const verdictWords = { approve: "approved", request_changes: "requested changes on" };
