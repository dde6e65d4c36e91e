import "react";

declare module "react" {
  interface HTMLAttributes<T> {
    /** Native popover: top layer, Esc, light dismiss, no script. */
    popover?: "auto" | "manual" | "hint" | undefined;
    "data-align"?: "start" | "end" | undefined;
    "data-side"?: "top" | "bottom" | undefined;
  }
  interface ButtonHTMLAttributes<T> {
    popovertarget?: string | undefined;
    popovertargetaction?: "show" | "hide" | "toggle" | undefined;
  }
}
