import { useFetcher, useNavigate } from "@remix-run/react";
import { Command } from "cmdk";
import { type KeyboardEvent, useEffect, useState } from "react";
import { isPageItem } from "~/features/items/active-row";
import { ProductAccess } from "~/features/products/product-access";
import type { SearchAnswer } from "~/routes/_app.search/search-answer";
import { Dialog } from "~/ui/rare/dialog";
import type { ShellData } from "../shell-data";
import { pageActions } from "./page-actions";
import { ActiveItemActions, activeItems, PageItems } from "./palette-actions";
import { CreateItems, FoundItems, PlaceItems, ProductItems, RecentItems } from "./palette-groups";
import { rankLine } from "./palette-parts";
import { SprintItems } from "./palette-sprint";

interface PaletteProps {
  open: boolean;
  onClose: () => void;
  /** Opens it again, for whoever goes back from what it opened. */
  onReopen: () => void;
  shell: ShellData;
  productId: string | undefined;
}

/** Everything one can reach or do, by typing: search over all products, recent places, actions with their keys. */
export default function Palette({ open, onClose, onReopen, shell, productId }: PaletteProps) {
  const navigate = useNavigate();
  const [query, setQuery] = useState("");
  // Looked at before the dialog takes the focus.
  const [atHand] = useState(activeItems);
  const [actions] = useState(pageActions);
  const ofPage = isPageItem(atHand.row);
  const { load, data } = useFetcher<SearchAnswer>({ key: "palette" });
  const wanted = query.trim();
  useEffect(() => {
    if (wanted.length < 2) return;
    const timer = setTimeout(
      () => load(`/search?${new URLSearchParams({ q: wanted, near: productId ?? "" })}`),
      140,
    );
    return () => clearTimeout(timer);
  }, [wanted, load, productId]);

  const go = (to: string) => {
    onClose();
    setQuery("");
    navigate(to);
  };
  const found = wanted.length < 2 || data?.query !== wanted ? [] : data.results;
  return (
    <Dialog title="Search and actions" open={open} onClose={onClose} bare>
      <Command
        label="Search and actions"
        loop
        filter={rankLine}
        onKeyDown={enterOnceChosen}
        className="grid"
      >
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
          <FoundItems found={found} wanted={wanted} go={go} />
          <ProductAccess productId={productId}>
            {ofPage ? null : <ActiveItemActions {...{ atHand, onClose, onReopen }} />}
            {wanted ? null : <RecentItems userId={shell.user.id} go={go} />}
            {ofPage ? <ActiveItemActions {...{ atHand, onClose, onReopen }} /> : null}
            <PageItems {...{ actions, atHand }} onClose={onClose} />
            <SprintItems {...{ shell, productId, actions, onClose }} />
            <CreateItems go={go} productId={productId} />
          </ProductAccess>
          <PlaceItems shell={shell} productId={productId} go={go} />
          <ProductItems shell={shell} go={go} />
        </Command.List>
      </Command>
    </Dialog>
  );
}

/** The line that Enter means: chosen, and fitting what is typed by now. */
function chosenLine(list: HTMLElement): HTMLElement | null {
  const line = list.querySelector<HTMLElement>("[cmdk-item][aria-selected=true]");
  const typed = list.querySelector("input")?.value ?? "";
  return line && rankLine(line.dataset.value ?? "", typed) > 0 ? line : null;
}

/** Whoever types faster than the list draws has nothing chosen for a moment, or what stood there before: their Enter waits. */
function enterOnceChosen(event: KeyboardEvent<HTMLElement>) {
  if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
  const list = event.currentTarget;
  // A line that has just been drawn hears a click, but not yet the list's own word for it.
  event.preventDefault();
  const press = (frames: number) => {
    const line = chosenLine(list);
    if (line) line.click();
    else if (frames > 0 && list.isConnected) requestAnimationFrame(() => press(frames - 1));
  };
  press(mostFrames);
}

/** Half a second: a list that is drawn by then has no such line. */
const mostFrames = 30;
