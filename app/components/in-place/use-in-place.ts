import { useFetcher, useLocation } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import type { ActionAnswer } from "../action-form";
import { tellAnswer } from "../tell-answer";
import { focusAfterDrawing } from "../things/at-hand";
import { useAnswer } from "../use-answer";
import { editParameter } from "./edit-parameter";
import { refusalOf, typedIn } from "./form-answer";
import { useKeptText } from "./kept-texts";

/** One text of a thing, and the hidden fields that say to the page's action what it is. */
export interface InPlaceText {
  label: string;
  name: string;
  value: string;
  /** With the thing's id among them, so that no text is ever taken for another thing's. */
  fields: Readonly<Record<string, string>>;
  /** Where it is sent, when that is not the page. */
  action?: string | undefined;
}

/**
 * Reading and editing one text in its place. Saved at once for the eye: the text as typed stands there until the service
 * has answered; a refusal opens the editor again with everything that was typed.
 */
export function useInPlace({ name, value, fields }: InPlaceText) {
  const key = Object.values(fields).concat(name).join(" ");
  const fetcher = useFetcher<ActionAnswer>({ key: `in-place ${key}` });
  const { search } = useLocation();
  const params = new URLSearchParams(search);
  const withoutScript = useAnswer();
  const [editing, setEditing] = useState(params.get(editParameter) === name);
  const [kept, keep] = useKeptText(key);
  const [refusal, setRefusal] = useState<readonly string[]>([]);
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
    setRefusal(found);
    keep(isRefused ? sent.current : undefined);
    if (isRefused) setEditing(true);
    else tellAnswer(data);
  });

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

  const pending = state === "idle" ? null : formData?.get(name);
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
    refusal: refusal.length > 0 ? refusal : refusalOf(editing ? withoutScript : null, name),
    edit: () => setEditing(true),
    /** Sent: read again, with what was typed. */
    send: close,
    leave,
    discard: () => keep(undefined),
  };
}

export type InPlace = ReturnType<typeof useInPlace>;
