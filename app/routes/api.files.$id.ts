import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { fileAnswer } from "~/http/file-answer.server";
import { operationEndpoint } from "~/http/operation-endpoint.server";
import { deleteFile, readFile } from "~/nouns/files/operations.server";

/** `/api/files/:id`: the file, for whoever reads its product; or no file any more. */
export const loader = apiRoute({
  GET: endpoint({
    name: "getFile",
    summary: "The content of a file, with its own type; Range is understood",
    auth: "either",
    id: "file",
    answer: "file",
    refusals: [404, 429],
    handle: ({ actor, id, request }) =>
      fileAnswer(request, id, (from, length) => readFile(actor, { file_id: id, from, length })),
  }),
  DELETE: operationEndpoint(deleteFile, {
    name: "deleteFile",
    summary: "Delete a file: who added it, or the owner of the product",
    auth: "either",
    id: "file",
    status: 204,
    refusals: [429],
    input: ({ id }) => ({ file_id: id }),
  }),
});
export const action = loader;
