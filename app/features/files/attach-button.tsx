import { useHydrated } from "remix-utils/use-hydrated";
import { fileTypes } from "~/nouns/files/contract";
import type { Upload } from "./use-attach";

/** Chooses files by keyboard, pointer or camera, and says what went wrong. Without script there is nothing to press. */
export function AttachButton({
  upload,
  label = "Attach files",
}: {
  upload: Upload;
  label?: string;
}) {
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
