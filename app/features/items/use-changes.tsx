import { useSubmit } from "@remix-run/react";
import { useCallback, useState } from "react";
import { useResultOf } from "~/ui/action-result";
import { enhancedField } from "~/ui/enhanced-field";

/** What is changed of which items. */
export type Change = ReturnType<typeof useChanges>["change"];

export const changesPath = "/changes";

let lastChange = 0;

/** Changes one or many items at once; each is a request of its own, so that none waits for another or takes its place. */
export function useChanges() {
  const submit = useSubmit();
  const [sent, setSent] = useState<readonly string[]>([]);
  const change = useCallback(
    (items: Iterable<string>, fields: Readonly<Record<string, string>>) => {
      const form = new FormData();
      form.set(enhancedField, "1");
      for (const item of items) form.append("thing", item);
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      lastChange += 1;
      const fetcherKey = `change ${lastChange}`;
      setSent((known) => [...known.slice(-20), fetcherKey]);
      submit(form, { method: "post", action: changesPath, navigate: false, fetcherKey });
    },
    [submit],
  );
  return { change, trackers: sent.map((key) => <Tracker key={key} fetcherKey={key} />) };
}

function Tracker({ fetcherKey }: { fetcherKey: string }) {
  useResultOf(fetcherKey);
  return null;
}
