import { useSubmit } from "@remix-run/react";
import { useCallback, useState } from "react";
import { enhancedField } from "~/ui/enhanced-field";
import { useAnswerOf } from "~/ui/tell-answer";

/** What is changed of which things. */
export type Change = ReturnType<typeof useChanges>["change"];

export const changesPath = "/changes";

let lastChange = 0;

/** Changes one or many things at once; each is a request of its own, so that none waits for another or takes its place. */
export function useChanges() {
  const submit = useSubmit();
  const [sent, setSent] = useState<readonly string[]>([]);
  const change = useCallback(
    (things: Iterable<string>, fields: Readonly<Record<string, string>>) => {
      const form = new FormData();
      form.set(enhancedField, "1");
      for (const thing of things) form.append("thing", thing);
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
  useAnswerOf(fetcherKey);
  return null;
}
