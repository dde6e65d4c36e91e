import { ContractError } from "~/contract/errors";
import { append } from "../append";
import type { ImportDraft } from "../contract";
import { boxesOf } from "./boxes";
import { Draft } from "./draft";
import { readFolder, rootOf, textsBelow, type UploadedFile } from "./folder.server";
import { criteriaOf, finishedPlan, readSpec, stateOf, taskOf } from "./specs";

const inChanges =
  /^((?:.*\/)?changes\/)(?!archive\/)[^/]+\/(?:(?:proposal|tasks|design)|specs\/.+)\.md$/;
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
  const tasks = boxesOf(texts.get("tasks.md") ?? "").map((box) => {
    const [, number] = /^\**(\d{1,4}(?:\.\d{1,4}){1,3})\b/.exec(box.title) ?? [];
    return taskOf(`${name}/${number ?? box.title}`, box.title, box, plan);
  });
  const state = stateOf(tasks);
  if (plan !== "" && state === "DONE") draft.leftOut.add(finishedPlan, 1, name);
  draft.add("Imported from OpenSpec", {
    id: name,
    title: title || name,
    description: [body.trim(), ...deltas.map(([, text]) => text.trim()), `Source: changes/${name}`]
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
