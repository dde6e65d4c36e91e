import { apiRoute, endpoint, operationEndpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";
import { deleteRecurrence, getRecurrence, setRecurrence } from "~/nouns/recurrences/recurrences.server";
import { recurrenceBody, shownRecurrenceSchema } from "~/wire/recurrences/contract";

/** `/api/stories/:id/recurrence`: schedule by which a template creates its next story. */
export const loader = apiRoute({
  GET: endpoint({
    name: "getRecurrence",
    summary: "Get a story's schedule, its next three times, and the template it was made from",
    answer: shownRecurrenceSchema,
    refusals: [403, 404],
    handle: async ({ actor, id }) => json(await getRecurrence(actor, { story_id: id })),
  }),
  PUT: endpoint({
    name: "setRecurrence",
    summary: "Make a story a recurring template, or change its schedule",
    body: recurrenceBody,
    answer: shownRecurrenceSchema,
    refusals: [403, 404, 409, 429],
    handle: async ({ actor, id, body }) => json(await setRecurrence(actor, { ...body, story_id: id })),
  }),
  DELETE: operationEndpoint(deleteRecurrence, {
    summary: "Stop a story from recurring",
    status: 204,
    refusals: [403, 404],
    input: ({ id }) => ({ story_id: id }),
  }),
});

export const action = loader;
