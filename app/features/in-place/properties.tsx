import { useFetcher } from "@remix-run/react";
import { type ReactNode, useId, useRef } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { EnhancedField, FormResult } from "~/ui/action-form";
import type { ActionResult } from "~/ui/action-result";
import { Button } from "~/ui/button";
import { Section } from "~/ui/card";
import { HiddenFields, type SelectOption } from "~/ui/field";
import { LiveText } from "~/ui/live-text";
import { useEarlierChoices } from "~/ui/use-earlier-choices";
import { WriteFields } from "~/ui/write-access";
import { EditLink } from "./editable-text";
import { Editor } from "./editor";
import { type InPlaceText, useInPlace } from "./use-in-place";

/** Properties of an item, one per line. Each value is its own picker. */
export function Properties({ children, footer }: { children: ReactNode; footer?: ReactNode }) {
  return (
    <Section title="Properties">
      <PropertyList>{children}</PropertyList>
      {footer ? (
        <WriteFields quiet className="mt-3 flex flex-wrap gap-2 border-t border-line pt-3">
          {footer}
        </WriteFields>
      ) : null}
    </Section>
  );
}

/** The same list without a card, for side panels. */
export function PropertyList({ children }: { children: ReactNode }) {
  return <WriteFields className="grid gap-0.5">{children}</WriteFields>;
}

interface PickerProps {
  label: string;
  name: string;
  value: string;
  options: readonly SelectOption[];
  fields: Readonly<Record<string, string>>;
  /** Form action, if it is not the page's. */
  action?: string;
  children?: ReactNode;
}

/** A property with a few values: a native select that submits on change. */
export function Picker({ label, name, value, options, fields, action, children }: PickerProps) {
  const id = useId();
  const hydrated = useHydrated();
  const form = useRef<HTMLFormElement>(null);
  useEarlierChoices(form);
  const fetcher = useFetcher<ActionResult>({ key: `pick ${Object.values(fields).concat(name).join(" ")}` });
  const { data, state, formData } = fetcher;
  const chosen = state === "idle" ? value : String(formData?.get(name) ?? value);
  const known = options.some((option) => option.value === chosen);
  return (
    <fetcher.Form
      ref={form}
      method="post"
      action={action}
      autoComplete="off"
      className="property"
      aria-busy={state !== "idle"}
    >
      <label htmlFor={id}>{label}</label>
      <EnhancedField />
      <HiddenFields fields={fields} />
      <span className="flex min-w-0 items-center gap-1.5">
        <select
          // Uncontrolled without JavaScript, so that the browser keeps the choice; controlled with it.
          {...(hydrated ? { value: chosen } : { defaultValue: value })}
          id={id}
          name={name}
          className="picker"
          onChange={() => fetcher.submit(form.current)}
        >
          {known ? null : <option value={chosen}>{chosen}</option>}
          {options.map((option) => (
            <option key={option.value} value={option.value} disabled={option.disabled}>
              {option.label}
            </option>
          ))}
        </select>
        {hydrated ? null : (
          <Button type="submit" size="sm">
            Set
          </Button>
        )}
        {children}
      </span>
      <FormResult answer={data} fetcher={fetcher} />
    </fetcher.Form>
  );
}

/** A property with a text field. */
export function TypedProperty({
  empty,
  mono,
  placeholder,
  inputMode,
  note,
  ...text
}: InPlaceText & {
  empty?: string;
  mono?: boolean;
  placeholder?: string;
  inputMode?: "numeric" | "url";
  note?: string;
}) {
  const editing = useInPlace(text);
  const shown = editing.pending ?? text.value;
  return (
    <div className="property" data-editable>
      <span className="property-label">{text.label}</span>
      {editing.editing ? (
        <Editor text={text} editing={editing} line mono={mono} placeholder={placeholder} inputMode={inputMode} />
      ) : (
        <span className="flex min-w-0 items-center justify-between gap-1 pl-1.5">
          <span className={shown === "" ? "text-muted" : mono ? "font-mono text-xs" : ""}>
            <LiveText>{shown === "" ? (empty ?? "None") : shown}</LiveText>
            {note ? <span className="block text-xs text-muted">{note}</span> : null}
          </span>
          <EditLink label={text.label} editing={editing} />
        </span>
      )}
    </div>
  );
}
