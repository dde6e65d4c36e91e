import { useFetcher, useNavigate, useSubmit } from "@remix-run/react";
import { Command } from "cmdk";
import { type KeyboardEvent, useEffect, useState } from "react";
import { isPageItem } from "~/features/items/active-row";
import { ProductAccess } from "~/features/products/product-access";
import type { SearchAnswer } from "~/routes/_app.search/find-pasted.server";
import { Dialog } from "~/ui/dialog";
import { useWriteAccess } from "~/ui/write-access";
import { forgetTyped, typedAhead } from "../keys-ahead";
import { productPath } from "../navigation";
import type { ShellData } from "../shell-data";
import {
  ActiveItemActions,
  activeItems,
  type PageAction,
  PageItems,
  pageActions,
  pressOnceThere,
} from "./palette-actions";
import { CreateItems, DestinationItems, FoundItems, ProductItems, RecentItems } from "./palette-groups";
import { Group, Item, lineText, rankLine } from "./palette-parts";

interface PaletteProps {
  open: boolean;
  onClose: () => void;
  /** Opens the palette again when the user returns from what it opened. */
  onReopen: () => void;
  shell: ShellData;
  productId: string | undefined;
}

/** Everything the user can open or do: search in all products, recent pages, actions with their keys. */
export default function Palette({ open, onClose, onReopen, shell, productId }: PaletteProps) {
  const navigate = useNavigate();
  const [query, setQuery] = useState(typedAhead);
  useEffect(forgetTyped, []);
  // Read before the dialog takes focus.
  const [atHand] = useState(activeItems);
  const [actions] = useState(pageActions);
  const ofPage = isPageItem(atHand.row);
  const { load, data } = useFetcher<SearchAnswer>({ key: "palette" });
  const wanted = query.trim();
  useEffect(() => {
    if (wanted.length < 2) return;
    const timer = setTimeout(() => load(`/search?${new URLSearchParams({ q: wanted, near: productId ?? "" })}`), 140);
    return () => clearTimeout(timer);
  }, [wanted, load, productId]);

  const go = (to: string) => {
    onClose();
    setQuery("");
    navigate(to);
  };
  const found = wanted.length < 2 || data?.query !== wanted ? [] : data.results;
  const hits = <FoundItems found={found} wanted={wanted} go={go} />;
  // What can be done comes before texts that mention it, but a code or address names its item.
  const isNamed = found[0]?.isNamed === true;
  return (
    <Dialog title="Search and actions" open={open} onClose={onClose} bare>
      <Command label="Search and actions" loop filter={rankLine} onKeyDown={enterOnceChosen} className="grid">
        <Command.Input
          data-focus-first
          value={query}
          onValueChange={setQuery}
          placeholder="Search, or type a command"
          className="h-12 w-full border-b border-line bg-transparent px-4 text-base outline-none"
        />
        <Command.List className="max-h-96 overflow-y-auto p-1.5">
          <Command.Empty className="px-3 py-6 text-center text-sm text-muted">
            {wanted.length < 2 ? "Type at least two letters." : "No results."}
          </Command.Empty>
          {isNamed ? hits : null}
          <ProductAccess productId={productId}>
            {ofPage ? null : <ActiveItemActions atHand={atHand} onClose={onClose} onReopen={onReopen} />}
            {wanted ? null : <RecentItems userId={shell.user.id} go={go} />}
            {ofPage ? <ActiveItemActions atHand={atHand} onClose={onClose} onReopen={onReopen} /> : null}
            <PageItems actions={actions} atHand={atHand} onClose={onClose} />
            <SprintItems shell={shell} productId={productId} actions={actions} onClose={onClose} />
            <CreateItems go={go} productId={productId} />
          </ProductAccess>
          <DestinationItems shell={shell} productId={productId} wanted={wanted} go={go} />
          <ProductItems shell={shell} go={go} />
          {isNamed ? null : hits}
        </Command.List>
      </Command>
    </Dialog>
  );
}

/** Returns the row that Enter selects: highlighted, and matching the current text. */
function chosenLine(list: HTMLElement): HTMLElement | null {
  const line = list.querySelector<HTMLElement>("[cmdk-item][aria-selected=true]");
  const typed = list.querySelector("input")?.value ?? "";
  return line && rankLine(line.dataset.value ?? "", typed) > 0 ? line : null;
}

/** Fast typing can leave no row or an outdated one highlighted for a moment: Enter then waits. */
function enterOnceChosen(event: KeyboardEvent<HTMLElement>) {
  if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
  const list = event.currentTarget;
  // A row just rendered handles clicks, but not yet the list's select event.
  event.preventDefault();
  const press = (frames: number) => {
    const line = chosenLine(list);
    if (line) line.click();
    else if (frames > 0 && list.isConnected) requestAnimationFrame(() => press(frames - 1));
  };
  press(mostFrames);
}

/** Half a second. If the list has no match by then, there is none. */
const mostFrames = 30;

/** Actions on the active sprint, from any page. On the sprint's own page its buttons are listed already. */
function SprintItems({
  shell,
  productId,
  actions,
  onClose,
}: {
  shell: ShellData;
  productId: string | undefined;
  actions: readonly PageAction[];
  onClose: () => void;
}) {
  const submit = useSubmit();
  const navigate = useNavigate();
  const { canWrite } = useWriteAccess();
  const { activeSprintId: sprint, activeProductId } = shell;
  const isHere = actions.some(({ label }) => label === "Complete sprint");
  if (!sprint || !productId || productId !== activeProductId || isHere || !canWrite) return null;
  const board = `${productPath(productId, "sprints")}/${sprint}`;
  const then = (act: () => void) => () => {
    onClose();
    act();
  };
  return (
    <Group heading="Active sprint">
      <Item
        value={lineText("Start run", "sprint")}
        onSelect={then(() => submit({ intent: "start-run" }, { method: "post", action: board }))}
      >
        Start run
      </Item>
      <Item
        value={lineText("Complete sprint")}
        onSelect={then(() => {
          pressOnceThere("Complete sprint");
          navigate(board);
        })}
      >
        Complete sprint…
      </Item>
      <Item value={lineText("Open board", "sprint")} onSelect={then(() => navigate(board))}>
        Open board
      </Item>
    </Group>
  );
}
