import type { ImportedDocument } from "~/domain/transfers/import-document.server";
import type { Conversion, UnknownStatus } from "./conversion";

export interface MappedSource {
  source: string;
  as: string;
  code: string;
}

export interface ReadStatus {
  status: string;
  became: UnknownStatus["became"];
  files: number;
}

/** What each status that the folder made up was read as; one file counts once. */
export function reportStatuses({ unknownStatuses }: Conversion): ReadStatus[] {
  const groups = new Map<
    string,
    { status: string; became: ReadStatus["became"]; sources: Set<string> }
  >();
  for (const { source, status, became } of unknownStatuses) {
    const key = JSON.stringify([status, became]);
    const group = groups.get(key) ?? { status, became, sources: new Set<string>() };
    groups.set(key, group);
    group.sources.add(source);
  }
  return [...groups.values()].map(({ status, became, sources }) => ({
    status,
    became,
    files: sources.size,
  }));
}

/** Names what each file became, with the codes that the import gave out. */
export function reportMapping(conversion: Conversion, imported: ImportedDocument): MappedSource[] {
  const codes = new Map<object, string>();
  const pbis = conversion.document.pbis ?? [];
  const stories = pbis.flatMap((pbi) => pbi.stories ?? []);
  assign(codes, pbis, imported.pbiCodes);
  assign(codes, stories, imported.storyCodes);
  assign(
    codes,
    stories.flatMap((story) => story.tasks ?? []),
    imported.taskCodes,
  );
  assign(codes, conversion.document.ideas ?? [], imported.ideaCodes);
  return conversion.mapped.map(({ source, as, target }) => ({
    source,
    as,
    code: codes.get(target) ?? "",
  }));
}

function assign(codes: Map<object, string>, targets: readonly object[], given: readonly string[]) {
  for (const [index, target] of targets.entries()) codes.set(target, given[index] ?? "");
}
