import { z } from "zod";
import { lengths } from "~/contract/limits";
import { requiredText } from "~/contract/text";
import { validate } from "~/http/validation.server";
import { idOrCode, productOfCode, resolveId } from "~/mcp/references.server";
import { defineTool, type ToolContext } from "~/mcp/tool.server";
import { appendStoryLog } from "./operations.server";
import { metadataSchema, storyLogBody } from "./story-log";

const entry = {
  story_id: idOrCode,
  ...productOfCode,
  content: requiredText(lengths.text),
  metadata: metadataSchema.optional(),
};

export const logImplementationTool = defineTool({
  name: "log_implementation",
  title: "Log a plan or what was implemented",
  description: "Log a plan, or what you implemented, in a story.",
  access: "write",
  creates: true,
  scopes: ["plan", "work"],
  input: z.object(entry),
  run: (context, input) => append(context, "IMPLEMENTATION_PLAN", input),
});

export const logTestResultTool = defineTool({
  name: "log_test_result",
  title: "Log a test result",
  description: "Log a test result in a story: PASSED or FAILED, and what ran.",
  access: "write",
  creates: true,
  scopes: ["plan", "work"],
  input: z.object({ ...entry, status: z.enum(["PASSED", "FAILED"]) }),
  run: (context, input) => append(context, "TEST_RESULT", input),
});

export const logCommitTool = defineTool({
  name: "log_commit",
  title: "Log a commit",
  description: "Log a commit in a story.",
  access: "write",
  creates: true,
  scopes: ["plan", "work"],
  input: z.object({
    ...entry,
    commit_hash: requiredText(lengths.commitHash),
    commit_message: requiredText(lengths.text),
  }),
  run: (context, input) => append(context, "COMMIT", input),
});

interface Entry {
  story_id: string;
  product_id?: string | undefined;
}

/** Validates an entry with the body schema of the REST endpoint. */
async function append({ actor }: ToolContext, type: string, input: Entry) {
  const { story_id, product_id, ...fields } = input;
  const body = validate(storyLogBody, { ...fields, type }, "body");
  return appendStoryLog(actor, {
    ...body,
    story_id: await resolveId(actor, "story", story_id, product_id),
  });
}
