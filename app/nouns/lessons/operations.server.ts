import { operation } from "~/nouns/operation.server";
import { decideLessonInput, lessonListSchema, lessonSchema, proposeLessonInput } from "~/wire/lessons/contract";
import { productIdInput } from "~/wire/products/contract";

/** What a product has learned, with what each lesson did. */
export const listLessons = operation("list_lessons", productIdInput, lessonListSchema);

/** Proposes a lesson from rework. */
export const proposeLesson = operation("propose_lesson", proposeLessonInput, lessonSchema);

/** Accepts, declines or retires a lesson. */
export const decideLesson = operation("decide_lesson", decideLessonInput, lessonSchema);
