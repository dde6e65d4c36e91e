import { json } from "@remix-run/node";
import { ContractError } from "~/contract/errors";
import type { Actor } from "~/db/rpc.server";
import { fileForm } from "~/nouns/files/contract";
import { deleteFile } from "~/nouns/files/operations.server";
import { takeFile } from "~/nouns/files/take-file.server";
import { done, readForm, runOperation } from "./form-action.server";
import { readUploads } from "./uploads.server";

/** The forms about files of a story or task, for pages without script: with it, files go to `POST /api/files` one by one. */
export function fileIntents(actor: Actor, form: FormData, back: string) {
  return {
    "add-file": async () => {
      const uploads = await readUploads(form, "file");
      form.delete("file");
      try {
        await takeFile(actor, readForm(form, fileForm), uploads);
      } catch (error) {
        if (!(error instanceof ContractError) || error.status === 429) throw error;
        return json({ fileError: error.message }, error.status);
      }
      return done(form, `${back}#files`, "File added");
    },
    "delete-file": () => runOperation(actor, form, deleteFile, `${back}#files`, "File deleted"),
  };
}
