import { apiRoute, endpoint, operationEndpoint } from "~/http/endpoint.server";
import { fileAnswer } from "~/http/files.server";
import { deleteFile, readFile } from "~/nouns/files/operations.server";

/** `/api/files/:id`: the file, for anyone who reads its product; or no file any more. */
export const loader = apiRoute({
  GET: endpoint({
    name: "getFile",
    summary: "Download a file; supports Range",
    answer: "file",
    refusals: [404, 429],
    handle: ({ actor, id, request }) =>
      fileAnswer(request, id, (from, length) => readFile(actor, { file_id: id, from, length })),
  }),
  DELETE: operationEndpoint(deleteFile, {
    summary: "Delete a file. Its uploader or the product's owner",
    status: 204,
    refusals: [429],
    input: ({ id }) => ({ file_id: id }),
  }),
});

export const action = loader;
