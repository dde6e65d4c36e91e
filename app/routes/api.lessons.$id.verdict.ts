import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { decideLesson } from "~/nouns/lessons/operations.server";
import { decideLessonBody } from "~/wire/lessons/contract";

export const loader = apiRoute({
  POST: operationEndpoint(decideLesson, {
    summary: "Accept a lesson, optionally reworded, decline it, or retire it",
    body: decideLessonBody,
    refusals: [409, 429],
    input: ({ id, body }) => ({ ...body, lesson_id: id }),
  }),
});

export const action = loader;
