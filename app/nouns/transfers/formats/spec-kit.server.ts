import { ContractError } from "~/contract/errors";
import type { ImportDraft } from "../contract";
import { boxesOf, numberOfBox } from "./boxes";
import { Draft, type TaskFields } from "./draft";
import { readFolder, rootOf, textsBelow, type UploadedFile } from "./folder.server";
import { criteriaOf, finishedPlan, readSpec, stateOf, taskOf } from "./specs";

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
  const [spec, plan, list] = ["spec", "plan", "tasks"].map((file) => readSpec(textOf(file), 3));
  const implementation_plan = plan?.body.trim() ?? "";
  const tasks = tasksOf(draft, name, list?.body ?? "", implementation_plan);
  const state = stateOf(tasks);
  if (implementation_plan !== "" && state === "DONE") draft.leftOut.add(finishedPlan, 1, name);
  draft.add("Imported from Spec Kit", {
    id: name,
    title: spec?.title || list?.title || plan?.title || name,
    description: `${spec?.body.trim() ?? ""}\n\nSource: specs/${name}`,
    acceptance_criteria: criteriaOf(spec?.body ?? ""),
    implementation_plan: tasks.length === 0 ? implementation_plan : null,
    state,
    tasks,
  });
}

/** Tasks follow each other in the order of the list; those marked `[P]` wait for none. */
function tasksOf(draft: Draft, name: string, list: string, plan: string): TaskFields[] {
  let before: string[] = [];
  return boxesOf(list).flatMap((box) => {
    const known = numberOfBox(box.title);
    if (known === undefined) {
      draft.leftOut.add("Boxes without a number such as T001", 1, box.title);
      return [];
    }
    const { number, marks, said } = known;
    const id = `${name}/${number}`;
    const task = taskOf(id, `${number} ${said}`, box, plan);
    if (/\[P\]/i.test(marks)) return [task];
    const blocked_by = before;
    before = [id];
    return [{ ...task, blocked_by }];
  });
}
