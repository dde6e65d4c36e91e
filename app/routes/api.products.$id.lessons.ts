import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { listLessons, proposeLesson } from "~/nouns/lessons/operations.server";
import { proposeLessonBody } from "~/wire/lessons/contract";

/** `/api/products/:id/lessons`: lists what a product has learned; an agent proposes more. */
export const loader = apiRoute({
  GET: operationEndpoint(listLessons, {
    summary: "List a product's lessons and their effect, accepted ones first",
    input: ({ id }) => ({ product_id: id }),
  }),
  POST: operationEndpoint(proposeLesson, {
    summary: "Propose a lesson from rework. A person decides",
    auth: "bearer",
    body: proposeLessonBody,
    status: 201,
    refusals: [409, 429],
    input: ({ id, body }) => ({ ...body, product_id: id }),
  }),
});

export const action = loader;
