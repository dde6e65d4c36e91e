import { type RefObject, useState } from "react";
import { z } from "zod";

const answerSchema = z.object({ url: z.string(), name: z.string(), type: z.string() });
const refusalSchema = z.object({ error: z.string() });

/** Uploads what is chosen, pasted or dropped, and writes it into the text where the cursor is. */
export function useAttach(area: RefObject<HTMLTextAreaElement>, productId: string) {
  const [pending, setPending] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  const attach = async (files: Iterable<File>) => {
    setProblem(null);
    for (const file of files) {
      setPending((count) => count + 1);
      try {
        insert(area.current, await upload(file, productId));
      } catch (error) {
        setProblem(error instanceof Error ? error.message : "The upload failed. Try again.");
      } finally {
        setPending((count) => count - 1);
      }
    }
  };
  return { attach, isPending: pending > 0, problem };
}

async function upload(file: File, productId: string): Promise<string> {
  const body = new FormData();
  body.set("product_id", productId);
  body.set("file", file);
  const answer = await fetch("/api/files", { method: "POST", body }).catch(() => null);
  if (answer === null) throw new Error("The upload failed: there is no connection. Try again.");
  const said: unknown = await answer.json().catch(() => null);
  if (!answer.ok) {
    throw new Error(refusalSchema.safeParse(said).data?.error ?? "The upload failed. Try again.");
  }
  const { url, name, type } = answerSchema.parse(said);
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
