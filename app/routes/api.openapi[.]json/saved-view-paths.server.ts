import type { ZodOpenApiPathsObject } from "zod-openapi";
import {
  createSavedViewBody,
  savedViewListSchema,
  savedViewSchema,
  savedViewsQuery,
  updateSavedViewBody,
} from "~/contract/saved-view";
import { operation } from "./operation.server";

/** Looks of backlog and board under a name. */
export const savedViewPaths: ZodOpenApiPathsObject = {
  "/api/products/{id}/views": {
    get: operation({
      id: "listSavedViews",
      summary: "One's own and the shared views of backlog and board",
      security: "token or session",
      idParam: "id",
      query: savedViewsQuery,
      answer: savedViewListSchema,
      errors: [401, 403, 404, 405, 422, 500],
    }),
    post: operation({
      id: "createSavedView",
      summary: "Keep a look of backlog or board under a name",
      security: "token or session",
      idParam: "id",
      body: createSavedViewBody,
      status: 201,
      answer: savedViewSchema,
      errors: [400, 401, 403, 404, 405, 409, 413, 422, 429, 500],
    }),
  },
  "/api/views/{id}": {
    patch: operation({
      id: "updateSavedView",
      summary: "Another name or look, or for others too; its maker, and the owner for shared ones",
      security: "token or session",
      idParam: "id",
      body: updateSavedViewBody,
      answer: savedViewSchema,
      errors: [400, 401, 403, 404, 405, 409, 413, 422, 429, 500],
    }),
    delete: operation({
      id: "deleteSavedView",
      summary: "Delete a view; its maker, and the owner for shared ones",
      security: "token or session",
      idParam: "id",
      status: 204,
      answer: "nothing",
      errors: [401, 403, 404, 405, 429, 500],
    }),
  },
};
