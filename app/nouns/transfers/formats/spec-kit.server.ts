import { ContractError } from "~/wire/errors";
import { type Item, numberOf, readItems, stateOfBox } from "~/wire/transfers/boxes";
import type { ImportDraft } from "~/wire/transfers/contract";
import { Draft, type TaskFields } from "~/wire/transfers/draft";
import { readFolder, rootOf, textsBelow, type UploadedFile } from "./folder.server";
import { criteriaOf, finishedPlan, itemsWithoutBox, readSpec, stateOf, taskOf } from "./specs";

const inSpecs = /^((?:.*\/)?specs\/)[^/]+\/(?:spec|plan|tasks)\.md$/;
const besides = /^((?:.*\/)?)[^/]+\/(?:spec|plan|tasks)\.md$/;
const wanted = /^[^/]+\/(?:spec|plan|tasks)\.md$/;

/** Reads the features of Spec Kit: each is a story, and the boxes of its tasks.md are the tasks. */
export function readSpecKit(files: readonly UploadedFile[]): ImportDraft {
  const draft = new Draft("spec-kit");
  const folder = readFolder(files, draft.leftOut);
  const root = rootOf(folder, inSpecs) ?? rootOf(folder, besides);
  if (root === undefined)
    throw new ContractError(
      422,
      "This has no Spec Kit features. Send a zip of the specs folder, whose folders contain spec.md, plan.md and tasks.md.",
    );
  const texts = textsBelow(folder, root, wanted, draft.leftOut);
  for (const name of new Set([...texts.keys()].map((path) => path.split("/")[0] ?? "")))
    addFeature(draft, name, (file) => texts.get(`${name}/${file}.md`) ?? "");
  return draft.finish();
}

function addFeature(draft: Draft, name: string, textOf: (file: string) => string): void {
  const [spec, plan] = ["spec", "plan"].map((file) => readSpec(textOf(file), 3));
  const list = readSpec(textOf("tasks"), 1);
  const implementation_plan = plan?.body.trim() ?? "";
  const tasks = tasksOf(draft, name, list.body, implementation_plan);
  const state = stateOf(tasks);
  if (implementation_plan !== "" && state === "DONE") draft.leftOut.add(finishedPlan, 1, name);
  draft.add("Imported from Spec Kit", {
    id: name,
    title: spec?.title || list.title || plan?.title || name,
    description: `${spec?.body.trim() ?? ""}\n\nSource: specs/${name}`,
    acceptance_criteria: criteriaOf(spec?.body ?? ""),
    implementation_plan: tasks.length === 0 ? implementation_plan : null,
    state,
    tasks,
  });
}

const unread = { box: "Boxes without a number such as T001", item: itemsWithoutBox } as const;

/** In the order of the list; `[P]` waits only for those it names. A number is that of its box or of its item. */
function tasksOf(draft: Draft, name: string, list: string, plan: string): TaskFields[] {
  const items = readItems(draft, list).map((item) => ({ item, known: numberOf(item.title) }));
  const kinds = new Map<string, string>();
  for (const kind of ["box", "heading", "item"])
    for (const { item, known } of items)
      if (known && item.kind === kind && !kinds.has(known.number)) kinds.set(known.number, kind);
  let before: string[] = [];
  return items.flatMap(({ item, known }) => {
    if (known === undefined || kinds.get(known.number) !== item.kind) {
      if (item.kind === "box" || item.kind === "item") draft.leftOut.add(unread[item.kind], 1, item.title);
      return [];
    }
    const { number, marks, said } = known;
    const id = `${name}/${number}`;
    const details = item.kind === "heading" ? below(list, item) : item.details;
    const state = item.kind === "heading" ? told(draft, details) : stateOfBox(draft, item);
    if (state === null) {
      draft.leftOut.add("Tasks that were dropped", 1, id);
      return [];
    }
    const named = `${said} ${details.join(" ")}`.match(/\bdepends on\b[^.]{0,200}/gi)?.join(" ") ?? "";
    const blockers = (named.match(/\bT-?\d{1,6}[a-z]?\b/g) ?? []).map((other) => `${name}/${other}`);
    const task = taskOf({ id, title: `${number} ${said}`, state }, { ...item, details }, plan);
    if (/\[P\]/i.test(marks)) return [{ ...task, blocked_by: blockers }];
    const blocked_by = [...before, ...blockers];
    before = [id];
    return [{ ...task, blocked_by }];
  });
}

/** The lines below a heading, up to the next that is not below it. */
function below(list: string, { line }: Item): string[] {
  const [head = "", ...lines] = list.split("\n").slice(line);
  const level = /^\s*#+/.exec(head)?.[0].trim().length ?? 1;
  const end = lines.findIndex((text) => new RegExp(`^#{1,${level}}\\s`).test(text));
  return (end < 0 ? lines : lines.slice(0, end)).join("\n").trim().split("\n");
}

/** The state in a line such as `**Status**: done`. */
function told(draft: Draft, details: readonly string[]) {
  const [, word = ""] = /^[-*_ ]{0,6}status[*_: ]{1,6}(.{1,60})$/im.exec(details.join("\n")) ?? [];
  return draft.readState({ word });
}
