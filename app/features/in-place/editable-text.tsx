import { Link } from "@remix-run/react";
import clsx from "clsx";
import type { MouseEvent, ReactNode } from "react";
import { Prose, type SafeHtml } from "~/features/markdown/prose";
import { buttonClass } from "~/ui/button";
import { Section } from "~/ui/card";
import { Icon } from "~/ui/icon";
import { useWriteAccess } from "~/ui/write-access";
import { Editor } from "./editor";
import { type InPlace, type InPlaceText, useInPlace } from "./use-in-place";

/** Shows a formatted text that turns into an editor on click or `e`. */
export function EditableText({
  content,
  empty,
  mono,
  inPanel = false,
  ...text
}: InPlaceText & {
  content: SafeHtml | null;
  /** Shown while the text is empty. */
  empty: ReactNode;
  mono?: boolean;
  /** In a side panel: no card. */
  inPanel?: boolean;
}) {
  const place = useInPlace(text);
  const { label } = text;
  const edit = place.editing ? null : <EditLink label={label} place={place} />;
  const body = place.editing ? (
    <Editor text={text} place={place} mono={mono} />
  ) : (
    <Reading label={label} place={place} content={content} empty={empty} />
  );
  if (inPanel) {
    return (
      <section aria-label={label} data-editable>
        <div className="flex min-h-7 items-center justify-between gap-2">
          <h3 className="text-xs font-semibold text-muted">{label}</h3>
          {edit}
        </div>
        {body}
      </section>
    );
  }
  return (
    <div data-editable>
      <Section title={label} actions={edit}>
        {body}
      </Section>
    </div>
  );
}

function Reading({
  label,
  place,
  content,
  empty,
}: {
  label: string;
  place: InPlace;
  content: SafeHtml | null;
  empty: ReactNode;
}) {
  const { canWrite } = useWriteAccess();
  const { pending, hasKept } = place;
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the pencil beside it is the same for keys */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the pencil beside it is the same for keys */}
      <div
        className={canWrite ? "editable" : undefined}
        onClick={(event) => canWrite && isMeantForText(event) && place.edit()}
      >
        {pending !== null ? (
          <p className="prose whitespace-pre-wrap">{pending || "Empty"}</p>
        ) : content ? (
          <Prose content={content} />
        ) : (
          <p className="text-sm text-muted">{empty}</p>
        )}
      </div>
      {hasKept ? <KeptNotice label={label} place={place} /> : null}
    </>
  );
}

/** Shown when the person left the editor without saving. */
function KeptNotice({ label, place }: { label: string; place: InPlace }) {
  return (
    <p role="status" className="mt-2 flex flex-wrap items-center gap-2 text-xs text-waiting">
      You have unsaved text.
      <button type="button" className="underline" onClick={place.edit}>
        Go on<span className="sr-only"> with {label.toLowerCase()}</span>
      </button>
      <button type="button" className="underline" onClick={place.discard}>
        Throw it away
      </button>
    </p>
  );
}

/** Ignores clicks on links and buttons, and clicks that end a text selection. */
function isMeantForText({ target }: MouseEvent): boolean {
  if (target instanceof Element && target.closest("a, button, summary")) return false;
  return window.getSelection()?.isCollapsed ?? true;
}

/** The title of a page or panel, edited with one click or `e`. */
export function EditableTitle(text: InPlaceText) {
  const place = useInPlace(text);
  const { canWrite } = useWriteAccess();
  if (place.editing) {
    return (
      <span className="min-w-0 flex-1 basis-64" data-editable>
        <Editor text={text} place={place} line />
      </span>
    );
  }
  return (
    <span className="min-w-0" data-editable>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the pencil beside it is the same for keys */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the pencil beside it is the same for keys */}
      <span
        className={canWrite ? "editable" : undefined}
        onClick={(event) => canWrite && isMeantForText(event) && place.edit()}
      >
        {place.pending ?? text.value}
      </span>
      {/* Word joiner: keeps the pencil on the line of the last word. */}
      {"\u2060"}
      <EditLink label={text.label} place={place} className="-my-1 ml-1 align-middle" />
      {place.hasKept ? <KeptNotice label={text.label} place={place} /> : null}
    </span>
  );
}

/** Opens the editor by key, touch, and without JavaScript: then it reloads the page with the editor open. */
export function EditLink({
  label,
  place,
  children,
  className,
}: {
  label: string;
  place: InPlace;
  /** Text instead of the pencil icon. */
  children?: string;
  className?: string;
}) {
  const { canWrite } = useWriteAccess();
  if (!canWrite) return null;
  return (
    <Link
      ref={place.opener}
      to={place.editTo}
      role="button"
      data-edit
      preventScrollReset
      aria-label={`Edit ${label.toLowerCase()}`}
      title={`Edit ${label.toLowerCase()} (e)`}
      onClick={(event) => {
        event.preventDefault();
        place.edit();
      }}
      className={clsx(
        children ? "text-sm text-accent underline underline-offset-2" : buttonClass("quiet", "icon-sm"),
        className,
      )}
    >
      {children ?? <Icon name="pencil" className="size-3.5" />}
    </Link>
  );
}
