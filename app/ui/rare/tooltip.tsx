import { Tooltip as RadixTooltip } from "radix-ui";
import type { ReactNode } from "react";

/** More words on hover and focus, for what does not fit. The trigger must make sense without it. */
export function Tooltip({ text, children }: { text: ReactNode; children: ReactNode }) {
  return (
    <RadixTooltip.Provider delayDuration={300}>
      <RadixTooltip.Root>
        <RadixTooltip.Trigger asChild>{children}</RadixTooltip.Trigger>
        <RadixTooltip.Portal>
          <RadixTooltip.Content
            sideOffset={6}
            className="arrive z-50 max-w-72 rounded bg-ink px-2 py-1 text-xs text-paper"
          >
            {text}
          </RadixTooltip.Content>
        </RadixTooltip.Portal>
      </RadixTooltip.Root>
    </RadixTooltip.Provider>
  );
}
