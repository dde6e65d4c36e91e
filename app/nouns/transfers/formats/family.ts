import type { Draft, StoryFields, TaskFields } from "~/wire/transfers/draft";
import { append } from "../append";

export type Issue = { pbi: string; parent: string; fields: StoryFields };

/** Adds the topmost issues as stories, under their keys, and all that is below as their tasks. */
export function addFamilies(draft: Draft, issues: readonly Issue[]): void {
  const known = new Set(issues.map(({ fields }) => fields.id));
  const children = issues.filter(({ parent }) => known.has(parent));
  const parents = new Map(children.map(({ parent, fields }) => [fields.id, parent]));
  const rootOf = rootsOf((id: string) => parents.get(id));
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
export function withCriteria(fields: StoryFields): TaskFields {
  const { description = "", acceptance_criteria } = fields;
  if (!acceptance_criteria) return fields;
  return { ...fields, description: `${description}\n\n## Acceptance Criteria\n\n${acceptance_criteria}`.trim() };
}

/** In a circle, the key itself. Each key is visited once, because the file decides how deep its families are. */
export function rootsOf<Key extends string | object>(parentOf: (key: Key) => Key | undefined): (key: Key) => Key {
  const roots = new Map<Key, Key>();
  return (key) => {
    const path = new Set<Key>();
    let top = key;
    let at: Key | undefined = key;
    for (; at !== undefined && !roots.has(at) && !path.has(at); at = parentOf(at)) {
      path.add(at);
      top = at;
    }
    for (let each = at; each !== undefined && path.delete(each); each = parentOf(each)) roots.set(each, each);
    const root = at === undefined ? top : (roots.get(at) ?? top);
    for (const each of path) roots.set(each, root);
    return roots.get(key) ?? key;
  };
}
