import { type ClipboardEvent, type DragEvent, type RefObject, useState } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { z } from "zod";
import { isolated } from "~/ui/isolated";
import { fileTypes } from "~/wire/files/contract";

/** What a file is added to; a file of a comment belongs to nothing until the comment is there. */
export type FileTarget = { product_id: string; story_id?: string; task_id?: string };

const answerSchema = z.object({ url: z.string(), name: z.string(), type: z.string() });
type Sent = z.infer<typeof answerSchema>;
const refusalSchema = z.object({ error: z.string() });

/** Sends files that are chosen, pasted or dropped, one after another, and says what went wrong with which. */
export function useUpload(target: FileTarget | undefined, onSent: (file: Sent) => void) {
  const [pending, setPending] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  const attach = async (files: readonly File[]) => {
    if (!target) return;
    setProblem(null);
    setPending((count) => count + files.length);
    for (const file of files) {
      try {
        onSent(await upload(file, target));
      } catch (error) {
        const why = error instanceof Error ? error.message : "The upload failed. Try again.";
        setProblem((before) => [before, `${isolated(file.name)}: ${why}`].filter(Boolean).join("\n"));
      } finally {
        setPending((count) => count - 1);
      }
    }
  };
  const take = (event: { preventDefault(): void }, data: DataTransfer) => {
    if (data.files.length === 0) return;
    event.preventDefault();
    void attach([...data.files]);
  };
  return {
    attach,
    isPending: pending > 0,
    problem,
    /** For the element on which files are dropped and pasted. */
    targets: target && {
      onPaste: (event: ClipboardEvent) => take(event, event.clipboardData),
      onDrop: (event: DragEvent) => take(event, event.dataTransfer),
      onDragOver: (event: DragEvent) => {
        if (event.dataTransfer.types.includes("Files")) event.preventDefault();
      },
    },
  };
}

/** The same, for a text: each file is written into it where the cursor is. */
export function useAttach(area: RefObject<HTMLTextAreaElement>, target: FileTarget | undefined) {
  return useUpload(target, (file) => insert(area.current, linkTo(file)));
}

type Upload = ReturnType<typeof useUpload>;

async function upload(file: File, target: FileTarget): Promise<Sent> {
  const body = new FormData();
  for (const [name, value] of Object.entries(target)) body.set(name, value);
  body.set("file", file);
  const answer = await fetch("/api/files", { method: "POST", body }).catch(() => null);
  if (answer === null) throw new Error("The upload failed. Check the connection and try again.");
  const answered: unknown = await answer.json().catch(() => null);
  if (!answer.ok) throw new Error(refusalSchema.safeParse(answered).data?.error ?? "The upload failed. Try again.");
  return answerSchema.parse(answered);
}

function linkTo({ url, name, type }: Sent): string {
  const label = name.replace(/[[\]\\]/g, "");
  return type.startsWith("image/") ? `![${label}](${url})` : `[${label}](${url})`;
}

function insert(element: HTMLTextAreaElement | null, text: string): void {
  if (!element) return;
  const { selectionStart: start, selectionEnd: end, value } = element;
  const before = start === 0 || value[start - 1] === "\n" ? "" : "\n";
  element.setRangeText(`${before}${text}\n`, start, end, "end");
  element.dispatchEvent(new Event("input", { bubbles: true }));
  element.focus();
}

/** Chooses files by keyboard, pointer or camera, and says what went wrong. Without script there is nothing to press. */
export function AttachButton({ upload, label = "Attach files" }: { upload: Upload; label?: string }) {
  const { attach, isPending, problem } = upload;
  if (!useHydrated()) return null;
  return (
    <>
      <label className="w-fit cursor-pointer text-xs font-normal text-accent underline underline-offset-2 has-disabled:hidden has-focus-visible:outline-2 pointer-coarse:py-2.5">
        {isPending ? "Uploading…" : label}
        <input
          type="file"
          multiple
          accept={fileTypes.join(",")}
          className="sr-only"
          onChange={({ currentTarget }) => {
            const chosen = [...(currentTarget.files ?? [])];
            currentTarget.value = "";
            void attach(chosen);
          }}
        />
      </label>
      <p role="status" className="text-xs font-normal whitespace-pre-line text-failed empty:hidden">
        {problem}
      </p>
    </>
  );
}
