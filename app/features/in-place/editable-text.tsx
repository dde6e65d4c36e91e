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
  empty: ReactNode;
  mono?: boolean;
  /** In a side panel: no card. */
  inPanel?: boolean;
}) {
  const editing = useInPlace(text);
  const { label } = text;
  const edit = editing.editing ? null : <EditLink label={label} editing={editing} />;
  const body = editing.editing ? (
    <Editor text={text} editing={editing} mono={mono} />
  ) : (
    <Reading label={label} editing={editing} content={content} empty={empty} />
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

type ReadingProps = { label: string; editing: InPlace; content: SafeHtml | null; empty: ReactNode };

function Reading({ label, editing, content, empty }: ReadingProps) {
  const { canWrite } = useWriteAccess();
  const { pending, hasKept } = editing;
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the pencil beside it is the same for keys */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the pencil beside it is the same for keys */}
      <div
        className={canWrite ? "editable" : undefined}
        onClick={(event) => canWrite && isMeantForText(event) && editing.edit()}
      >
        {pending !== null ? (
          <p className="prose whitespace-pre-wrap">{pending || "Empty"}</p>
        ) : content ? (
          <Prose content={content} />
        ) : (
          <p className="text-sm text-muted">{empty}</p>
        )}
      </div>
      {hasKept ? <KeptNotice label={label} editing={editing} /> : null}
    </>
  );
}

/** Shown when the person left the editor without saving. */
function KeptNotice({ label, editing }: { label: string; editing: InPlace }) {
  return (
    <p role="status" className="mt-2 flex flex-wrap items-center gap-2 text-xs text-waiting">
      You have unsaved text.
      <button type="button" className="underline" onClick={editing.edit}>
        Go on<span className="sr-only"> with {label.toLowerCase()}</span>
      </button>
      <button type="button" className="underline" onClick={editing.discard}>
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
  const editing = useInPlace(text);
  const { canWrite } = useWriteAccess();
  if (editing.editing) {
    return (
      <span className="min-w-0 flex-1 basis-64" data-editable>
        <Editor text={text} editing={editing} line />
      </span>
    );
  }
  return (
    <span className="min-w-0" data-editable>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the pencil beside it is the same for keys */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the pencil beside it is the same for keys */}
      <span
        className={canWrite ? "editable" : undefined}
        onClick={(event) => canWrite && isMeantForText(event) && editing.edit()}
      >
        {editing.pending ?? text.value}
      </span>
      {/* Word joiner: keeps the pencil on the line of the last word. */}
      {"\u2060"}
      <EditLink label={text.label} editing={editing} className="-my-1 ml-1 align-middle" />
      {editing.hasKept ? <KeptNotice label={text.label} editing={editing} /> : null}
    </span>
  );
}

interface EditLinkProps {
  label: string;
  editing: InPlace;
  /** Text instead of the pencil icon. */
  children?: string;
  className?: string;
}

/** Opens the editor by key, touch, and without JavaScript: then it reloads the page with the editor open. */
export function EditLink({ label, editing, children, className }: EditLinkProps) {
  const { canWrite } = useWriteAccess();
  if (!canWrite) return null;
  return (
    <Link
      ref={editing.opener}
      to={editing.editTo}
      role="button"
      data-edit
      preventScrollReset
      aria-label={`Edit ${label.toLowerCase()}`}
      title={`Edit ${label.toLowerCase()} (e)`}
      onClick={(event) => {
        event.preventDefault();
        editing.edit();
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
