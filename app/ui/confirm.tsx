import { type ReactNode, type RefObject, useEffect, useId, useRef } from "react";
import { ActionForm, type FormFields } from "./action-form";
import { Button, type ButtonSize, type ButtonTone, buttonClass } from "./button";

/** Asks for confirmation of a change that cannot be undone; its button sends `fields`. Works without script. */
export function Confirm({
  trigger,
  question,
  consequence,
  confirmLabel,
  fields,
  action,
  onDone,
  children,
  size = "md",
  disabled,
  label,
  tone = "plain",
  confirmTone = "danger",
  inMenu = false,
}: {
  trigger: ReactNode;
  question: string;
  consequence: ReactNode;
  confirmLabel: string;
  fields?: FormFields;
  action?: string;
  onDone?: () => void;
  /** Renders another form around the buttons to confirm and to go back. */
  children?: (buttons: ReactNode) => ReactNode;
  size?: ButtonSize;
  disabled?: boolean;
  label?: string;
  tone?: ButtonTone;
  confirmTone?: ButtonTone;
  /** The trigger is a menu item. The menu stays open under the question. */
  inMenu?: boolean;
}) {
  const id = `confirm${useId().replaceAll(":", "")}`;
  const ref = useRef<HTMLDivElement>(null);
  useFocusWhenOpened(ref);
  const buttons = (
    <div className="flex justify-end gap-2">
      <Button popovertarget={id} popovertargetaction="hide">
        Go back
      </Button>
      <Button type="submit" tone={confirmTone}>
        {confirmLabel}
      </Button>
    </div>
  );
  return (
    <>
      <button
        type="button"
        popovertarget={id}
        disabled={disabled}
        aria-label={label}
        data-menu-item={inMenu || undefined}
        className={inMenu ? "menu-item" : buttonClass(tone, size)}
      >
        {trigger}
      </button>
      <div ref={ref} id={id} popover="auto" role="alertdialog" aria-labelledby={`${id}-title`} className="popover">
        <div className="grid w-80 max-w-full gap-3 p-3 max-sm:w-full">
          <p id={`${id}-title`} className="text-base font-semibold">
            {question}
          </p>
          <div className="text-sm text-muted">{consequence}</div>
          {children ? (
            children(buttons)
          ) : (
            <ActionForm fields={fields} action={action} onDone={onDone}>
              {buttons}
            </ActionForm>
          )}
        </div>
      </div>
    </>
  );
}

/** So that the question is read out. By autofocus: an event after opening may come when the focus has moved on. */
function useFocusWhenOpened(ref: RefObject<HTMLElement>) {
  useEffect(() => {
    const element = ref.current;
    const choose = () => element?.querySelector("input:not([type=hidden]), button")?.setAttribute("autofocus", "");
    element?.addEventListener("beforetoggle", choose);
    return () => element?.removeEventListener("beforetoggle", choose);
  }, [ref]);
}
