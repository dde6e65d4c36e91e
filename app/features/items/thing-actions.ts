import { kindOf } from "./kinds";

/** What can be done with the highlighted row, or with all that are selected: one list for keys, menus, bar and palette. */
export interface ThingAction {
  name:
    | "status"
    | "priority"
    | "assignee"
    | "mine"
    | "title"
    | "move"
    | "waits"
    | "peek"
    | "select";
  key: string;
  label: string;
  kinds: readonly string[];
  /** For one thing only. */
  single?: true;
  /** Changes nothing, so that everybody may. */
  reads?: true;
}

export const thingActions: readonly ThingAction[] = [
  { name: "status", key: "s", label: "Status…", kinds: ["task", "pbi"] },
  { name: "priority", key: "p", label: "Priority…", kinds: ["task", "story", "pbi"] },
  { name: "assignee", key: "a", label: "Assignee…", kinds: ["task", "story"] },
  { name: "mine", key: "i", label: "Assign to me", kinds: ["task", "story"] },
  { name: "title", key: "e", label: "Edit title…", kinds: ["task", "story", "pbi"], single: true },
  { name: "move", key: "m", label: "Move…", kinds: ["task", "story", "pbi"] },
  { name: "waits", key: "b", label: "Blocked by…", kinds: ["task", "story"], single: true },
  {
    name: "peek",
    key: "Space",
    label: "Peek",
    kinds: ["task", "story", "pbi"],
    single: true,
    reads: true,
  },
  { name: "select", key: "x", label: "Select", kinds: ["task", "story", "pbi"], reads: true },
];

export const kindsOf = (things: readonly string[]): ReadonlySet<string> =>
  new Set(things.map(kindOf));

/** Those that fit what is at hand. */
export function actionsFor(things: readonly string[], canWrite: boolean): readonly ThingAction[] {
  const kinds = kindsOf(things);
  return thingActions.filter(
    (action) =>
      (canWrite || action.reads) &&
      (things.length === 1 ||
        !(action.single || (action.name === "move" && isOnly(kinds, "pbi")))) &&
      action.kinds.some((kind) => kinds.has(kind)),
  );
}

/** PBIs have an order: each is moved by itself. */
const isOnly = (kinds: ReadonlySet<string>, kind: string) => kinds.size === 1 && kinds.has(kind);

type Run = (name: ThingAction["name"], things: readonly string[], row: HTMLElement | null) => void;

let current: Run | null = null;

/** The page that has rows says how its actions are run; one at a time. */
export function offerThingActions(run: Run): () => void {
  current = run;
  return () => {
    if (current === run) current = null;
  };
}

export function runThingAction(...call: Parameters<Run>): void {
  current?.(...call);
}
