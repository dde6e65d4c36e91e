import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { type ExportedIdea, exportFormat, exportVersion } from "../export-document";
import { CodeBook } from "./code-book";
import type { Conversion } from "./conversion";
import { linkDependencies } from "./dependencies";
import { parseFile, type SourceItem } from "./parse-file.server";
import { planPbis } from "./pbis";
import type { SourceFolder } from "./source-folder";
import { toState } from "./state";
import { wholeText } from "./texts";

/** Converts a Backlog.md folder to an export document. Every file is mapped, or skipped with a reason. */
export function convertFolder(
  folder: SourceFolder,
  product: { name: string; code: string },
): Conversion {
  const conversion: Conversion = {
    document: {
      format: exportFormat,
      version: exportVersion,
      product: { ...product, definition_of_done: readDefinitionOfDone(folder.config) },
    },
    mapped: [],
    skipped: [...folder.skipped],
    notes: [],
    unknownStatuses: [],
    dependencies: 0,
  };
  const items = parseFiles(folder, conversion);
  const work = items.filter((item) => isWork(item));
  const milestones = items.filter((item) => item.place.endsWith("milestone"));
  const codes = new CodeBook(conversion.notes);
  conversion.document.pbis = planPbis(work, milestones, items, codes, conversion);
  conversion.document.ideas = items
    .filter((item) => !isWork(item) && !item.place.endsWith("milestone"))
    .map((item) => toIdea(item, conversion));
  conversion.dependencies = linkDependencies(items, codes, conversion);
  conversion.document.labels = labelsOf(work);
  conversion.document.counters = codes.counters();
  return conversion;
}

function parseFiles(folder: SourceFolder, conversion: Conversion): SourceItem[] {
  return folder.files.flatMap((file) => {
    const item = parseFile(file);
    if (!("reason" in item)) return [item];
    conversion.skipped.push({ source: file.path, reason: item.reason });
    return [];
  });
}

const colors = ["#e5484d", "#0090ff", "#30a46c", "#f76b15", "#8e4ec6", "#12a594"];

/** All labels of the work, up to a product's limit. */
function labelsOf(work: readonly SourceItem[]) {
  const names = new Map<string, string>();
  for (const name of work.flatMap(({ labels }) => labels))
    if (!names.has(name.toLowerCase())) names.set(name.toLowerCase(), name);
  return [...names.values()].slice(0, 200).map((name, index) => ({
    name,
    color: colors[index % colors.length] ?? "#0090ff",
  }));
}

/** True for current and completed tasks. Drafts, archived and dropped tasks become ideas. */
function isWork(item: SourceItem): boolean {
  if (item.place === "completed") return true;
  return item.place === "task" && toState(item.status) !== "dropped";
}

const configSchema = z.looseObject({ definition_of_done: z.array(z.string()).optional() });

function readDefinitionOfDone(config: string): string {
  try {
    const parsed = configSchema.safeParse(parseYaml(config) ?? {});
    return (parsed.data?.definition_of_done ?? []).map((line) => `- ${line}`).join("\n");
  } catch {
    return "";
  }
}

/** A draft becomes an idea; an archived or dropped task an archived idea with its whole text. */
function toIdea(item: SourceItem, { mapped, notes, unknownStatuses }: Conversion): ExportedIdea {
  const isArchived = item.place !== "draft";
  const idea: ExportedIdea = {
    title: item.title,
    description: wholeText(item),
    status: "DRAFT",
    archived_at: isArchived ? (item.updatedAt ?? item.createdAt ?? new Date().toISOString()) : null,
    created_at: item.createdAt,
  };
  mapped.push({ source: item.path, as: "idea", target: idea });
  if (toState(item.status) === undefined) {
    const became = isArchived ? "archived idea" : "idea";
    unknownStatuses.push({ source: item.path, status: item.status, became });
  }
  if (item.place === "task") {
    notes.push({ source: item.path, note: `is "${item.status}": kept as an archived idea` });
  }
  return idea;
}
