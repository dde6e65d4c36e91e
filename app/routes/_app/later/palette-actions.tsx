import { isPageThing, rowAtHand, thingOf } from "~/features/items/at-hand";
import { selectedThings } from "~/features/items/selection";
import { actionsFor, runThingAction, type ThingAction } from "~/features/items/thing-actions";
import { Kbd } from "~/ui/badge";
import { pressEdit, useShownKeys } from "~/ui/page-keys";
import { useWriteAccess } from "~/ui/write-access";
import type { PageAction } from "./page-actions";
import { Group, Item } from "./palette-parts";

interface AtHand {
  things: readonly string[];
  row: HTMLElement | null;
}

/** What the palette acts on first: the selection, else the highlighted row, else the thing of the page. */
export function thingsAtHand(): AtHand {
  const row = rowAtHand();
  const own = thingOf(row);
  const selected = [...selectedThings()];
  return { things: selected.length > 0 ? selected : own ? [own] : [], row };
}

export function AtHandItems({ atHand, onClose }: { atHand: AtHand; onClose: () => void }) {
  const { canWrite } = useWriteAccess();
  const { things, row } = atHand;
  if (things.length === 0) return null;
  const ofPage = things.length === 1 && isPageThing(row);
  const about =
    things.length === 1
      ? (row?.querySelector("[data-code]")?.textContent ?? "This")
      : `${things.length} selected`;
  const run = ({ name }: ThingAction) => {
    onClose();
    // When the dialog has given the focus back.
    setTimeout(() =>
      ofPage && name === "title" ? pressEdit() : runThingAction(name, things, row),
    );
  };
  return (
    <Group heading={about}>
      {actionsFor(things, canWrite)
        .filter(({ name }) => !ofPage || (name !== "select" && name !== "peek"))
        .map((action) => (
          <Item key={action.name} value={`${about} ${action.label}`} onSelect={() => run(action)}>
            <span className="flex-1">{action.label}</span>
            <Kbd>{action.key}</Kbd>
          </Item>
        ))}
    </Group>
  );
}

/** Everything that the page has buttons, menus and keys for. */
export function PageItems({
  actions,
  onClose,
}: {
  actions: readonly PageAction[];
  onClose: () => void;
}) {
  const keys = useShownKeys()
    .flatMap(({ keys: shown }) => shown)
    .filter(({ keys: press, label }) => !press.startsWith("g ") && label !== "Search and actions")
    .filter((key, index, all) => all.findIndex(({ label }) => label === key.label) === index)
    .filter(({ label }) => !actions.some((action) => action.label === label));
  const run = (press: () => unknown) => {
    onClose();
    setTimeout(press);
  };
  return (
    <Group heading="On this page">
      {actions.map(({ label, press }) => (
        <Item key={label} value={`do ${label}`} onSelect={() => run(press)}>
          <span className="flex-1">{label}</span>
        </Item>
      ))}
      {keys.map(({ keys: press, label, run: act }) => (
        <Item key={label} value={`key ${label}`} onSelect={() => run(act)}>
          <span className="flex-1">{label}</span>
          <Kbd>{press.replace("$mod", "Ctrl")}</Kbd>
        </Item>
      ))}
    </Group>
  );
}
