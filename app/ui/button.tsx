import { Link, type LinkProps, useNavigation } from "@remix-run/react";
import clsx from "clsx";
import { type ButtonHTMLAttributes, forwardRef, type ReactNode } from "react";

export type ButtonTone = "primary" | "plain" | "quiet" | "danger";
export type ButtonSize = "sm" | "md" | "lg" | "icon-sm" | "icon";

const tones: Record<ButtonTone, string> = {
  primary: "bg-accent text-on-accent border-accent hover:bg-accent-strong hover:border-accent-strong",
  plain: "bg-raised text-ink border-line hover:border-line-strong",
  quiet: "bg-transparent text-muted border-transparent hover:bg-sunken hover:text-ink",
  danger: "bg-danger text-on-danger border-danger hover:bg-danger-strong",
};

const sizes: Record<ButtonSize, string> = {
  sm: "h-7 px-2 text-xs gap-1",
  md: "h-8 px-3 text-sm gap-1.5 pointer-coarse:h-10",
  lg: "h-9 px-4 text-base gap-2 pointer-coarse:h-11",
  "icon-sm": "size-7 pointer-coarse:size-9",
  icon: "size-8 pointer-coarse:size-10",
};

export function buttonClass(tone: ButtonTone = "plain", size: ButtonSize = "md", className?: string): string {
  return clsx(
    "inline-flex shrink-0 items-center justify-center whitespace-nowrap rounded border font-medium",
    "transition-colors duration-150 disabled:opacity-55 aria-disabled:opacity-55",
    tones[tone],
    sizes[size],
    className,
  );
}

type Look = { tone?: ButtonTone; size?: ButtonSize };
export type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & Look;

export const Button = forwardRef<HTMLButtonElement, ButtonProps>(function Button(
  { tone, size, className, type = "button", ...rest },
  ref,
) {
  return <button ref={ref} type={type} className={buttonClass(tone, size, className)} {...rest} />;
});

/** A link that looks like a button. Only for navigation, never for changes. */
export function ButtonLink({ tone, size, className, ...rest }: LinkProps & Look) {
  return <Link data-button className={buttonClass(tone, size, className)} {...rest} />;
}

/** A button with only an icon. Its label is read out and shown on hover. */
export const IconButton = forwardRef<
  HTMLButtonElement,
  ButtonHTMLAttributes<HTMLButtonElement> & {
    label: string;
    children: ReactNode;
    tone?: ButtonTone;
    size?: "icon-sm" | "icon";
  }
>(function IconButton({ label, tone = "quiet", size = "icon", className, ...rest }, ref) {
  return (
    <button
      ref={ref}
      type="button"
      aria-label={label}
      title={label}
      className={buttonClass(tone, size, className)}
      {...rest}
    />
  );
});

/** Submits its form. While the form is pending, shows `pendingLabel` and sets aria-disabled. */
export function SubmitButton({
  pending,
  pendingLabel,
  children,
  tone = "primary",
  ...rest
}: ButtonProps & { pending?: boolean; pendingLabel?: string }) {
  const navigation = useNavigation();
  const busy = pending ?? navigation.state === "submitting";
  return (
    <Button type="submit" tone={tone} aria-disabled={busy || undefined} {...rest}>
      {busy ? (pendingLabel ?? children) : children}
    </Button>
  );
}
