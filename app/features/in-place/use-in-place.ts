import { useFetcher, useLocation } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import type { FilePlace } from "~/features/files/use-attach";
import { focusAfterDrawing } from "~/features/items/active-row";
import type { ActionResult } from "~/ui/action-result";
import { showResult, useActionResult } from "~/ui/action-result";
import { keepDraft, readDraft } from "~/ui/rare/drafts";
import { type Clash, clashOf } from "./clash";
import { editParameter } from "./edit-parameter";

/** One text of a item, and the hidden fields that say to the page's action what it is. */
export interface InPlaceText {
  label: string;
  name: string;
  value: string;
  /** Of the item, so that nobody's change is overwritten unseen. */
  version?: number | undefined;
  /** With the item's id among them, so that no text is ever taken for another item's. */
  fields: Readonly<Record<string, string>>;
  /** Where it is sent, when that is not the page. */
  action?: string | undefined;
  /** What files that are put into it are added to; without it none can be. */
  files?: FilePlace | undefined;
}

/**
 * Reading and editing one text in its place. Saved at once for the eye: the text as typed stands there until the service
 * has answered; a refusal opens the editor again with everything that was typed.
 */
export function useInPlace({ name, value, version, fields }: InPlaceText) {
  const key = Object.values(fields).concat(name).join(" ");
  const fetcher = useFetcher<ActionResult>({ key: `in-place ${key}` });
  const { search } = useLocation();
  const params = new URLSearchParams(search);
  const withoutScript = useActionResult();
  const [editing, setEditing] = useState(params.get(editParameter) === name);
  const [refusal, setRefusal] = useState<readonly string[]>([]);
  const [base, setBase] = useState({ value, version });
  const [kept, keep, note] = useKeptText(key, base.value, (began) =>
    setBase({ value: began, version }),
  );
  const [clash, setClash] = useState<Clash>();
  const sent = useRef("");
  const opener = useRef<HTMLAnchorElement>(null);
  const { state, data, formData } = fetcher;

  useEffect(() => {
    const text = formData?.get(name);
    if (typeof text === "string") sent.current = text;
  }, [formData, name]);
  const told = useRef(data);
  useEffect(() => {
    if (!data || data === told.current) return;
    told.current = data;
    const found = refusalOf(data, name);
    const isRefused = found.length > 0;
    const newer = clashOf(data, name);
    setClash(newer);
    setRefusal(newer ? [] : found);
    keep(isRefused ? sent.current : undefined);
    if (isRefused) setEditing(true);
    else showResult(data);
  });

  function edit() {
    if (kept === undefined) setBase({ value, version });
    setEditing(true);
  }
  /** Back to reading; what was typed and not saved is kept. */
  function leave(typed: string) {
    keep(typed === value ? undefined : typed);
    close();
  }
  function close() {
    setEditing(false);
    setRefusal([]);
    focusAfterDrawing(() => opener.current);
  }

  /** Forgets what was typed, for the text that stands there now. */
  function discard() {
    keep(undefined);
    setClash(undefined);
    close();
  }

  const pending = state === "idle" ? null : formData?.get(name);
  const changed = value === base.value ? undefined : { text: value, version };
  const theirs = clash ?? clashOf(withoutScript, name) ?? changed;
  params.set(editParameter, name);
  return {
    fetcher,
    editing,
    opener,
    editTo: `?${params}`,
    text: kept ?? typedIn(withoutScript, name) ?? value,
    /** The text that is on its way, while it is. */
    pending: typeof pending === "string" ? pending : null,
    hasKept: kept !== undefined,
    refusal: theirs
      ? []
      : refusal.length > 0
        ? refusal
        : refusalOf(editing ? withoutScript : null, name),
    edit,
    /** What somebody else wrote meanwhile. */
    theirs,
    /** The version that saving replaces: the newest that this person has seen. */
    seen: theirs ? theirs.version : base.version,
    /** While somebody types: it outlives whatever happens to the page. */
    note: (typed: string) => note(typed === value ? undefined : typed),
    /** Sent: read again, with what was typed. */
    send: close,
    leave,
    discard,
  };
}

export type InPlace = ReturnType<typeof useInPlace>;

/** What an action says about one field of a form that was refused; empty when all is well. */
function refusalOf(answer: unknown, name: string): string[] {
  if (typeof answer !== "object" || answer === null || !("error" in answer)) return [];
  const { error } = answer;
  if (typeof error === "string") return [error];
  if (typeof error !== "object" || error === null) return [];
  return Object.entries(error)
    .filter(([path]) => path === name || path === "")
    .flatMap(([, messages]) => (Array.isArray(messages) ? messages.map(String) : []));
}

/** What was typed into a refused form, as its answer brings it back to a page without script. */
function typedIn(answer: unknown, name: string): string | undefined {
  if (typeof answer !== "object" || answer === null || !("initialValue" in answer))
    return undefined;
  const { initialValue } = answer;
  const typed = Object.entries(initialValue ?? {}).find(([field]) => field === name)?.[1];
  return typeof typed === "string" ? typed : undefined;
}

/** Keys of texts that this page has and that are neither saved nor thrown away: whoever closes the tab is asked first. */
const open = new Set<string>();

/** What is kept under a key, with the text that it began from, and how to keep another text there, or none. */
function useKeptText(key: string, base: string, onFound: (base: string) => void) {
  const [text, setText] = useState<string>();
  // What an earlier page left is known to the browser alone.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a draft is found once, when the page comes to life
  useEffect(() => {
    const draft = readDraft(draftOf(key));
    setText(draft?.text);
    if (draft?.base !== undefined) onFound(draft.base);
  }, [key]);
  const note = (next: string | undefined) => {
    keepDraft(draftOf(key), next === undefined ? undefined : { text: next, base });
    if (next === undefined) open.delete(key);
    else open.add(key);
    if (open.size > 0) window.addEventListener("beforeunload", askFirst);
    else window.removeEventListener("beforeunload", askFirst);
  };
  const keep = (next: string | undefined) => {
    note(next);
    setText(next);
  };
  return [text, keep, note] as const;
}

const draftOf = (key: string) => `text ${key}`;

function askFirst(event: BeforeUnloadEvent) {
  event.preventDefault();
}
