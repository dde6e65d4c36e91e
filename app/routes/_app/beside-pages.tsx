import { useBlocker, useFetcher, useFetchers, useLocation } from "@remix-run/react";
import { useEffect, useRef } from "react";
import { ComingPage } from "~/features/items/known-panel";
import { forgetAnswer, keyOfAnswer, useHeldAnswers } from "~/features/questions/held-answers";
import { secureOnly } from "~/secure-only";
import { type ActionResult, useAnswersOfGoneForms, useResultOf } from "~/ui/action-result";
import { keptLookKey } from "~/ui/link-area";
import { type PageKey, pressMarked, usePageKeys } from "~/ui/page-keys";
import { showToast, startBlockedKey, undo, undoKey, useUndos } from "~/ui/toast";
import { lookParameters } from "~/wire/saved-views/contract";
import type { ShellData } from "./shell-data";

type BesidePagesProps = { shell: ShellData; product: { id: string; name: string } | undefined };

/** What continues next to every page and no page waits for: it comes after the first script. */
export default function BesidePages({ shell, product }: BesidePagesProps) {
  useRecentPages(shell.user.id, product?.name);
  useLaterParts(product?.id);
  useTabMark(shell.inbox);
  useServiceWorker();
  useStayOffline();
  usePageKeys("Everywhere", laterKeys);
  useSavingMarks();
  useKeptLook();
  useUndos();
  useAnswersOfGoneForms();
  // What the button of a message did.
  useResultOf(undoKey);
  useResultOf(startBlockedKey);
  return (
    <>
      <ComingPage />
      <AnswerTrackers />
    </>
  );
}

/** Shows the number of waiting items in the tab's title and icon. */
function useTabMark(count: number) {
  const marked = useRef(false);
  useEffect(() => {
    if (count === 0 && !marked.current) return;
    marked.current = true;
    markTab(count);
  }, [count]);
}

/** Offline page and push messages: see public/service-worker.js. */
function useServiceWorker() {
  useEffect(() => {
    secureOnly.serviceWorker?.register("/service-worker.js").catch(() => {
      // Private windows refuse it; the app works without.
    });
  }, []);
}

/** Loads overlays and preloading when the browser is idle, so that typing right after an overlay's key is not lost. */
function useLaterParts(productId: string | undefined) {
  useEffect(() => {
    let end: (() => void) | undefined;
    let isGone = false;
    const load = () =>
      void Promise.all([import("./preload-pages"), import("./palette/palette"), import("./keys-dialog")]).then(
        ([{ preloadPages }]) => {
          if (!isGone) end = preloadPages(productId);
        },
        () => {
          // Offline: they load again when first needed.
        },
      );
    // Safari has no requestIdleCallback.
    const handle = "requestIdleCallback" in window ? requestIdleCallback(load) : load();
    return () => {
      isGone = true;
      end?.();
      if (typeof handle === "number") cancelIdleCallback(handle);
    };
  }, [productId]);
}

const isOffline = () => !navigator.onLine;

/** Without network no other page can be read: the one that is open stays, with everything on it. */
function useStayOffline(): void {
  const blocker = useBlocker(isOffline);
  useEffect(() => {
    if (blocker.state !== "blocked") return;
    blocker.reset();
    showToast("You are offline. Other pages open when you are connected.", "failed");
  }, [blocker]);
}

const worthKeeping = /^\/(stories|tasks|ideas|products)\/[0-9a-f-]{36}/;

function useRecentPages(userId: string, product: string | undefined): void {
  const { pathname } = useLocation();
  useEffect(() => {
    if (!worthKeeping.test(pathname)) return;
    // The page's meta sets the title one tick after the address changes.
    const timer = setTimeout(() => {
      import("./palette/recent").then(
        ({ notePage }) => notePage(userId, pathname, product),
        () => {
          // Offline: the page is not remembered.
        },
      );
    }, 300);
    return () => clearTimeout(timer);
  }, [pathname, userId, product]);
}

/** Parameters that are restored when the user returns to a tab of a product. */
const kept = [
  [/\/backlog$/, [...lookParameters.backlog, "view", "open", "shut"]],
  [/\/solo$/, [...lookParameters.board, "view"]],
] as const;

function useKeptLook(): void {
  const { pathname, search } = useLocation();
  useEffect(() => {
    const [, names] = kept.find(([pattern]) => pattern.test(pathname)) ?? [];
    if (!names) return;
    const all = [...new URLSearchParams(search)];
    const look = new URLSearchParams(all.filter(([name]) => names.some((each) => each === name)));
    try {
      sessionStorage.setItem(keptLookKey(pathname), look.toString());
    } catch {
      // Without storage a page opens without a filter.
    }
  }, [pathname, search]);
}

/** Changes that are saved sooner are not marked. */
const patienceMs = 400;

/** Marks rows and cards whose change takes long to save. Sets attributes: rendering thousands of rows for it would be slow. */
function useSavingMarks(): void {
  const saving = useFetchers().flatMap(({ formData }) => (formData ? itemsIn(formData) : []));
  const items = [...new Set(saving)].sort().join(" ");
  useEffect(() => {
    if (items === "") return;
    const names = items.split(" ");
    const timer = setTimeout(() => mark(names, true), patienceMs);
    window.addEventListener("beforeunload", askFirst);
    return () => {
      clearTimeout(timer);
      window.removeEventListener("beforeunload", askFirst);
      mark(names, false);
    };
  }, [items]);
}

/** Closing the tab asks first while a change is not saved. */
const askFirst = (event: Event) => event.preventDefault();

function itemsIn(form: FormData): string[] {
  return [...form.getAll("thing").map(String), ...form.getAll("task_id").map((id) => `task:${String(id)}`)];
}

function mark(items: readonly string[], isSaving: boolean) {
  for (const line of document.querySelectorAll("[data-line]")) {
    if (!items.includes(line.getAttribute("data-line") ?? "")) continue;
    line.toggleAttribute("data-saving", isSaving);
    if (isSaving) line.setAttribute("aria-busy", "true");
    else line.removeAttribute("aria-busy");
  }
}

let count = 0;
let watched: MutationObserver | undefined;

/** Shows the number of waiting items in the tab's title and icon, and on the installed app's badge. */
function markTab(waiting: number): void {
  count = waiting;
  markTitle();
  markIcon();
  if (count > 0) void secureOnly.setAppBadge?.(count);
  else void secureOnly.clearAppBadge?.();
  if (watched) return;
  // Each page sets its own title.
  watched = new MutationObserver(markTitle);
  watched.observe(document.head, { childList: true, subtree: true, characterData: true });
}

const shown = () => (count > 99 ? "99+" : String(count));

function markTitle() {
  const plain = document.title.replace(/^\(\d+\+?\) /, "");
  const marked = count > 0 ? `(${shown()}) ${plain}` : plain;
  if (marked !== document.title) document.title = marked;
}

function markIcon() {
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (icon) icon.href = count > 0 ? `data:image/svg+xml,${encodeURIComponent(draw())}` : "/favicon.svg";
}

/** Draws the icon with the number, in colors that are clear on light and dark tab bars. */
function draw(): string {
  const digits = count > 9 ? "9+" : String(count);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><g fill="none" stroke-width="3" stroke-linecap="round"><path stroke="#8d857a" d="M3 17.5c5 0 6.6-2.7 8-5M13.2 10.4C14.6 8.3 16.5 6.5 21 6.5"/><path stroke="#7d87dc" d="M3 6.5c9.5 0 8.5 11 18 11"/></g><circle cx="16.5" cy="7.5" r="7.5" fill="#b45309"/><text x="16.5" y="11.5" text-anchor="middle" font-family="sans-serif" font-weight="700" font-size="${digits.length > 1 ? 9 : 11}" fill="#fff">${digits}</text></svg>`;
}

function AnswerTrackers() {
  const sent = [...useHeldAnswers()].filter(([, { timer }]) => timer === null);
  return sent.map(([id]) => <Tracker key={id} questionId={id} />);
}

function Tracker({ questionId }: { questionId: string }) {
  const key = keyOfAnswer(questionId);
  useResultOf(key);
  const { state, data } = useFetcher<ActionResult>({ key });
  useEffect(() => {
    if (state === "idle" && data) forgetAnswer(questionId);
  }, [state, data, questionId]);
  return null;
}

/** Keys that work everywhere and that no one presses before the page is there. */
const laterKeys: readonly PageKey[] = [
  { keys: "$mod+z", label: "Undo the last change", run: undo },
  { keys: "Shift+F", label: "Clear the filter", run: () => pressMarked("data-show-all") },
  { keys: "Shift+T", label: "Switch between light and dark", run: switchTheme },
  { keys: "Escape", label: "Close", whileTyping: true, run: closeTopmost },
];

/** Toggles light and dark by clicking the button in the account menu. */
function switchTheme() {
  const { theme } = document.documentElement.dataset;
  const isDark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const wanted = isDark ? "light" : "dark";
  document.querySelector<HTMLElement>(`[name="theme"][value="${wanted}"]`)?.click();
}

function closeTopmost(): boolean {
  // Popovers and dialogs close themselves; only the side panel is ours.
  if (document.querySelector(":popover-open, dialog[open]")) return false;
  // The next key is for the page, not for the field about to disappear.
  const active = document.activeElement;
  if (active instanceof HTMLElement && active.matches("input, textarea, select")) active.blur();
  // Esc leaves a filter unchanged: the browser would clear it and show everything again.
  if (active?.matches("[data-filter]")) return true;
  // One thing at a time: first the panel next to the list, then the selection.
  return pressMarked("data-close") || pressMarked("data-clear") || pressMarked("data-show-all");
}
