import { useFetcher, useNavigate } from "@remix-run/react";
import { type KeyboardEvent, startTransition, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { isPageItem } from "~/features/items/active-row";
import { ProductAccess } from "~/features/products/product-access";
import type { SearchAnswer } from "~/routes/_app.search/find-pasted.server";
import { Dialog } from "~/ui/dialog";
import { useShownKeys } from "~/ui/page-keys";
import { useWriteAccess } from "~/ui/write-access";
import { forgetTyped, typedAhead } from "../keys-ahead";
import { productPath } from "../navigation";
import type { ShellData } from "../shell-data";
import { activeItems, itemEntries, pageActions, pageEntries, pressOnceThere, type Then } from "./palette-actions";
import {
  createEntries,
  destinationEntries,
  foundEntries,
  type Go,
  productEntries,
  recentEntries,
  titledEntry,
} from "./palette-groups";
import { type Entry, nearEntries, Option, optionId, shownEntries } from "./palette-parts";

interface PaletteProps {
  open: boolean;
  onClose: () => void;
  /** Opens the palette again when the user returns from what it opened. */
  onReopen: () => void;
  shell: ShellData;
  productId: string | undefined;
}

/** Everything the user can open or do: search in all products, recent pages, actions with their keys. */
export default function Palette(props: PaletteProps) {
  return (
    <Dialog title="Search and actions" open={props.open} onClose={props.onClose} bare>
      <ProductAccess productId={props.productId}>
        <Choices {...props} />
      </ProductAccess>
    </Dialog>
  );
}

/** What fits into the list without scrolling. The rest is drawn after it shows. */
const firstEntries = 14;

/** How long Enter waits for the first match, which the service may find. */
const patienceMs = 500;

function Choices(props: PaletteProps) {
  const [query, setQuery] = useState(typedAhead);
  const [chosenKey, setChosenKey] = useState<string>();
  const [isWhole, setWhole] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const pressedAt = useRef(Number.NEGATIVE_INFINITY);
  const { wanted, only, search } = narrow(query);
  const found = useFound(search, props.productId);
  const entries = useEntries(props, query.trim(), found ?? nothing);
  const fitting = useMemo(
    () => shownEntries(only ? entries.filter(({ group }) => group === only) : entries, wanted),
    [entries, wanted, only],
  );
  const isGuess = fitting.length === 0 && found !== null && !only && wanted.length > 1;
  const groups = isGuess ? nearEntries(entries, wanted) : fitting;
  const shown = useMemo(() => groups.flatMap((group) => group.entries), [groups]);
  const chosen = shown.find(({ key }) => key === chosenKey) ?? shown[0];
  useEffect(() => {
    forgetTyped();
    startTransition(() => setWhole(true));
  }, []);
  useEffect(() => {
    if (chosen && !isGuess && performance.now() - pressedAt.current < patienceMs) chosen.run();
  }, [chosen, isGuess]);

  const move = (to: number) => {
    const next = shown.at(to % shown.length);
    if (!next) return;
    setChosenKey(next.key);
    document.getElementById(optionId(next))?.scrollIntoView({ block: "nearest" });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = steps[`${event.ctrlKey ? "Ctrl+" : ""}${event.key}`];
    if (event.key !== "Enter" && step === undefined) return;
    event.preventDefault();
    if (step !== undefined) move(chosen && step !== 0 ? shown.indexOf(chosen) + step : 0);
    else if (chosen) chosen.run();
    else pressedAt.current = event.timeStamp;
  };
  const at = (target: EventTarget) =>
    target instanceof Element ? target.closest<HTMLElement>("[data-entry]")?.dataset.entry : undefined;
  let room = isWhole ? shown.length : firstEntries;
  return (
    <div className="flex h-[min(27rem,84dvh)] flex-col">
      <input
        data-focus-first
        role="combobox"
        aria-label="Search and actions"
        aria-expanded
        aria-controls="palette"
        aria-autocomplete="list"
        aria-activedescendant={chosen && optionId(chosen)}
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={({ target }) => {
          list.current?.scrollTo(0, 0);
          setChosenKey(undefined);
          setQuery(target.value);
        }}
        onKeyDown={onKeyDown}
        placeholder="Search, or type a command (t, s, b: only tasks, stories, PBIs)"
        className="h-12 w-full shrink-0 border-b border-line bg-transparent px-4 text-base outline-none"
      />
      {shown.length === 0 || isGuess ? (
        <p role="status" className="px-3 py-6 text-center text-sm text-muted">
          {wanted.length < 2
            ? "Type at least two letters."
            : found === null
              ? "Searching…"
              : "Nothing has these words. Commands, pages, and codes, titles and texts of all your products are searched."}
        </p>
      ) : null}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys */}
      <div
        ref={list}
        id="palette"
        role="listbox"
        aria-label="Search and actions"
        className="min-h-0 flex-1 overflow-y-auto p-1.5"
        onPointerMove={({ target }) => setChosenKey(at(target) ?? chosenKey)}
        onClick={({ target }) => shown.find(({ key }) => key === at(target))?.run()}
      >
        {groups.map(({ heading, entries: each }) => {
          const drawn = each.slice(0, Math.max(0, room));
          room -= each.length;
          return drawn.length === 0 ? null : (
            // biome-ignore lint/a11y/useSemanticElements: a list box has no fieldset
            <div key={heading} role="group" aria-label={heading}>
              <p aria-hidden className="px-2.5 pt-2 pb-1 text-2xs font-semibold text-faint">
                {heading}
              </p>
              {drawn.map((entry) => (
                <Option key={entry.key} entry={entry} isChosen={entry === chosen} />
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** What a letter and a space list alone: a group, and for items what the service searches for. */
const prefixes: Readonly<Record<string, readonly [group: string, filter?: string]>> = {
  t: ["Found", "is:task"],
  s: ["Found", "is:story"],
  b: ["Found", "is:pbi"],
  g: ["Go to"],
  p: ["Products"],
  n: ["Create"],
};

function narrow(query: string) {
  const [, letter = "", rest = ""] = /^\s*([a-z])\s(.*)$/i.exec(query) ?? [];
  const [only, filter] = prefixes[letter.toLowerCase()] ?? [];
  const wanted = (only ? rest : query).trim();
  return { wanted, only, search: filter ? `${filter} ${wanted}`.trim() : only ? "" : wanted };
}

/** How far a key moves; 0 is to the first, and beyond an end is the other. */
const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, "Ctrl+n": 1, "Ctrl+p": -1, Home: 0 };

const nothing: SearchAnswer["results"] = [];

/** Null until the service has answered. */
function useFound(wanted: string, productId: string | undefined): SearchAnswer["results"] | null {
  const { load, data } = useFetcher<SearchAnswer>({ key: "palette" });
  useEffect(() => {
    if (wanted.length < 2) return;
    const timer = setTimeout(() => load(`/search?${new URLSearchParams({ q: wanted, near: productId ?? "" })}`), 140);
    return () => clearTimeout(timer);
  }, [wanted, load, productId]);
  return wanted.length < 2 ? nothing : data?.query === wanted ? data.results : null;
}

function useEntries(
  { shell, productId, onClose, onReopen }: PaletteProps,
  wanted: string,
  found: SearchAnswer["results"],
): Entry[] {
  const navigate = useNavigate();
  const { canWrite } = useWriteAccess();
  const keys = useShownKeys();
  // Read before the dialog takes focus.
  const [atHand] = useState(activeItems);
  const [actions] = useState(pageActions);
  const latest = useRef({ onClose, onReopen, navigate });
  latest.current = { onClose, onReopen, navigate };
  const go = useCallback<Go>((to) => {
    latest.current.onClose();
    latest.current.navigate(to);
  }, []);
  const isTyped = wanted !== "";
  const known = useMemo(() => {
    const then: Then = (act) => {
      latest.current.onClose();
      // After the dialog has returned focus.
      setTimeout(act);
    };
    const ofItem = itemEntries(atHand, canWrite, then, () => latest.current.onReopen());
    const ofPage = isPageItem(atHand.row);
    // On the sprint's own page its buttons are listed already.
    const isAtSprint = actions.some(({ label }) => label === "Complete sprint");
    const board =
      shell.activeSprintId && productId && productId === shell.activeProductId && !isAtSprint && canWrite
        ? `${productPath(productId, "sprints")}/${shell.activeSprintId}`
        : undefined;
    return [
      ...(ofPage ? [] : ofItem),
      ...(isTyped ? [] : recentEntries(shell.user.id, go)),
      ...(ofPage ? ofItem : []),
      ...pageEntries(actions, keys, atHand.items, then),
      ...(board ? sprintEntries(board, go) : []),
      ...createEntries(productId, go),
      ...destinationEntries(shell, productId, isTyped, go),
      ...productEntries(shell, go),
    ];
  }, [shell, productId, canWrite, keys, atHand, actions, isTyped, go]);
  return useMemo(() => {
    const hits = foundEntries(found, wanted, go);
    if (productId && canWrite) hits.push(titledEntry(productId, wanted, go));
    // What can be done comes before texts that mention it, but a code or address names its item.
    return found[0]?.isNamed === true ? [...hits, ...known] : [...known, ...hits];
  }, [known, found, wanted, go, productId, canWrite]);
}

function sprintEntries(board: string, go: Go): Entry[] {
  const group = "Active sprint";
  const complete = () => {
    pressOnceThere("Complete sprint");
    go(board);
  };
  return [
    { key: "sprint start", group, name: "Start run", words: "sprint", run: () => go(`${board}?run=1`) },
    { key: "sprint complete", group, name: "Complete sprint", shown: "Complete sprint…", words: "", run: complete },
    { key: "sprint board", group, name: "Open board", words: "sprint", run: () => go(board) },
  ];
}
