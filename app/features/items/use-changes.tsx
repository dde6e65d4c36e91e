import { useFetcher, useSubmit } from "@remix-run/react";
import { useCallback, useEffect, useState } from "react";
import { type ActionResult, useResultOf } from "~/ui/action-result";
import { enhancedField } from "~/ui/form-fields";
import { storeOf } from "~/ui/store";

const refusals = storeOf<ReadonlyMap<string, string>>(new Map());
export const useRefusals = refusals.use;

/** Notes why the last change of these items was refused; null if it was not, or if another is being saved. */
export function noteRefusal(items: readonly string[], reason: string | null) {
  const others = [...refusals.get()].filter(([item]) => !items.includes(item));
  refusals.set(new Map(reason ? [...others, ...items.map((item) => [item, reason] as const)] : others));
}

export type Change = ReturnType<typeof useChanges>["change"];

export const changesPath = "/changes";

let lastChange = 0;

/** Changes one or more items. Each call is a separate request, so that none waits for or cancels another. */
export function useChanges() {
  const submit = useSubmit();
  const [sent, setSent] = useState<readonly Sent[]>([]);
  const change = useCallback(
    (changed: Iterable<string>, fields: Readonly<Record<string, string>>) => {
      const items = [...changed];
      noteRefusal(items, null);
      const form = new FormData();
      form.set(enhancedField, "1");
      for (const item of items) form.append("thing", item);
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      lastChange += 1;
      const fetcherKey = `change ${lastChange}`;
      setSent((known) => [...known.slice(-20), { fetcherKey, items }]);
      submit(form, { method: "post", action: changesPath, navigate: false, fetcherKey });
    },
    [submit],
  );
  return { change, trackers: sent.map((one) => <Tracker key={one.fetcherKey} {...one} />) };
}

type Sent = { fetcherKey: string; items: readonly string[] };

/** Reports the result of a change: in a message, and a refusal also on its items. */
function Tracker({ fetcherKey, items }: Sent) {
  useResultOf(fetcherKey);
  const { data } = useFetcher<ActionResult>({ key: fetcherKey });
  useEffect(() => {
    if (data) noteRefusal(items, data.error ?? null);
  }, [data, items]);
  return null;
}
