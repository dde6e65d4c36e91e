import { useFetcher } from "@remix-run/react";
import { type FormEventHandler, type ReactNode, useEffect, useRef, useState } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { type ActionResult, leaveAnswer, showOnce, useActionResult, useResultToast, wasShown } from "./action-result";
import { Button, type ButtonProps } from "./button";
import { FormErrors, HiddenFields } from "./field";
import { enhancedField } from "./form-fields";
import { WriteFields } from "./write-access";

/** What a form sends besides what is typed or pressed. */
export type FormFields = Readonly<Record<string, string | number>>;

interface ActionFormProps {
  fields?: FormFields | undefined;
  children: ReactNode;
  id?: string;
  className?: string;
  "aria-label"?: string;
  autoComplete?: "off";
  fetcherKey?: string;
  action?: string | undefined;
  onDone?: (() => void) | undefined;
  /** Prevented, it is not sent. */
  onSubmit?: FormEventHandler<HTMLFormElement>;
}

/** With script sent in the background, with a refusal shown; without, an ordinary post that returns to the page. */
export function ActionForm({ fields = {}, children, fetcherKey, action, onDone, ...form }: ActionFormProps) {
  const fetcher = useFetcher<ActionResult>(fetcherKey ? { key: fetcherKey } : undefined);
  const { state, data } = fetcher;
  // What is changed since may be what was refused.
  const [past, setPast] = useState<ActionResult>();
  return (
    <fetcher.Form method="post" action={action} aria-busy={state !== "idle"} onChange={() => setPast(data)} {...form}>
      <EnhancedField />
      <HiddenFields fields={fields} />
      {children}
      <FormResult answer={data === past ? undefined : data} fetcher={fetcher} onDone={onDone} />
    </fetcher.Form>
  );
}

/** The same, disabled for people who may not change things here. */
export function WriteForm(props: ActionFormProps) {
  return (
    <WriteFields quiet>
      <ActionForm {...props} />
    </WriteFields>
  );
}

type PressFormProps = Pick<ActionFormProps, "fields" | "action"> & ButtonProps;

/** A form that is one button. */
export function PressForm({ fields, action, ...button }: PressFormProps) {
  return (
    <ActionForm fields={fields} action={action}>
      <Button type="submit" {...button} />
    </ActionForm>
  );
}

/** The same, disabled for people who may not change things here. */
export function WritePress(props: PressFormProps) {
  return (
    <WriteFields quiet>
      <PressForm {...props} />
    </WriteFields>
  );
}

/** Why the page's form was refused, where it was sent without script. */
export function PageRefusal() {
  const answer = useActionResult<{ error?: unknown }>();
  return <FormErrors errors={typeof answer?.error === "string" ? [answer.error] : []} />;
}

/** Tells the action that script will handle its answer; a page without script does not say so. */
export function EnhancedField() {
  return useHydrated() ? <input type="hidden" name={enhancedField} value="1" /> : null;
}

/** How long a refusal is there to be read. */
const readingTime = 9000;

interface FormResultProps extends Pick<ActionFormProps, "onDone"> {
  answer: ActionResult | undefined;
  fetcher: Pick<ReturnType<typeof useFetcher>, "state" | "formData">;
}

/** Shown below its controls, or in the corner: success, and a refusal with a press or whose form is out of sight. */
export function FormResult({ answer, fetcher, onDone }: FormResultProps) {
  const sent = fetcher.state === "submitting" ? fetcher.formData : undefined;
  const message = useRef<HTMLParagraphElement>(null);
  useResultToast(sent ? undefined : answer, onDone, message);
  const isHere = !sent && answer?.error && !answer.begin && !wasShown(answer);
  const shown = useRef<{ refusal: ActionResult; since: number; address: string }>();
  const sending = useRef<FormData>();
  useEffect(() => {
    sending.current = sent;
    shown.current = isHere ? { refusal: answer, since: Date.now(), address: location.href } : undefined;
  }, [isHere, answer, sent]);
  useEffect(() => () => void (sending.current && leaveAnswer(sending.current)), []);
  useEffect(
    () => () => {
      const { refusal, since = 0, address } = shown.current ?? {};
      const isUnread = Date.now() - since < readingTime && address === location.href;
      if (refusal && isUnread) showOnce(refusal);
    },
    [],
  );
  if (!isHere) return null;
  return (
    <p ref={message} role="alert" className="mt-1 max-w-prose basis-full text-sm text-failed">
      {answer.error}
    </p>
  );
}
