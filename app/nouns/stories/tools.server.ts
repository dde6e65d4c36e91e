import { z } from "zod";
import { lengths } from "~/contract/limits";
import { requiredText } from "~/contract/text";
import { validate } from "~/http/validation.server";
import {
  idOrCode,
  productOfCode,
  reference,
  resolveId,
  resolveOptionalId,
} from "~/mcp/references.server";
import { defineTool, duplicates, refusesSimilar, type ToolContext } from "~/mcp/tool.server";
import { createPbiInput, setPbiPrInput } from "~/nouns/pbis/contract";
import { createPbi, markPbiPrMerged, setPbiPr } from "~/nouns/pbis/operations.server";
import { createTaskInput } from "~/nouns/tasks/contract";
import { createTask } from "~/nouns/tasks/operations.server";
import { createStoryInput } from "./contract";
import { appendStoryLog, createStory } from "./operations.server";
import { metadataSchema, storyLogBody } from "./story-log";

export const createPbiTool = defineTool({
  name: "create_pbi",
  title: "Create a PBI",
  description: "Create a PBI (an epic). The code defaults to the next PBI-<n>.",
  access: "write",
  creates: true,
  input: createPbiInput.safeExtend({ product_id: idOrCode }).safeExtend(duplicates),
  run: async ({ actor }, { product_id, allow_duplicate, ...fields }) =>
    createPbi(actor, {
      ...fields,
      ...refusesSimilar(allow_duplicate, fields.code),
      product_id: await resolveId(actor, "product", product_id),
    }),
});

export const createStoryTool = defineTool({
  name: "create_story",
  title: "Create a story",
  description:
    "Create a story in a PBI, and in a sprint with sprint_id. The code defaults to the next ST-<nnn>.",
  access: "write",
  creates: true,
  input: createStoryInput
    .safeExtend({
      pbi_id: idOrCode,
      sprint_id: reference.optional().describe("Planned or active"),
    })
    .safeExtend(productOfCode)
    .safeExtend(duplicates),
  run: async ({ actor }, { pbi_id, sprint_id, product_id, allow_duplicate, ...fields }) =>
    createStory(actor, {
      ...fields,
      ...refusesSimilar(allow_duplicate, fields.code),
      pbi_id: await resolveId(actor, "pbi", pbi_id, product_id),
      sprint_id: await resolveOptionalId(actor, "sprint", sprint_id, product_id),
    }),
});

export const createTaskTool = defineTool({
  name: "create_task",
  title: "Create a task",
  description:
    "Create a task in a story. Add an implementation_plan: tasks without one block runs. The code defaults to the next T-<n>.",
  access: "write",
  creates: true,
  input: createTaskInput
    .safeExtend({ story_id: idOrCode })
    .safeExtend(productOfCode)
    .safeExtend(duplicates),
  run: async ({ actor }, { story_id, product_id, allow_duplicate, ...fields }) =>
    createTask(actor, {
      ...fields,
      ...refusesSimilar(allow_duplicate, fields.code),
      story_id: await resolveId(actor, "story", story_id, product_id),
    }),
});

export const setPbiPrTool = defineTool({
  name: "set_pbi_pr",
  title: "Link a pull request to a PBI",
  description: "Set the URL of a PBI's pull request; null removes it.",
  access: "write",
  effect: { repeatable: true },
  input: setPbiPrInput.safeExtend({ pbi_id: idOrCode }).safeExtend(productOfCode),
  run: async ({ actor }, { pbi_id, product_id, ...fields }) =>
    setPbiPr(actor, { ...fields, pbi_id: await resolveId(actor, "pbi", pbi_id, product_id) }),
});

export const markPbiPrMergedTool = defineTool({
  name: "mark_pbi_pr_merged",
  title: "Mark the pull request of a PBI as merged",
  description: "Record when the linked pull request was merged.",
  access: "write",
  effect: { repeatable: true },
  input: z.object({ pbi_id: idOrCode, ...productOfCode }),
  run: async ({ actor }, { pbi_id, product_id }) =>
    markPbiPrMerged(actor, { pbi_id: await resolveId(actor, "pbi", pbi_id, product_id) }),
});

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
