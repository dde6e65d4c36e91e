import type { ReactNode } from "react";
import { useId } from "react";
import { Button, type ButtonSize, type ButtonTone, buttonClass } from "./button";

/**
 * A change that cannot be taken back asks once more, in words. `children` is the form's hidden part;
 * the confirming button submits it. Works without script.
 */
export function Confirm({
  trigger,
  question,
  consequence,
  confirmLabel,
  children,
  tone = "plain",
  size = "md",
  disabled,
  label,
  triggerClassName,
  confirmTone = "danger",
}: {
  trigger: ReactNode;
  question: string;
  consequence: ReactNode;
  confirmLabel: string;
  /** A render of the form around the buttons that confirm or step back. */
  children: (buttons: ReactNode) => ReactNode;
  tone?: ButtonTone;
  size?: ButtonSize;
  disabled?: boolean;
  label?: string;
  triggerClassName?: string;
  confirmTone?: ButtonTone;
}) {
  const id = `confirm${useId().replaceAll(":", "")}`;
  return (
    <>
      <button
        type="button"
        popovertarget={id}
        disabled={disabled}
        aria-label={label}
        className={triggerClassName ?? buttonClass(tone, size)}
      >
        {trigger}
      </button>
      <div
        id={id}
        popover="auto"
        role="alertdialog"
        aria-labelledby={`${id}-title`}
        className="popover"
      >
        <div className="grid w-80 max-w-full gap-3 p-3">
          <p id={`${id}-title`} className="text-base font-semibold">
            {question}
          </p>
          <div className="text-sm text-muted">{consequence}</div>
          {children(
            <div className="flex justify-end gap-2">
              <Button popovertarget={id} popovertargetaction="hide">
                Keep it
              </Button>
              <Button type="submit" tone={confirmTone}>
                {confirmLabel}
              </Button>
            </div>,
          )}
        </div>
      </div>
    </>
  );
}
