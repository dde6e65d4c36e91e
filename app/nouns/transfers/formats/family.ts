import type { Draft, StoryFields, TaskFields } from "~/wire/transfers/draft";
import { append } from "../append";

/** An issue of a tool in which issues have parents. */
export interface Issue {
  pbi: string;
  parent: string;
  fields: StoryFields;
}

/** Adds the topmost issues as stories, under their keys, and all that is below as their tasks. */
export function addFamilies(draft: Draft, issues: readonly Issue[]): void {
  const known = new Set(issues.map(({ fields }) => fields.id));
  const parents = issues.filter(({ parent }) => known.has(parent));
  const rootOf = rootsOf(new Map(parents.map(({ parent, fields }) => [fields.id, parent])));
  const tasksOf = new Map<string, TaskFields[]>();
  for (const { fields } of issues) {
    if (rootOf(fields.id) === fields.id) continue;
    append(tasksOf, rootOf(fields.id), withCriteria(fields));
    draft.leftOut.add("Assignees of parts: a task has none", fields.assignee ? 1 : 0);
  }
  for (const { pbi, fields } of issues)
    if (rootOf(fields.id) === fields.id)
      draft.add(pbi, { ...fields, code: fields.id, tasks: tasksOf.get(fields.id) ?? [] });
}

/** Tasks have no field for criteria. */
function withCriteria(fields: StoryFields): TaskFields {
  const { description = "", acceptance_criteria } = fields;
  if (!acceptance_criteria) return fields;
  return { ...fields, description: `${description}\n\n## Acceptance Criteria\n\n${acceptance_criteria}`.trim() };
}

/**
 * Returns a key's topmost ancestor in the file. In a cycle, and below one, that is the key itself. Each key is visited
 * once, because the file decides how deep its families are.
 */
function rootsOf(parents: ReadonlyMap<string, string>): (key: string) => string {
  const roots = new Map<string, string | null>();
  return (key) => {
    const path = new Set<string>();
    let at: string | undefined = key;
    let top = key;
    for (; at !== undefined && !roots.has(at) && !path.has(at); at = parents.get(at)) {
      path.add(at);
      top = at;
    }
    const isCycle = at !== undefined && path.has(at);
    const root = isCycle ? null : at === undefined ? top : (roots.get(at) ?? null);
    for (const each of path) roots.set(each, root);
    return roots.get(key) ?? key;
  };
}
