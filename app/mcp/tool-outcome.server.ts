import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ContractError } from "~/contract/errors";
import type { ToolResult } from "./tool.server";

/** What to do next, for refusals whose sentence cannot know the tools. */
const hints: Partial<Record<number, string>> = {
  403: "Ask a member of the product for access, or use a token of an account that may write.",
  404: "Look the id or code up with list_products, get_context or search.",
  409: "Read the current state again before you decide what to do.",
  422: "Correct the arguments named in `issues` and call again.",
  429: "Wait for the seconds in `retry_after`, then call again.",
};

/** A successful call: the structure, and the same as text for clients that only show text. */
export function toolSuccess(result: ToolResult): CallToolResult {
  return {
    content: [{ type: "text", text: JSON.stringify(result) }],
    structuredContent: result,
  };
}

/** A refused call: a tool error with the REST error body and a hint of what to do next. */
export function toolFailure(error: ContractError): CallToolResult {
  const body: ToolResult = { ...error.detail, ...error.toBody() };
  if (error.retryAfter !== undefined) body.retry_after = error.retryAfter;
  const hint = hints[error.status];
  if (hint !== undefined && body.hint === undefined) body.hint = hint;
  return {
    isError: true,
    content: [{ type: "text", text: JSON.stringify(body) }],
    structuredContent: body,
  };
}
