import { movableColumns } from "~/features/board/board-settings";
import { mostRunItems } from "~/features/runs/start-run";
import { isolated } from "~/ui/isolated";
import type { Candidates } from "~/wire/dependencies/contract";
import type { Label } from "~/wire/labels/contract";
import { efforts } from "~/wire/who";
import { knownAgents } from "~/wire/workers/known-agents";
import { type ItemAction, kindsOf } from "./item-actions";
import { priorityOptions } from "./lists/priority";
import { ofKind } from "./selection";

/** The response of `GET /products/:id/choices`. */
export interface ProductChoices {
  members: { id: string; username: string }[];
  sprints: { id: string; code: string; goal: string }[];
  stories: Titled[];
  pbis: Titled[];
  labels: Label[];
}

type Titled = { id: string; code: string; title: string };

export interface MenuChoice {
  label: string;
  fields: Record<string, string>;
  /** Opens this page of the product instead of changing something. */
  to?: string;
}

/** Returns the possible blockers of an item as menu choices. */
export function waitChoices(candidates: Candidates | null): readonly MenuChoice[] | null {
  if (candidates === null) return null;
  return candidates.map((one) => titled(one, { blocked_by: one.code }));
}

const titled = ({ code, title }: Omit<Titled, "id">, fields: MenuChoice["fields"]): MenuChoice => ({
  label: `${code} ${isolated(title)}`,
  fields,
});

function newSprintWith(stories: readonly string[]): MenuChoice[] {
  if (stories.length > mostRunItems) return [];
  const ids = stories.map((story) => ["story", story.slice("story:".length)]);
  const to = `sprints?${new URLSearchParams([["panel", "new"], ...ids])}`;
  return [{ label: "New sprint with these", fields: {}, to }];
}

const above = "as in the story or product";

/** Who does it: agents that workers know by name, levels of effort, and what is typed as another agent or a model. */
export function whoChoices(typed: string): readonly MenuChoice[] {
  const choices = (name: string, field: string, values: readonly string[]) => [
    ...[...new Set(values)].map((value) => ({ label: `${name} ${value}`, fields: { [field]: value } })),
    { label: `${name} ${above}`, fields: { [field]: "" } },
  ];
  const own = typed.trim() === "" ? [] : [typed.trim()];
  return [
    ...choices("Agent", "agent", [...Object.keys(knownAgents), ...own]),
    ...choices("Effort", "effort", efforts),
    ...choices("Model", "model", own),
  ];
}

/** Returns the choices of a menu; null while they load. */
export function choicesFor(
  action: ItemAction["name"],
  items: readonly string[],
  known: ProductChoices | undefined,
): readonly MenuChoice[] | null {
  const kinds = kindsOf(items);
  if (action === "status") {
    const tasks = movableColumns.map(({ status, label }) => ({ label, fields: { status } }));
    const pbis = [
      { label: "Ready", fields: { status: "ready" } },
      { label: "Blocked", fields: { status: "blocked" } },
    ];
    return [...(kinds.has("task") ? tasks : []), ...(kinds.has("pbi") ? pbis : [])];
  }
  if (action === "priority")
    return priorityOptions().map(({ value, label }) => ({ label, fields: { priority: value } }));
  if (!known) return null;
  if (action === "assignee") {
    return [
      ...known.members.map(({ id, username }) => ({ label: username, fields: { assignee_id: id } })),
      { label: "Unassigned", fields: { assignee_id: "" } },
    ];
  }
  if (action === "label") return known.labels.map(({ id, name }) => ({ label: name, fields: { toggle_label: id } }));
  if (kinds.has("story")) {
    return [
      ...known.sprints.map(({ id, code, goal }) => ({ label: `${code} ${goal}`.trim(), fields: { sprint_id: id } })),
      { label: "No sprint", fields: { sprint_id: "" } },
      ...newSprintWith(ofKind(items, "story")),
      ...known.pbis.map((pbi) => titled(pbi, { pbi_id: pbi.id })),
    ];
  }
  if (kinds.has("pbi") && !kinds.has("task")) {
    return known.pbis
      .filter(({ id }) => !items.includes(`pbi:${id}`))
      .map(({ id, code, title }) => ({ label: `Above ${code} ${isolated(title)}`, fields: { before_id: id } }));
  }
  return known.stories.map((story) => titled(story, { story_id: story.id }));
}
