import { activeRow, focusRow, isPageItem, itemOf } from "~/features/items/active-row";
import {
  actionsFor,
  type ItemAction,
  itemActions,
  rowGroup,
  runItemAction,
} from "~/features/items/item-actions";
import { selectedItems } from "~/features/items/selection";
import { Kbd } from "~/ui/badge";
import { type PageKey, pressEdit, shownKeys, useShownKeys } from "~/ui/page-keys";
import { useWriteAccess } from "~/ui/write-access";
import type { PageAction } from "./page-actions";
import { Group, Item, lineWords } from "./palette-parts";

interface ActiveItems {
  items: readonly string[];
  row: HTMLElement | null;
}

/** Returns what the palette acts on: the selection, otherwise the highlighted row, otherwise the page's item. */
export function activeItems(): ActiveItems {
  const row = activeRow();
  const own = itemOf(row);
  const selected = [...selectedItems()];
  return { items: selected.length > 0 ? selected : own ? [own] : [], row };
}

export function ActiveItemActions({
  atHand,
  onClose,
  onReopen,
}: {
  atHand: ActiveItems;
  onClose: () => void;
  onReopen: () => void;
}) {
  const { canWrite } = useWriteAccess();
  const { items, row } = atHand;
  if (items.length === 0) return null;
  const ofPage = items.length === 1 && isPageItem(row);
  const about =
    items.length === 1
      ? (row?.querySelector("[data-code]")?.textContent ?? "This")
      : `${items.length} selected`;
  const run = ({ name }: ItemAction) => {
    onClose();
    // After the dialog has returned focus.
    setTimeout(() =>
      ofPage && name === "title" ? pressEdit() : runItemAction(name, items, row, onReopen),
    );
  };
  return (
    <Group heading={about}>
      {actionsFor(items, canWrite)
        .filter(({ name }) => !ofPage || (name !== "select" && name !== "peek"))
        .map((action) => (
          <Item
            key={action.name}
            value={lineWords(action.label.replace("…", ""), about)}
            onSelect={() => run(action)}
          >
            <span className="flex-1">{action.label}</span>
            {shownKeys(action.key).map((cap) => (
              <Kbd key={cap}>{cap}</Kbd>
            ))}
          </Item>
        ))}
    </Group>
  );
}

/** Row keys not listed in the row's group; none without a row. They focus it first: no mouse is over it now. */
function ofRow(keys: readonly PageKey[], first: string | undefined): readonly PageKey[] {
  if (!first) return [];
  const said = new Set(itemActions.map(({ key }) => key));
  return keys
    .filter(({ keys: press }) => !said.has(press))
    .map((key) => ({
      ...key,
      run: () => {
        focusRow(first);
        return key.run();
      },
    }));
}

/** Keys that are useless while the palette is open. */
const withoutLine = new Set(["Search and actions", "Next row", "Previous row", "Close"]);

/** Everything the page has buttons, menus and keys for. */
export function PageItems({
  actions,
  atHand: { items },
  onClose,
}: {
  actions: readonly PageAction[];
  atHand: ActiveItems;
  onClose: () => void;
}) {
  const [first] = items;
  const keys = useShownKeys()
    .flatMap(({ group, keys: shown }) => (group === rowGroup ? ofRow(shown, first) : shown))
    .filter(({ keys: press, label }) => !press.startsWith("g ") && !withoutLine.has(label))
    .filter((key, index, all) => all.findIndex(({ label }) => label === key.label) === index)
    .filter(({ label }) => !actions.some((action) => action.label === label));
  const run = (press: () => unknown) => {
    onClose();
    setTimeout(press);
  };
  return (
    <Group heading="On this page">
      {actions.map(({ label, press }) => (
        <Item key={label} value={lineWords(label, "do")} onSelect={() => run(press)}>
          <span className="flex-1">{label}</span>
        </Item>
      ))}
      {keys.map(({ keys: press, label, run: act }) => (
        <Item key={label} value={lineWords(label, "key")} onSelect={() => run(act)}>
          <span className="flex-1">{label}</span>
          {shownKeys(press).map((cap) => (
            <Kbd key={cap}>{cap}</Kbd>
          ))}
        </Item>
      ))}
    </Group>
  );
}
