import { Link, useFetchers, useLocation, useNavigate } from "@remix-run/react";
import clsx from "clsx";
import { type KeyboardEvent, type MouseEvent, type RefObject, useEffect, useRef, useState } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { walkRows } from "~/features/inbox/use-inbox-keys";
import { NewRowsBanner, useSteadyRows } from "~/features/items/lists/steady-rows";
import { useHeldAnswers } from "~/features/questions/held-answers";
import { WeightyMarks } from "~/features/review/mark-list";
import { CodeChip, Kbd } from "~/ui/badge";
import { buttonClass } from "~/ui/button";
import { isForBrowser } from "~/ui/link-area";
import { RelativeTime } from "~/ui/relative-time";
import { StatusDot } from "~/ui/status";
import type { InboxItem } from "~/wire/inbox/contract";
import { InboxCard } from "./inbox-card";
import { pageOf, reviewOf, rowOf } from "./row-text";

/** The user's own actions here only remove items. */
const steady = { onlyOthersAdd: true };

const keyOf = (item: InboxItem) => `${item.kind}:${item.id}`;

/** Whether the selected item's card is next to the list; below that width a row opens its card, or its review. */
const isWide = () => matchMedia("(min-width: 64rem)").matches;

/** One row per item, and the card of the one that is selected. */
export function Rows({
  items,
  opened,
  canPutAside,
}: {
  items: readonly InboxItem[];
  /** Key or id of the item that the address names. */
  opened: string | null;
  canPutAside: boolean;
}) {
  const { list, shown, fresh, show } = useSteadyRows(items, keyOf, steady);
  const leaving = useLeaving();
  const rows = shown.filter((item) => !leaving.has(keyOf(item)));
  const named = rows.find((item) => keyOf(item) === opened || item.id === opened);
  const { selected, select } = useSelected(rows, named, list);
  const cards = useRef<HTMLDivElement>(null);
  const { search } = useLocation();
  const open = useOpen(cards);
  const hydrated = useHydrated();
  const onClick = (item: InboxItem) => (event: MouseEvent) => {
    if (isForBrowser(event) || !isWide()) return;
    event.preventDefault();
    select(item);
    // Enter clicks without a pointer.
    if (event.detail === 0) open(item);
  };
  const backToRow = (event: KeyboardEvent) => {
    if (event.key === "Escape") list.current?.querySelector<HTMLElement>("[aria-current] [data-row]")?.focus();
  };
  return (
    <div className="grid items-start gap-x-5 lg:grid-cols-[minmax(19rem,2fr)_minmax(0,3fr)]">
      <div ref={list} className={clsx("min-w-0", named && "max-lg:hidden")}>
        <NewRowsBanner count={fresh} show={show} />
        <ol aria-label="Inbox" className="overflow-hidden rounded-lg border border-line bg-surface empty:hidden">
          {rows.map((item) => (
            <li key={keyOf(item)} aria-current={item === selected || undefined} className="inbox-row flex">
              <Link
                to={reviewOf(item) ?? linkTo(search, keyOf(item))}
                data-row
                // Tab goes from the selected row to its card, arrows to the other rows.
                tabIndex={hydrated && item !== selected ? -1 : undefined}
                onClick={onClick(item)}
                onFocus={() => select(item)}
                onKeyDown={walkByArrow}
                className="inbox-row-link"
              >
                <RowText item={item} />
              </Link>
              {reviewOf(item) ? (
                <Link
                  to={linkTo(search, keyOf(item))}
                  aria-label={`Archive or snooze ${rowOf(item).code}`}
                  className="grid w-11 shrink-0 place-content-center text-muted hover:bg-sunken lg:hidden"
                >
                  ⋯
                </Link>
              ) : null}
            </li>
          ))}
        </ol>
        <p className="mt-3 hidden text-center text-xs text-balance text-muted keyboard:block">
          <Kbd>j</Kbd> <Kbd>k</Kbd> to move, <Kbd>Enter</Kbd> to open, <Kbd>1</Kbd> to <Kbd>8</Kbd> to answer
          {canPutAside ? (
            <>
              , <Kbd>e</Kbd> to archive, <Kbd>h</Kbd> to snooze
            </>
          ) : null}
          .
        </p>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Esc comes from the controls inside */}
      <div ref={cards} onKeyDown={backToRow} className={clsx("inbox-cards", !named && "max-lg:hidden")}>
        <Link to={linkTo(search, null)} data-close className={`${buttonClass("quiet", "sm")} mb-2 lg:hidden`}>
          <span aria-hidden="true">←</span> Back to the inbox
        </Link>
        {/* A card that sends its item away stays until the answer is there. */}
        {shown
          .filter((item) => item === selected || leaving.has(keyOf(item)))
          .map((item) => (
            <div key={keyOf(item)} data-card={item === selected || undefined} hidden={item !== selected}>
              <InboxCard item={item} canPutAside={canPutAside} />
            </div>
          ))}
      </div>
    </div>
  );
}

function RowText({ item }: { item: InboxItem }) {
  const held = useHeldAnswers().get(item.id);
  const { status, label, code, title, about } = rowOf(item);
  return (
    <>
      <StatusDot status={status} className="row-span-2 self-start pt-0.75" />
      <span className="flex min-w-0 items-baseline gap-x-2">
        {code ? <CodeChip>{code}</CodeChip> : null}
        <span className="truncate text-sm font-medium">{title}</span>
      </span>
      <span className="text-end text-xs whitespace-nowrap text-muted">{label}</span>
      <span className="flex min-w-0 items-center gap-1 text-xs text-muted">
        {item.kind === "review" && item.review ? <WeightyMarks marks={item.review.marks} /> : null}
        <span className="truncate">
          {held ? <strong className="font-medium text-accent">{held.text}</strong> : about}
        </span>
      </span>
      <RelativeTime at={item.at} className="text-end text-xs whitespace-nowrap text-muted" />
    </>
  );
}

function linkTo(search: string, key: string | null): string {
  const address = new URLSearchParams(search);
  address.delete("question");
  if (key) address.set("item", key);
  else address.delete("item");
  return `?${address}`;
}

function walkByArrow(event: KeyboardEvent) {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  event.preventDefault();
  walkRows(event.key === "ArrowDown" ? 1 : -1);
}

/** Items that the user just archived, snoozed or brought back: they are gone at once. */
function useLeaving(): ReadonlySet<string> {
  const sent = useFetchers().flatMap(({ formData }) => (formData?.get("intent") === "mark" ? [formData] : []));
  return new Set(sent.map((form) => `${form.get("kind")}:${form.get("item_id")}`));
}

/** Opens an item: its page, or its card where that is where one acts. */
function useOpen(cards: RefObject<HTMLElement>) {
  const navigate = useNavigate();
  return (item: InboxItem) => {
    const to = pageOf(item);
    if (to) navigate(to);
    else {
      const card = cards.current?.querySelector("[data-card]");
      const answers = card?.querySelector<HTMLElement>("[name=option]");
      (answers ?? card?.querySelector<HTMLElement>("textarea, button:not([name=mark], [popovertarget])"))?.focus();
    }
  };
}

/** The selected item: the first, until another one is. Once it is dealt with, the next takes its place. */
function useSelected(rows: readonly InboxItem[], named: InboxItem | undefined, list: RefObject<HTMLElement>) {
  const name = named ? keyOf(named) : null;
  const [picked, setPicked] = useState(() => name ?? (rows[0] ? keyOf(rows[0]) : null));
  const [namedBefore, setNamedBefore] = useState(name);
  const place = useRef(0);
  if (name !== namedBefore) {
    setNamedBefore(name);
    if (name) setPicked(name);
  }
  const selected =
    rows.find((item) => keyOf(item) === picked) ?? rows[Math.min(place.current, Math.max(rows.length - 1, 0))];
  const key = selected ? keyOf(selected) : null;
  const isFirst = useRef(true);
  useEffect(() => {
    setPicked(key);
    // Where the focused row or card is gone, the keyboard continues from the selected one.
    const isLost = document.activeElement === document.body && !isFirst.current;
    isFirst.current = false;
    if (isLost && !name) list.current?.querySelector<HTMLElement>("[aria-current] [data-row]")?.focus();
  }, [key, name, list]);
  useEffect(() => {
    place.current = Math.max(
      0,
      rows.findIndex((item) => keyOf(item) === key),
    );
  });
  return { selected, select: (item: InboxItem) => setPicked(keyOf(item)) };
}
