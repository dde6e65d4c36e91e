import { useEffect, useState } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { writeClipboard } from "~/secure-only";
import { Button, type ButtonTone } from "~/ui/button";
import { Icon } from "~/ui/icon";
import { showToast } from "~/ui/toast";

/** Copies a text or a promised text. Shows a toast on failure: users can refuse it. */
export async function copyText(text: string | Promise<string>): Promise<boolean> {
  try {
    await writeClipboard(text);
    return true;
  } catch {
    const isThere = await Promise.resolve(text).then(
      () => true,
      () => false,
    );
    showToast(
      isThere
        ? "Your browser blocked copying. Select the text and copy it instead."
        : "The service did not answer. Try again.",
      "failed",
    );
    return false;
  }
}

type CopyButtonProps = { text: string | ((button: HTMLButtonElement) => string); label?: string; tone?: ButtonTone };

/** Copies a text, or what the function returns on click. Hidden without script: people select the text instead. */
export function CopyButton({ text, label = "Copy", tone = "plain" }: CopyButtonProps) {
  const hydrated = useHydrated();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [copied]);
  if (!hydrated) return null;
  return (
    <Button
      size="sm"
      tone={tone}
      onClick={({ currentTarget }) => {
        const wanted = typeof text === "string" ? text : text(currentTarget);
        return copyText(wanted).then(setCopied);
      }}
    >
      <Icon name={copied ? "check" : "copy"} className="size-3.5" />
      <span aria-live="polite">{copied ? "Copied" : label}</span>
    </Button>
  );
}

/** A block of text to copy: a command, a configuration, a token. */
export function CopyBlock({ text, label }: { text: string; label: string }) {
  return (
    <figure className="overflow-hidden rounded border border-line bg-sunken">
      <figcaption className="flex items-center justify-between gap-2 border-b border-line py-1 pr-1 pl-3 text-xs text-muted">
        {label}
        <CopyButton text={text} />
      </figcaption>
      <pre className="p-3 font-mono text-xs leading-relaxed wrap-anywhere whitespace-pre-wrap">{text}</pre>
    </figure>
  );
}
