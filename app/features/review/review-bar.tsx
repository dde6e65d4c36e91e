import { Link, useFetcher, useNavigate, useRouteLoaderData } from "@remix-run/react";
import { type MouseEvent, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { hasOnlySample } from "~/features/products/first-day";
import { router } from "~/live/router";
import { ActionForm } from "~/ui/action-form";
import { type ActionResult, useResultToast } from "~/ui/action-result";
import { Kbd } from "~/ui/badge";
import { Button, ButtonLink } from "~/ui/button";
import { TextAreaField } from "~/ui/field";
import { keepDraft, readDraft } from "~/ui/forms/drafts";
import { FormDraft } from "~/ui/forms/server-form";
import { countText } from "~/ui/numbers";
import { usePageKeys } from "~/ui/page-keys";
import { WriteFields } from "~/ui/write-access";
import type { ProvenCriterion } from "~/wire/proof/contract";
import { confirmWords, isMet, UnprovenTicks } from "./what-was-done";

const fetcherKey = "review";

/** Whether a verdict is on its way: React shows that a little later. */
const isSending = () => (router().state.fetchers.get(fetcherKey)?.state ?? "idle") !== "idle";

/** What verdicts that were given in this tab said, by the attempts that they are about. */
const sent = new Map<string, { summary: string; asks: boolean }>();

export interface Queue {
  total: number;
  frees_tasks: number;
  waiting_since: string | null;
  /** Where the reviews behind and before it are. */
  next: string | null;
  before: string | null;
}

/** What a reviewer needs at any time. If someone else was first, the typed text stays so that it can be copied. */
export function ReviewBar(props: {
  /** The attempts that the page shows. */
  of: string;
  /** Key under which the note is kept until it is sent. */
  draft: string;
  isOpen: boolean;
  /** Another attempt followed the one shown: a verdict on it is given there. */
  isOld?: boolean;
  /** Why not, or what follows the verdict that was sent. */
  reason: string | null;
  viewed: { count: number; total: number };
  queue: Queue;
  drafts: number;
  /** What the page shows: an approval confirms no others. */
  criteria: readonly ProvenCriterion[];
  /** What an approval can confirm; null where it is only recorded. */
  confirms: readonly ProvenCriterion[] | null;
  /** What else an approval leads to. */
  also?: string;
  /** Where to go on once the verdict is sent. */
  after: ReactNode;
  /** What can be chosen besides the note. */
  judged?: string | null;
  children: ReactNode;
}) {
  const { of, draft, isOpen, isOld = false, reason, viewed, queue } = props;
  const { drafts, criteria, confirms, also = "", after, judged = null, children } = props;
  const [summary, setSummary] = useState("");
  const [isMissing, setMissing] = useState(false);
  // Whether the note says what should change: then that is what is pressed next.
  const [asks, setAsks] = useState(false);
  const note = useRef<HTMLDetailsElement>(null);
  const before = useRef<Element | null>(null);
  const { state, data } = useFetcher<ActionResult>({ key: fetcherKey });
  // The form goes when someone else was first; then the refusal has no other place.
  useResultToast(isOpen ? undefined : data);
  const write = useCallback(() => {
    before.current = document.activeElement;
    if (note.current) note.current.open = true;
    note.current?.querySelector("textarea")?.focus();
  }, []);
  const ask = useCallback(() => {
    setAsks(true);
    write();
  }, [write]);
  const close = () => {
    if (note.current) note.current.open = false;
    if (before.current instanceof HTMLElement) before.current.focus();
  };
  // A verdict that is taken back brings its words back.
  useEffect(() => {
    const taken = isOpen ? sent.get(of) : undefined;
    const kept = readDraft(draft);
    setSummary((now) => now || taken?.summary || (kept?.summary ?? ""));
    setAsks((now) => now || (taken?.asks ?? kept?.asks === "yes"));
    if (taken?.summary && note.current) note.current.open = true;
  }, [isOpen, of, draft]);
  useEffect(() => {
    if (summary !== "") keepDraft(draft, asks ? { summary, asks: "yes" } : { summary });
  }, [draft, summary, asks]);
  useNextKey(queue);
  const approve = queue.next === null ? "Approve" : "Approve and next";
  useVerdictKeys(isOpen, approve, asks, ask);
  const askOrWrite = (event: MouseEvent) => {
    const isWriting = note.current?.open ?? false;
    setAsks(true);
    if (isWriting && (summary.trim() !== "" || drafts > 0)) return;
    event.preventDefault();
    setMissing(asks && isWriting);
    write();
  };
  const isLate = !isOpen && state === "idle";
  const unproven = confirms?.filter((criterion) => !isMet(criterion)).length ?? 0;
  const label = asks ? "What should change" : "Note";
  const noteLabel = [
    judged,
    unproven > 0 ? `${unproven} not proven` : null,
    summary.trim() === "" ? label : `${label}: unsent`,
  ]
    .filter(Boolean)
    .join(" · ");
  const unsent = drafts > 0 ? `${countText(drafts, "comment")} not sent yet.` : null;
  const approval = asks ? null : `${also}${confirmWords(confirms ?? [])}`;
  const words = [unsent, isOpen && confirms !== null ? approval : reason];
  const place = (
    <div className="min-w-0 grow basis-52 text-sm max-sm:contents">
      <p className="flex flex-wrap items-center gap-x-2 max-sm:basis-full">
        {viewed.total > 0 ? <span>{`Viewed ${viewed.count} of ${viewed.total}`}</span> : null}
        <QueuePlace queue={queue} />
      </p>
      <p role="status" className="text-xs text-muted max-sm:grow max-sm:basis-40">
        {words.filter((each) => each !== null).join(" ")}
      </p>
    </div>
  );
  const look =
    "flex flex-wrap items-center gap-x-4 sm:gap-y-2 border-t border-line-strong bg-surface px-4 py-2.5 lg:px-6";
  return (
    <section
      id="review"
      aria-label="Review"
      data-bottom-bar
      className="review-bar sticky bottom-15 z-10 -mx-4 mt-auto lg:bottom-0 lg:-mx-6"
    >
      {isOpen || (!isOld && summary.trim() !== "") ? (
        <ActionForm
          fetcherKey={fetcherKey}
          aria-label="Review"
          className={look}
          onSubmit={(event) => isSending() && event.preventDefault()}
          onDone={() => {
            sent.set(of, { summary, asks });
            setSummary("");
            setAsks(false);
            if (note.current) note.current.open = false;
          }}
        >
          <WriteFields quiet>
            {place}
            <input type="hidden" name="intent" value="review" />
            <FormDraft name={draft} answer={data} fills />
            {criteria.map(({ id }) => (
              <input key={id} type="hidden" name="criterion" value={id} />
            ))}
            <details
              ref={note}
              open={isLate || undefined}
              // Opened by the person: the cursor goes on to the text.
              onToggle={({ currentTarget: { open, firstElementChild } }) => {
                if (open && document.activeElement === firstElementChild) write();
                if (!open && summary.trim() === "") setAsks(false);
              }}
              className="open:-order-1 open:max-h-[50dvh] open:basis-full open:overflow-y-auto"
            >
              <summary className="w-fit text-sm text-muted hover:text-ink pointer-coarse:py-3">{noteLabel}</summary>
              <div className="grid max-w-2xl gap-3 p-1 pt-2">
                {children}
                <UnprovenTicks criteria={confirms ?? []} />
                <TextAreaField
                  id="review-summary"
                  name="summary"
                  label={label}
                  description={
                    isLate ? (
                      "Not sent: someone else reviewed this first."
                    ) : (
                      <>
                        {asks ? "Write it here or on lines, then press Request changes. " : null}
                        <span className="hidden keyboard:inline">
                          <Kbd>Ctrl Enter</Kbd> {asks ? "Request changes" : approve}, <Kbd>Esc</Kbd> to close
                        </span>
                      </>
                    )
                  }
                  errors={isMissing ? ["Write what should change, or comment on a line."] : undefined}
                  rows={3}
                  defaultValue={sent.get(of)?.summary}
                  onChange={(event) => {
                    setSummary(event.target.value);
                    setMissing(false);
                  }}
                  onKeyDown={(event) => event.key === "Escape" && close()}
                />
              </div>
            </details>
            {isOpen ? (
              <div className="flex flex-wrap gap-2 max-sm:grid max-sm:w-full max-sm:grid-cols-2">
                <Button
                  type="submit"
                  name="verdict"
                  value={queue.next === null ? "request_changes" : "request_changes_and_next"}
                  tone={asks ? "primary" : "plain"}
                  className="max-sm:h-11"
                  onClick={askOrWrite}
                >
                  Request changes
                  {asks ? (
                    <span aria-hidden className="hidden keyboard:inline">
                      <Kbd>Ctrl Enter</Kbd>
                    </span>
                  ) : null}
                </Button>
                <Button
                  type="submit"
                  name="verdict"
                  value={queue.next === null ? "approve" : "approve_and_next"}
                  tone={asks ? "quiet" : "primary"}
                  className="max-sm:h-11"
                  onClick={(event) => {
                    setAsks(false);
                    // The second click of a double click may meet the next review.
                    if (event.detail > 1) event.preventDefault();
                  }}
                >
                  {approve}
                </Button>
              </div>
            ) : (
              after
            )}
          </WriteFields>
        </ActionForm>
      ) : (
        <div className={look}>
          {place}
          {after}
        </div>
      )}
    </section>
  );
}

/** "7 reviews left", with the ways to its neighbors. */
function QueuePlace({ queue: { total, before, next } }: { queue: Queue }) {
  if (total === 0) return null;
  return (
    <>
      <span className="text-muted">{`${countText(total, "review")} left`}</span>
      {(
        [
          ["Previous review", before, "←"],
          ["Next review", next, "→"],
        ] as const
      ).map(([title, to, sign]) =>
        to === null ? null : (
          <Link key={sign} to={to} className="px-1 text-accent pointer-coarse:px-3 pointer-coarse:py-2" title={title}>
            <span aria-hidden>{sign}</span>
            <span className="sr-only">{title}</span>
          </Link>
        ),
      )}
    </>
  );
}

/** Where to go after a review. */
export function NextSteps({ next, children }: { next: string | null; children?: ReactNode }) {
  const isFirstDay = useHasOnlySample();
  return (
    <p className="flex flex-wrap gap-2">
      {isFirstDay ? (
        <ButtonLink to="/start" tone="primary">
          Continue first steps
        </ButtonLink>
      ) : null}
      {children}
      {next === null ? (
        <>
          <span className="self-center text-sm">All reviews are done.</span>
          <ButtonLink to="/inbox" tone={isFirstDay ? "plain" : "primary"}>
            Open inbox
          </ButtonLink>
        </>
      ) : (
        <>
          <ButtonLink to="/inbox?show=reviews">Open reviews</ButtonLink>
          <ButtonLink to={next} tone="primary">
            Next review
          </ButtonLink>
        </>
      )}
    </p>
  );
}

/** Whether the user has no product but the sample, as on their first day. */
function useHasOnlySample(): boolean {
  const shell = useRouteLoaderData<{ products: { code: string }[] }>("routes/_app");
  return shell !== undefined && hasOnlySample(shell.products);
}

/** `Shift+N` and `Shift+P` lead through the queue from this review on; `n` and `p` step through its changes. */
function useNextKey({ next, before }: { next: string | null; before: string | null }): void {
  const navigate = useNavigate();
  const keys = useMemo(() => {
    const way = (keys: string, label: string, to: string | null) =>
      to === null ? [] : [{ keys, label, run: () => navigate(to) }];
    return [...way("Shift+N", "Next review", next), ...way("Shift+P", "Previous review", before)];
  }, [next, before, navigate]);
  usePageKeys("Reviews", keys);
}

/** `Shift+A` approves; `Shift+R` begins to write what should change. `Ctrl+Enter` presses the bright button. */
function useVerdictKeys(isOpen: boolean, approve: string, asks: boolean, ask: () => void): void {
  const keys = useMemo(() => {
    const press = (selector: string) => document.querySelector<HTMLElement>(`#review ${selector}`)?.click();
    const isWriting = () => document.activeElement?.matches("#review textarea") ?? false;
    return isOpen
      ? [
          { keys: "Shift+A", label: approve, run: () => press("[value^=approve]") },
          { keys: "Shift+R", label: "Say what should change", run: ask },
          {
            keys: "$mod+Enter",
            label: asks ? "Send what should change" : `${approve}, with the note`,
            whileTyping: true,
            // The palette presses it as well.
            run: (event?: KeyboardEvent) =>
              event && !isWriting() ? false : press(`[value^=${asks ? "request_changes" : "approve"}]`),
          },
        ]
      : [];
  }, [isOpen, approve, asks, ask]);
  usePageKeys("Verdict", keys);
}
