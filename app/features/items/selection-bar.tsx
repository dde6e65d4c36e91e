import { Kbd } from "~/ui/badge";
import { Button } from "~/ui/button";
import { countText } from "~/ui/numbers";
import { useWriteAccess } from "~/ui/write-access";
import { actionsFor, isCopy, kindsOf, runItemAction } from "./item-actions";
import { clearSelection } from "./selection";

const nouns: Record<string, [string, string]> = {
  task: ["task", "tasks"],
  story: ["story", "stories"],
  pbi: ["PBI", "PBIs"],
};

/** Actions on the selection, in a bar at the bottom for mouse and touch. */
export default function SelectionBar({ selected }: { selected: ReadonlySet<string> }) {
  const { canWrite } = useWriteAccess();
  const items = [...selected];
  const kinds = kindsOf(items);
  const [kind = ""] = kinds;
  const [one, many] = kinds.size === 1 ? (nouns[kind] ?? ["", ""]) : ["item", "items"];
  const actions = actionsFor(items, canWrite).filter(
    ({ name }) => name !== "select" && name !== "peek" && name !== "title" && !isCopy(name),
  );
  return (
    <div
      role="toolbar"
      aria-label="Selection"
      className="fixed inset-x-3 bottom-20 z-20 mx-auto flex w-fit max-w-full flex-wrap items-center gap-1 rounded-lg border border-accent bg-raised px-3 py-2 text-sm shadow-pop lg:bottom-4 lg:left-55"
    >
      <p role="status" className="mr-1 font-medium">
        {`${countText(items.length, one, many)} selected`}
      </p>
      {actions.map(({ name, key, label }) => (
        <Button
          key={name}
          size="sm"
          onClick={(event) => runItemAction(name, items, event.currentTarget.closest("[role=toolbar]"))}
        >
          {label}
          <span className="pointer-coarse:hidden">
            <Kbd>{key}</Kbd>
          </span>
        </Button>
      ))}
      <Button size="sm" tone="quiet" data-clear onClick={clearSelection}>
        Clear
      </Button>
    </div>
  );
}
