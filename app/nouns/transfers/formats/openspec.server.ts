import { ContractError } from "~/wire/errors";
import { readItems, stateOfBox } from "~/wire/transfers/boxes";
import type { ImportDraft } from "~/wire/transfers/contract";
import { Draft, type TaskFields } from "~/wire/transfers/draft";
import { append } from "../append";
import { readFolder, rootOf, textsBelow, type UploadedFile } from "./folder.server";
import { criteriaOf, finishedPlan, itemsWithoutBox, readSpec, stateOf, taskOf } from "./specs";

const inChanges = /^((?:.*\/)?changes\/)(?!archive\/)[^/]+\/(?:(?:proposal|tasks|design)|specs\/.+)\.md$/;
const wanted = /^[^/]+\/(?:proposal|tasks|design|specs\/[^/]+\/spec)\.md$/;
const archived = /^(.*\/)?changes\/archive\/([^/]+)\//;

/** Reads the live changes of OpenSpec: each is a story, and the boxes of its tasks.md are the tasks. */
export function readOpenspec(files: readonly UploadedFile[]): ImportDraft {
  const draft = new Draft("openspec");
  const all = readFolder(files, draft.leftOut);
  const folder = new Map([...all].filter(([path]) => !archived.test(path)));
  for (const change of new Set([...all.keys()].map((path) => archived.exec(path)?.[2] ?? "")))
    if (change !== "") draft.leftOut.add("Archived changes", 1, change);
  const root = rootOf(folder, inChanges);
  if (root === undefined)
    throw new ContractError(
      422,
      "This has no open OpenSpec changes. Send a zip of the openspec folder, which contains the changes folder.",
    );
  const changes = new Map<string, [string, string][]>();
  for (const [path, text] of textsBelow(folder, root, wanted, draft.leftOut)) {
    const [name = "", ...rest] = path.split("/");
    append(changes, name, [rest.join("/"), text]);
  }
  for (const [name, texts] of changes) addChange(draft, name, new Map(texts));
  return draft.finish();
}

function addChange(draft: Draft, name: string, texts: ReadonlyMap<string, string>): void {
  const { title, body } = readSpec(texts.get("proposal.md") ?? "", 1);
  const plan = readSpec(texts.get("design.md") ?? "", 1).body.trim();
  const deltas = [...texts].filter(([path]) => path.startsWith("specs/"));
  const list = readSpec(texts.get("tasks.md") ?? "", 1).body.trim();
  const tasks = tasksOf(draft, name, list, plan);
  // What makes no task stays readable.
  const rest = tasks.length === 0 ? list : "";
  if (rest !== "") draft.leftOut.add("A tasks.md without a list: it is in the description", 1, name);
  const state = stateOf(tasks);
  if (plan !== "" && state === "DONE") draft.leftOut.add(finishedPlan, 1, name);
  draft.add("Imported from OpenSpec", {
    id: name,
    title: title || name,
    description: [body.trim(), ...deltas.map(([, text]) => text.trim()), rest, `Source: changes/${name}`]
      .filter(Boolean)
      .join("\n\n"),
    acceptance_criteria: deltas
      .map(([, text]) => criteriaOf(text))
      .filter(Boolean)
      .join("\n"),
    implementation_plan: tasks.length === 0 ? plan : null,
    state,
    tasks,
  });
}

/** The boxes of a list; all of its items where none has a box. */
function tasksOf(draft: Draft, name: string, list: string, plan: string): TaskFields[] {
  const items = readItems(draft, list).filter(({ kind }) => kind !== "heading");
  const kind = items.some((item) => item.kind === "box") ? "box" : "item";
  return items.flatMap((item) => {
    if (item.kind !== kind) {
      draft.leftOut.add(itemsWithoutBox, 1, item.title);
      return [];
    }
    if (kind === "item") draft.countStatus("without a box", "TO_DO", false);
    const [, number] = /^\**(\d{1,4}(?:\.\d{1,4}){1,3})\b/.exec(item.title) ?? [];
    const id = `${name}/${number ?? item.title}`;
    return [taskOf({ id, title: item.title, state: stateOfBox(draft, item) }, item, plan)];
  });
}
