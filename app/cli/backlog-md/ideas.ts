import type { ExportedIdea } from "~/contract/export-document";
import type { Conversion } from "./conversion";
import type { SourceItem } from "./parse-file.server";
import { toState } from "./state";
import { wholeText } from "./texts";

/** A draft becomes an idea; an archived or dropped task an archived idea, with all that it said. */
export function toIdea(
  item: SourceItem,
  { mapped, notes, unknownStatuses }: Conversion,
): ExportedIdea {
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
