import { useFetcher, useLocation } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import type { FileTarget } from "~/features/files/attach";
import { focusAfterDrawing } from "~/features/items/active-row";
import { type ActionResult, showResult, useActionResult } from "~/ui/action-result";
import { keepDraft, readDraft } from "~/ui/forms/drafts";

/** Search parameter that opens a text's editor, for pages without JavaScript. */
export const editParameter = "edit";

/** One text of an item, and the hidden fields that identify it to the action. */
export interface InPlaceText {
  label: string;
  name: string;
  value: string;
  version?: number | undefined;
  /** Include the item's id, so that texts of different items are never confused. */
  fields: Readonly<Record<string, string>>;
  /** Where it is sent, when that is not the page. */
  action?: string | undefined;
  /** What files that are put into it are added to; without it none can be. */
  files?: FileTarget | undefined;
}

/** Saving is optimistic: the typed text shows until the server responds. A refusal reopens the editor with it. */
export function useInPlace({ name, value, version, fields }: InPlaceText) {
  const key = Object.values(fields).concat(name).join(" ");
  const fetcher = useFetcher<ActionResult>({ key: `in-place ${key}` });
  const { search } = useLocation();
  const params = new URLSearchParams(search);
  const withoutScript = useActionResult();
  const [editing, setEditing] = useState(params.get(editParameter) === name);
  const [refusal, setRefusal] = useState<readonly string[]>([]);
  const [base, setBase] = useState({ value, version });
  const [kept, keep, note] = useKeptText(key, base.value, (began) => setBase({ value: began, version }));
  const [clash, setClash] = useState<Clash>();
  const sent = useRef("");
  const opener = useRef<HTMLAnchorElement>(null);
  const { state, data, formData } = fetcher;

  useEffect(() => {
    const text = formData?.get(name);
    if (typeof text === "string") sent.current = text;
  }, [formData, name]);
  const handled = useRef(data);
  useEffect(() => {
    if (!data || data === handled.current) return;
    handled.current = data;
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
  function leave(typed: string) {
    keep(typed === value ? undefined : typed);
    close();
  }
  function close() {
    setEditing(false);
    setRefusal([]);
    focusAfterDrawing(() => opener.current);
  }

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
    /** The text being saved; null otherwise. */
    pending: typeof pending === "string" ? pending : null,
    hasKept: kept !== undefined,
    refusal: theirs ? [] : refusal.length > 0 ? refusal : refusalOf(editing ? withoutScript : null, name),
    edit,
    theirs,
    /** The version that saving replaces: the newest this person has seen. */
    seen: theirs ? theirs.version : base.version,
    /** Call on input: keeps the text even if the page goes away. */
    note: (typed: string) => note(typed === value ? undefined : typed),
    /** Call on submit: returns to reading. */
    send: close,
    leave,
    discard,
  };
}

export type InPlace = ReturnType<typeof useInPlace>;

/** Returns an action's errors for one field, or an empty list. */
function refusalOf(answer: unknown, name: string): string[] {
  if (typeof answer !== "object" || answer === null || !("error" in answer)) return [];
  const { error } = answer;
  if (typeof error === "string") return [error];
  if (typeof error !== "object" || error === null) return [];
  return Object.entries(error)
    .filter(([path]) => path === name || path === "")
    .flatMap(([, messages]) => (Array.isArray(messages) ? messages.map(String) : []));
}

/** Returns the text typed into a refused form, from an action result on a page without JavaScript. */
function typedIn(answer: unknown, name: string): string | undefined {
  if (typeof answer !== "object" || answer === null || !("initialValue" in answer)) return undefined;
  const { initialValue } = answer;
  const typed = Object.entries(initialValue ?? {}).find(([field]) => field === name)?.[1];
  return typeof typed === "string" ? typed : undefined;
}

/** Keys of unsaved texts on this page. While there are any, closing the tab asks first. */
const open = new Set<string>();

/** Keeps an unsaved text under a key, together with the text it started from. */
function useKeptText(key: string, base: string, onFound: (base: string) => void) {
  const [text, setText] = useState<string>();
  // Drafts of earlier pages exist only in the browser.
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

/** The text someone else saved while this person was editing. */
export type Clash = { text: string; version: number | undefined; by?: string | undefined };

/** Returns the newer text from an action refused with 412. */
function clashOf(answer: unknown, name: string): Clash | undefined {
  if (!isObject(answer) || !isObject(answer.clash) || !isObject(answer.clash.current)) return undefined;
  const { current, changed_by: by } = answer.clash;
  const { version, [name]: text } = current;
  if (typeof version !== "number") return undefined;
  return { version, text: typeof text === "string" ? text : "", by: typeof by === "string" ? by : undefined };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
