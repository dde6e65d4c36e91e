import { ContractError } from "~/contract/errors";
import { fileForm, fileLimit, fileSchema } from "~/contract/file";
import { typeOf } from "~/contract/file-type";
import { addFile } from "~/domain/files/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";
import { readUploads } from "~/http/uploads.server";

/** `POST /api/files`: uploads an image, recording or document to a product. */
export const loader = apiRoute({
  POST: endpoint({
    name: "addFile",
    summary: "Upload a file of up to 10 MB: a picture, a recording, a PDF or a text",
    auth: "either",
    form: fileForm,
    bodyLimit: fileLimit + 65_536,
    answer: fileSchema,
    status: 201,
    refusals: [403, 404, 413, 429],
    handle: async ({ actor, form, body }) => {
      const [file, another] = await readUploads(form, "file");
      if (file === undefined || another !== undefined) {
        throw new ContractError(422, "Send one file that is not empty, in the field file.");
      }
      if (file.bytes.length > fileLimit) {
        throw new ContractError(413, "The file is larger than 10 MB. Send a smaller one.");
      }
      const type = typeOf(file.bytes);
      if (type === null) {
        throw new ContractError(
          422,
          "This type of file is not accepted. Send a PNG, JPEG, GIF or WebP picture, an MP4 or WebM recording, a PDF or a text.",
        );
      }
      const content = Buffer.from(file.bytes).toString("base64");
      const name = nameOf(file.name);
      return json(await addFile(actor, { ...body, name, type, content }), { status: 201 });
    },
  }),
});
export const action = loader;

/** The last part of a path, without what no file system and no header takes. */
function nameOf(given: string): string {
  const [last = ""] = given.split(/[/\\]/).slice(-1);
  return last.replace(/[\p{Cc}\p{Surrogate}"]/gu, "").slice(0, 200) || "file";
}
