import { apiRoute, endpoint } from "~/http/endpoint.server";
import { readUploads } from "~/http/request-body.server";
import { json } from "~/http/responses.server";
import { takeFile } from "~/nouns/files/take-file.server";
import { fileBodyLimit, fileForm, fileSchema } from "~/wire/files/contract";

export const loader = apiRoute({
  POST: endpoint({
    name: "addFile",
    summary: "Upload a file of up to 10 MB: an image, a video, a PDF or text",
    form: fileForm,
    bodyLimit: fileBodyLimit,
    answer: fileSchema,
    status: 201,
    refusals: [403, 404, 413, 429, 507],
    handle: async ({ actor, form, body }) =>
      json(await takeFile(actor, body, await readUploads(form, "file")), { status: 201 }),
  }),
});

export const action = loader;
