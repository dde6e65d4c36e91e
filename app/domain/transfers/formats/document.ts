import type { z } from "zod";
import { type ExportDocument, exportDocumentSchema } from "~/contract/export-document";
import type { ImportDraft } from "~/contract/import";
import type { WorkState } from "../backlog-md/state";
import { Draft } from "./draft";
import { readJson } from "./read-json";

/** Reads a product export of Backloom. Only planned work is imported; history and evidence need `admin import`. */
export function readBackloom(text: string): ImportDraft {
  const document = readJson(text, exportDocumentSchema, "an export of Backloom");
  const draft = new Draft("backloom");
  addDocument(draft, document, `${document.product.code}/`);
  const stories = document.pbis.flatMap(({ stories }) => stories);
  const count = (of: (story: (typeof stories)[number]) => number) =>
    stories.reduce((sum, story) => sum + of(story), 0);
  const whole = "admin import brings them";
  draft.leaveOut(`Sprints: ${whole}`, document.sprints.length);
  draft.leaveOut(`Ideas: ${whole}`, document.ideas.length);
  draft.leaveOut(
    `Log entries: ${whole}`,
    count(({ log }) => log.length),
  );
  draft.leaveOut(
    `Evidence: ${whole}`,
    count(({ evidence }) => evidence.length),
  );
  draft.leaveOut(`Files: ${whole}`, document.files.length);
  return draft.finish();
}

/** Adds the stories and tasks of a document, each under its code. */
export function addDocument(draft: Draft, document: ExportDocument, prefix: string): void {
  let dependencies = 0;
  for (const pbi of document.pbis) {
    draft.describe(pbi.title, pbi.description);
    for (const story of pbi.stories) {
      const id = `${prefix}${story.code ?? story.title}`;
      dependencies += story.blocked_by.length;
      draft.add(pbi.title, {
        ...story,
        id,
        code: story.code ?? undefined,
        state: story.status === "DONE" ? "DONE" : "TO_DO",
        tasks: story.tasks.map((task, index) => {
          dependencies += task.blocked_by.length;
          return {
            ...task,
            id: `${id}/${task.code ?? `own-${index + 1}`}`,
            description: task.description,
            implementation_plan: task.implementation_plan,
            state: stateOfTask(task.status),
          };
        }),
      });
    }
  }
  draft.leaveOut("Dependencies: set them here, or use admin import", dependencies);
}

/** Failed tasks are to do again. */
function stateOfTask(
  status: z.output<
    typeof exportDocumentSchema
  >["pbis"][number]["stories"][number]["tasks"][number]["status"],
): WorkState {
  return status === "FAILED" ? "TO_DO" : status;
}
