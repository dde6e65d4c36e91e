import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import type { Spot } from "~/features/diff/diff-view";
import { type BelowLine, lineKey } from "~/features/diff/line-column";
import { ActionForm, PressForm } from "~/ui/action-form";
import { Button } from "~/ui/button";
import { HiddenFields } from "~/ui/field";
import { IdempotencyKey } from "~/ui/forms/idempotency-key";
import { RelativeTime } from "~/ui/relative-time";
import { WriteFields } from "~/ui/write-access";
import type { JobComment } from "~/wire/reviews/contract";

/** A comment with the place of its file on the page; null if the file is gone. */
export type CommentOnFile = JobComment & { index: number | null };

/** If its line is gone, a draft is above its file, or apart. An open form keeps text and line as changes arrive. */
export function useComments(
  comments: readonly CommentOnFile[],
  {
    of,
    since,
  }: {
    /** The attempts that the page shows. */
    of: string;
    /** If set, old lines are those of an earlier attempt, so comments on deleted lines have no place among them. */
    since?: object | null;
  },
) {
  const [written, setWritten] = useState<Written | null>(null);
  const texts = useRef(new Map<string, string>());
  const open = useCallback((spot: Spot) => setWritten({ ...spot, of }), [of]);
  const close = useCallback(() => setWritten(null), []);
  const commented = useRef<Spot | null>(null);
  // The new comment draws its lines again, without the one that had the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when comments arrive
  useEffect(() => {
    if (commented.current && document.activeElement === document.body) focusLine(commented.current);
    commented.current = null;
  }, [comments]);
  const below = new Map<number, Map<string, ReactNode>>();
  const above = new Map<number, ReactNode[]>();
  const apart: ReactNode[] = [];
  const put = (index: number, key: string, node: ReactNode): void => {
    const lines = below.get(index) ?? new Map<string, ReactNode>();
    lines.set(key, [lines.get(key), node]);
    below.set(index, lines);
  };
  const putApart = (key: string, path: string, node: ReactNode) =>
    apart.push(
      <div key={key}>
        <p className="font-mono text-xs wrap-anywhere text-muted">{path}</p>
        {node}
      </div>,
    );
  for (const comment of comments) {
    const { id, job_id, index, path, side, current_line, body } = comment;
    if (written?.comment_id === id) continue;
    const line = side === "old" && since != null ? null : current_line;
    const edit = () => {
      if (index === null || line === null) return;
      const own = { index, path, side, line, of, job_id, comment_id: id };
      if (!texts.current.has(nameOf(own))) texts.current.set(nameOf(own), body);
      setWritten(own);
    };
    const isPlaced = index !== null && line !== null;
    const shown = <LineComment key={id} comment={comment} onEdit={isPlaced ? edit : undefined} />;
    if (index !== null && line !== null) put(index, lineKey(side, line), shown);
    // What was sent with a review is listed with that.
    else if (!comment.draft) continue;
    else if (index === null) putApart(id, path, shown);
    else above.set(index, [...(above.get(index) ?? []), shown]);
  }
  if (written) {
    const { index, path, side, line } = written;
    const name = nameOf(written);
    const onAdded = () => {
      commented.current = written;
      close();
    };
    const own = { written, name, texts: texts.current, onAdded, onClose: close };
    const form = <CommentForm key={name} {...own} />;
    if (written.of === of) put(index, lineKey(side, line), form);
    else putApart(name, `${path}:${line}`, form);
  }
  const belowLines: ReadonlyMap<number, BelowLine> = below;
  return { below: belowLines, above, apart, setSpot: open };
}

/** A line that a person writes on, and the attempts that the page showed then. */
interface Written extends Spot {
  of: string;
  /** The draft that it takes the place of. */
  job_id?: string;
  comment_id?: string;
}

const nameOf = ({ of, index, side, line, comment_id = "" }: Written) => [of, index, side, line, comment_id].join(" ");

/** Form for a comment on a line. Comments stay drafts until the review is submitted. */
function CommentForm(props: {
  written: Written;
  /** What was typed so far, by name: it outlives the form's place on the page. */
  texts: Map<string, string>;
  name: string;
  onAdded: () => void;
  onClose: () => void;
}) {
  const { written, texts, name, onAdded, onClose } = props;
  const { line } = written;
  const text = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    text.current?.focus();
    text.current?.form?.scrollIntoView({ block: "nearest" });
    // Back to the line, whose element is a new one by then.
    return () => focusLine(written);
  }, [written]);
  return (
    <ActionForm
      aria-label={`Comment on line ${line}`}
      className="mx-3 my-1 grid max-w-2xl scroll-mb-28 gap-2 rounded border border-line-strong bg-raised p-3"
      onDone={() => {
        texts.delete(name);
        onAdded();
      }}
    >
      <WriteFields>
        <IdempotencyKey />
        <HiddenFields fields={{ intent: "add-comment", ...written }} />
        <textarea
          ref={text}
          name="body"
          required
          rows={3}
          maxLength={10_000}
          defaultValue={texts.get(name)}
          onChange={(event) => texts.set(name, event.target.value)}
          aria-label={`Comment on line ${line}`}
          className="w-full rounded border border-line-strong bg-surface px-2.5 py-1.5 text-sm"
          onKeyDown={(event) => {
            if (event.key === "Escape") onClose();
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
              event.currentTarget.form?.requestSubmit();
            }
          }}
        />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" tone="primary" className="pointer-coarse:h-11">
            {written.comment_id === undefined ? "Add to review" : "Save"}
          </Button>
          <Button onClick={onClose} tone="quiet" className="pointer-coarse:h-11">
            Cancel
          </Button>
        </div>
      </WriteFields>
    </ActionForm>
  );
}

function focusLine({ index, side, line }: Spot): void {
  const number = `data-${side === "old" ? "o" : "n"}="${line}"`;
  const back = document.querySelector<HTMLElement>(`[data-index="${index}"] .${side}:not(.twin) .l[${number}]`);
  if (!back) return;
  back.tabIndex = -1;
  back.focus({ preventScroll: true });
}

/** A comment on a line. Only its author sees a draft, and can change or delete it. */
function LineComment({ comment, onEdit }: { comment: JobComment; onEdit: (() => void) | undefined }) {
  return (
    <article
      aria-label={`Comment by ${comment.author}`}
      className="mx-3 my-1 grid max-w-2xl gap-1 rounded border border-line bg-raised px-3 py-2 text-sm"
    >
      <header className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
        <strong className="font-medium text-ink">{comment.author}</strong>
        <RelativeTime at={comment.created_at} />
        {comment.draft ? <span className="text-waiting">draft</span> : null}
        {comment.stale ? (
          <span className="text-waiting">
            outdated: line {comment.line} of attempt {comment.attempt}
          </span>
        ) : null}
      </header>
      {comment.stale ? (
        <pre className="overflow-hidden font-mono text-xs text-ellipsis text-muted line-through">
          {comment.line_text.slice(0, 200)}
        </pre>
      ) : null}
      <p className="break-words whitespace-pre-wrap">{comment.body}</p>
      {comment.draft ? (
        <div className="flex gap-2">
          {onEdit ? (
            <Button size="sm" tone="quiet" onClick={onEdit}>
              Edit
            </Button>
          ) : null}
          <PressForm
            fields={{ intent: "delete-comment", job_id: comment.job_id, comment_id: comment.id }}
            size="sm"
            tone="quiet"
          >
            Delete
          </PressForm>
        </div>
      ) : null}
    </article>
  );
}
