import type { ImportDraft } from "~/wire/transfers/contract";
import { Draft } from "~/wire/transfers/draft";
import { type ExportDocument, exportDocumentSchema, exportFormat, exportVersion } from "../export-document";
import { readJson } from "./read-json";

type Pbi = ExportDocument["pbis"][number];

/** What this import brings of each part of an export. All else needs `admin import`. */
const brought = {
  document: ["format", "version", "exported_at", "product", "pbis", "labels", "counters"],
  product: ["code", "name", "created_at"],
  pbi: ["code", "title", "description", "sort_order", "stories"],
  story: [
    "code",
    "title",
    "description",
    "acceptance_criteria",
    "priority",
    "status",
    "assignee",
    "blocked_by",
    "labels",
    "created_at",
    "tasks",
  ],
  task: [
    "code",
    "title",
    "description",
    "implementation_plan",
    "priority",
    "status",
    "estimated_minutes",
    "blocked_by",
    "labels",
    "created_at",
  ],
} as const;

/** Reads a product export of Backloom. Only planned work is imported; history and evidence need `admin import`. */
export function readBackloom(text: string): ImportDraft {
  const document = readJson(text, exportDocumentSchema, "an export of Backloom");
  const draft = new Draft("backloom");
  addDocument(draft, document);
  countRest(draft, document);
  return draft.finish();
}

/** Ignores fields that have their default value. */
function countRest(draft: Draft, document: ExportDocument): void {
  const title = "Blank";
  const blank = exportDocumentSchema.parse({
    format: exportFormat,
    version: exportVersion,
    product: { code: title, name: title },
    pbis: [{ title, stories: [{ title, tasks: [{ title }] }] }],
  });
  const first = ({ pbis: [pbi] }: ExportDocument) => {
    const [story] = pbi?.stories ?? [];
    return { pbi, story, task: story?.tasks[0] };
  };
  const usual = first(blank);
  const count = (part: keyof typeof brought, given: object, plain: object = {}) => {
    const known: readonly string[] = brought[part];
    const plainOf = new Map(Object.entries(plain));
    for (const [name, value] of Object.entries(given)) {
      if (known.includes(name) || JSON.stringify(value) === JSON.stringify(plainOf.get(name))) continue;
      const many = Array.isArray(value) ? value.length : 1;
      draft.leftOut.add(`${part}.${name}: admin import brings it`, many);
    }
  };
  count("document", document, blank);
  count("product", document.product, blank.product);
  for (const pbi of document.pbis) {
    count("pbi", pbi, usual.pbi);
    for (const story of pbi.stories) {
      count("story", story, usual.story);
      for (const task of story.tasks) count("task", task, usual.task);
    }
  }
}

function addDocument(draft: Draft, { product, pbis }: ExportDocument): void {
  const prefix = `${product.code}/`;
  const ids = idsOf(pbis, prefix);
  const blockersOf = (kind: string, { blocked_by }: { blocked_by: readonly string[] }) =>
    blocked_by.map((code) => ids.get(`${kind} ${code}`) ?? `${prefix}${code}`);
  for (const pbi of pbis) {
    draft.describe(pbi.title, pbi.description);
    for (const story of pbi.stories) {
      const id = storyId(story, prefix);
      draft.add(pbi.title, {
        ...story,
        id,
        code: story.code ?? undefined,
        blocked_by: blockersOf("story", story),
        state: story.status === "DONE" ? "DONE" : "TO_DO",
        log: [],
        tasks: story.tasks.map((task, index) => ({
          ...task,
          code: undefined,
          id: taskId(id, task, index),
          blocked_by: blockersOf("task", task),
          // Failed tasks are to do again.
          state: task.status === "FAILED" ? "TO_DO" : task.status,
        })),
      });
    }
  }
}

const storyId = ({ code, title }: Pbi["stories"][number], prefix: string) => `${prefix}${code ?? title}`;

const taskId = (ofStory: string, { code }: { code: string | null }, index: number) =>
  `${ofStory}/${code ?? `own-${index + 1}`}`;

function idsOf(pbis: readonly Pbi[], prefix: string): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const story of pbis.flatMap(({ stories }) => stories)) {
    const id = storyId(story, prefix);
    if (story.code !== null) ids.set(`story ${story.code}`, id);
    for (const [index, task] of story.tasks.entries())
      if (task.code !== null) ids.set(`task ${task.code}`, taskId(id, task, index));
  }
  return ids;
}
