import { z } from "zod";
import { validate } from "~/http/validation.server";
import { appendStoryLog, createStory } from "~/nouns/stories/operations.server";
import { lengths } from "~/wire/limits";
import { createStoryInput, metadataSchema, storyLogBody } from "~/wire/stories/contract";
import { requiredText } from "~/wire/text";
import { idOrCode, productOfCode, reference, resolveId, resolveOptionalId } from "../references.server";
import { defineTool, duplicates, refusesSimilar, type ToolContext } from "../tool.server";

const waitsInTriage =
  "The story is not in the sprint: it waits in triage until a person accepts it. Ask them to put it there.";

export const createStoryTool = defineTool({
  name: "create_story",
  title: "Create a story",
  description: "Create a story in a PBI, and in a sprint with sprint_id. The code defaults to the next ST-<nnn>.",
  access: "write",
  creates: true,
  input: createStoryInput
    .safeExtend({ pbi_id: idOrCode, sprint_id: reference.optional().describe("Planned or active") })
    .safeExtend(productOfCode)
    .safeExtend(duplicates),
  run: async ({ actor }, { pbi_id, sprint_id, product_id, allow_duplicate, ...fields }) => {
    const story = await createStory(actor, {
      ...fields,
      ...refusesSimilar(allow_duplicate, fields.code),
      pbi_id: await resolveId(actor, "pbi", pbi_id, product_id),
      sprint_id: await resolveOptionalId(actor, "sprint", sprint_id, product_id),
    });
    const isLeftOut = sprint_id !== undefined && story.sprint_id === null;
    return isLeftOut ? { ...story, hint: waitsInTriage } : story;
  },
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

type Entry = { story_id: string; product_id?: string | undefined };

async function append({ actor }: ToolContext, type: string, input: Entry) {
  const { story_id, product_id, ...fields } = input;
  const body = validate(storyLogBody, { ...fields, type }, "body");
  return appendStoryLog(actor, { ...body, story_id: await resolveId(actor, "story", story_id, product_id) });
}
