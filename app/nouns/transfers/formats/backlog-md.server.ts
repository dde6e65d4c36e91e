import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { ContractError } from "~/wire/errors";
import type { ImportDraft } from "~/wire/transfers/contract";
import { Draft } from "~/wire/transfers/draft";
import { toState } from "~/wire/transfers/state";
import { judgeFile, parseFile, type SourceItem, toKey } from "./backlog-md/parse-file.server";
import { planPbis } from "./backlog-md/plan";
import { keysOf, toStory, wholeText } from "./backlog-md/stories";
import { decodeText, type Folder, readFolder, rootOf, type UploadedFile } from "./folder.server";

const inTasks = /^((?:.*\/)?)(?:tasks|completed|drafts|milestones)\/[^/]+\.md$/;

/** Reads a Backlog.md folder, as a zip or as files; parent folders may be included. */
export function readBacklogMd(files: readonly UploadedFile[]): ImportDraft {
  const draft = new Draft("backlog-md");
  const folder = readFolder(files.map(named), draft.leftOut);
  const root = rootOf(folder, inTasks);
  if (root === undefined)
    throw new ContractError(
      422,
      "This has no Backlog.md tasks. Send the folder that contains tasks/, usually backlog.",
    );
  const items = itemsOf(draft, folder, root);
  const work = items.filter(isWork);
  const pbis = planPbis(work, items, draft.leftOut);
  const keys = keysOf(pbis.flatMap(({ stories }) => stories));
  const find = indexNames(items);
  const blockersOf = ({ dependencies }: SourceItem) =>
    dependencies.map((id) => {
      const blocker = find(id);
      return (blocker && keys.get(blocker)) ?? id;
    });
  for (const { title, description, code, stories } of pbis) {
    if (stories.length > 0 || code) draft.describe(title, description, code);
    for (const story of stories) draft.add(title, toStory(story, keys, blockersOf, draft));
  }
  for (const item of work)
    if (!keys.has(item)) draft.leftOut.add("Dependencies of PBIs", item.dependencies.length, item.path);
  for (const item of items) if (!isWork(item) && !item.place.endsWith("milestone")) addIdea(draft, item);
  draft.definitionOfDone = definitionOfDone(folder, root);
  return draft.finish();
}

/** Files uploaded one by one are tasks. */
function named({ name, bytes }: UploadedFile): UploadedFile {
  return { name: name.includes("/") ? name : `tasks/${name}`, bytes };
}

function itemsOf({ leftOut }: Draft, folder: Folder, root: string): SourceItem[] {
  return [...folder].flatMap(([whole, bytes]) => {
    if (!whole.startsWith(root)) return [];
    const path = whole.slice(root.length);
    if (isConfig(path)) return [];
    const judged = judgeFile(path);
    const item = "reason" in judged ? judged : read(path, judged.place, bytes);
    if (!("reason" in item)) return [item];
    leftOut.add(`Files: ${item.reason}`, 1, path);
    return [];
  });
}

function read(path: string, place: SourceItem["place"], bytes: Uint8Array) {
  const text = decodeText(bytes);
  return text === null ? { reason: "neither UTF-8 nor UTF-16 text" } : parseFile(path, place, text);
}

/** True for current and completed tasks. Drafts, archived and dropped tasks become ideas. */
function isWork({ place, status }: SourceItem): boolean {
  return place === "completed" || (place === "task" && toState(status) !== "dropped");
}

/** A draft becomes an idea; an archived or dropped task an archived idea with its whole text. */
function addIdea(draft: Draft, item: SourceItem): void {
  const isArchived = item.place !== "draft";
  const now = new Date().toISOString();
  draft.addIdea({
    title: item.title,
    description: wholeText(item),
    archived_at: isArchived ? (item.updatedAt ?? item.createdAt ?? now) : null,
    created_at: item.createdAt,
  });
  draft.countStatus(item.status, "LEFT_OUT", toState(item.status) !== undefined);
}

/** Places of tasks, in search order. */
const taskRanks: readonly SourceItem["place"][] = ["task", "completed", "archived task"];

function rankOf({ place }: SourceItem): number {
  const rank = taskRanks.indexOf(place);
  return rank < 0 ? taskRanks.length : rank;
}

/**
 * Finds an item by prefix and number, or by number alone. Milestones and drafts count from 1 as well, so a bare number
 * always means a task, current ones before archived ones.
 */
function indexNames(items: readonly SourceItem[]): (id: string) => SourceItem | undefined {
  const byName = new Map<string, SourceItem>();
  const byNumber = new Map<string, SourceItem>();
  for (const item of items.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    if (!byName.has(nameOf(item.id))) byName.set(nameOf(item.id), item);
    if (rankOf(item) < taskRanks.length && !byNumber.has(item.key)) byNumber.set(item.key, item);
  }
  return (id) => byName.get(nameOf(id)) ?? byNumber.get(toKey(id));
}

/** `BACK-02` and `back-2` are the same name, `draft-2` is another. */
function nameOf(id: string): string {
  const prefix = /^[A-Za-z]+-(?=\d)/.exec(id.trim())?.[0] ?? "";
  return prefix.toLowerCase() + toKey(id);
}

const isConfig = (path: string) => /^config\.ya?ml$/.test(path);

const configSchema = z.looseObject({ definition_of_done: z.array(z.string()).optional() });

function definitionOfDone(folder: Folder, root: string): string {
  const [, bytes] = [...folder].find(([path]) => isConfig(path.slice(root.length))) ?? [];
  try {
    const config = configSchema.parse(parseYaml(decodeText(bytes ?? new Uint8Array()) ?? "") ?? {});
    return (config.definition_of_done ?? []).map((line) => `- ${line}`).join("\n");
  } catch {
    return "";
  }
}
